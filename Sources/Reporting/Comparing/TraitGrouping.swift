import CallModel
import CallStore
import Rendering

/// Groups the calls of `compared-calls.sql` by a trait, an attribute or a label instead of by SDK.
struct TraitGrouping {
  private let name: String
  private let sdk: Int
  /// Index of the trait's column; nil if the name is an attribute or a label.
  private let column: Int?
  private let labels: Int?
  private let traits: [String]
  /// Names of the labels seen on calls.
  private var met: Set<String> = []
  private var read: [String: [(name: String, value: String)]] = [:]
  private static let maxRead = 65_536

  init(by name: String, _ columns: [String]) {
    let fixed =
      ["state", "score_mean", "setup_ms", "poor", "broken", "scenario_name", "labels"] + RunFigures.judged
    traits = columns.filter { !fixed.contains($0) }
    self.name = TraitName.withoutPrefix(name)
    sdk = columns.firstIndex(of: "sdk") ?? 0
    column = traits.first { TraitName.isSame($0, name) }.flatMap { columns.firstIndex(of: $0) }
    labels = columns.firstIndex(of: "labels")
  }

  /// Whether a trait has that name, or a call has such an attribute or label.
  var isKnown: Bool { column != nil || met.contains { TraitName.isSame($0, name) } }

  /// The names that calls can be grouped by.
  var names: String {
    let all = traits + met.sorted()
    let near = Spelling.nearest(to: name, among: all).map { "the nearest is '\($0)'; " } ?? ""
    return "no call has it: \(near)the calls are divided by one of: \(all.joined(separator: ", "))"
  }

  func sdk(of row: [Cell]) -> String? { row[sdk].string }

  /// The row with the trait's value in place of the SDK, and the SDK appended.
  mutating func divided(_ row: [Cell]) -> [Cell] {
    var divided = row
    divided.append(row[sdk])
    let cell = column.map { row[$0] } ?? attribute(of: row)
    divided[sdk] = cell.isNull ? .text("unknown") : cell
    return divided
  }

  private mutating func attribute(of row: [Cell]) -> Cell {
    guard let json = labels.flatMap({ row[$0].string }) else { return .null }
    var members = read[json]
    if members == nil {
      members = JSONMembers.topLevel(of: json).map { (name: $0.0, value: $0.1) }
      if read.count < Self.maxRead { read[json] = members }
      met.formUnion((members ?? []).map(\.name))
    }
    return members?.first { TraitName.isSame($0.name, name) }.map { .text($0.value) } ?? .null
  }
}
