import Bytes
import CallModel

/// Members of a report that are in a table and have no column: names and values as the source's JSON has them.
///
/// A report has a dozen of them and few ever change, so a sample gets only those that are not what they were.
struct KeptMembers {
  /// Longer values are no figures, and no words either.
  private static let longest = 256
  private var bytes: [UInt8] = []
  /// Where each member ends: a name, `":` and a value.
  private var ends: [Int] = []
  /// Which of them are words and flags, by their places.
  private var facts: [Int] = []

  var isEmpty: Bool { ends.isEmpty }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    facts.removeAll(keepingCapacity: true)
  }

  /// Adds a member; rtcstats has numbers for names.
  mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    guard value.count <= Self.longest else { return }
    if let first = name.first, first.isASCIIDigit, let number = Int(String(decoding: name, as: UTF8.self)),
      RtcstatsNumbers.members.indices.contains(number)
    {
      bytes.append(contentsOf: RtcstatsNumbers.members[number].utf8)
    } else {
      bytes.append(contentsOf: name)
    }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    bytes.append(contentsOf: value)
    if let first = value.first, !first.isASCIIDigit, first != UInt8(ascii: "-") { facts.append(ends.count) }
    ends.append(bytes.count)
  }

  /// Whether a word or a flag is not as it was.
  func changesFact(since before: KeptMembers) -> Bool {
    facts.contains { place in
      let member = self[place]
      return !(place < before.ends.count && before[place] == member)
        && !before.facts.contains { before[$0] == member }
    }
  }

  /// Adds to the inside of a JSON object what is not as it was, each name behind a word.
  func writeChanges(since before: KeptMembers, behind word: String, to json: inout ByteWriter) {
    guard bytes != before.bytes else { return }
    for place in ends.indices {
      let member = self[place]
      // Nearly always the same members come in the same order.
      if place < before.ends.count, before[place] == member { continue }
      if before.ends.indices.contains(where: { before[$0] == member }) { continue }
      if !json.bytes.isEmpty { json.append(",") }
      json.append("\"")
      json.append(word)
      for byte in member { json.append(byte: byte) }
    }
  }

  private subscript(place: Int) -> ArraySlice<UInt8> {
    bytes[(place == 0 ? 0 : ends[place - 1])..<ends[place]]
  }
}

/// What was told last of the members without a column, by the report that has them.
struct ToldMembers {
  private var told: [ReportType: (members: KeptMembers, timeMs: Double)] = [:]
  /// Least time between two samples that tell of changed counters, ms: polls are not quite regular.
  private static let leastMs = ExtraMembers.counterIntervalMs - 100

  /// The inside of a JSON object of what changed since.
  mutating func changes(in reports: [Report?], at timeMs: Double) -> ByteWriter {
    var json = ByteWriter()
    for report in reports {
      guard let report, !report.kept.isEmpty, let word = report.role.keptBehind else { continue }
      let before = told[report.role]
      if let before, abs(timeMs - before.timeMs) < Self.leastMs,
        !report.kept.changesFact(since: before.members)
      {
        continue
      }
      report.kept.writeChanges(since: before?.members ?? KeptMembers(), behind: word, to: &json)
      told[report.role] = (report.kept, timeMs)
    }
    return json
  }
}

extension Report {
  /// Keeps a member that has no column.
  func keep(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
    if type.keptBehind != nil { kept.add(name, value) }
  }
}
