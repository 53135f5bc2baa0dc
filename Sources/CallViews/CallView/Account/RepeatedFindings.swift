import CallModel
import Rendering

/// A finding of an end, or all findings of that end with the same code: a long call may have thousands of them.
struct RepeatedFindings {
  /// In time order.
  private(set) var entries: [AccountFinding]
  /// Maximum number of findings of one kind that are listed individually.
  static let maxAlone = Limit.findingsOfKind.value

  /// The findings of a call in order; more than eight of a kind are combined at the position of the first.
  static func of(_ findings: [AccountFinding]) -> [RepeatedFindings] {
    let counts = Dictionary(findings.map { (Kind($0), 1) }, uniquingKeysWith: +)
    var places: [Kind: Int] = [:]
    var groups: [RepeatedFindings] = []
    for entry in findings {
      let kind = Kind(entry)
      if let place = places[kind] {
        groups[place].entries.append(entry)
        continue
      }
      if counts[kind, default: 0] > maxAlone { places[kind] = groups.count }
      groups.append(RepeatedFindings(entries: [entry]))
    }
    return groups
  }

  /// The representative finding: the longest.
  var example: AccountFinding { longest(1)[0] }

  /// The longest ones in time order; if they have no duration, the first.
  func longest(_ count: Int) -> [AccountFinding] {
    let order = entries.indices.sorted { (entries[$1].lengthMs, $0) < (entries[$0].lengthMs, $1) }
    return order.prefix(count).sorted().map { entries[$0] }
  }

  /// `1638 times, 6 h 12 min in all`; nil for a single finding.
  var words: String? {
    guard entries.count > 1 else { return nil }
    let all = entries.reduce(0) { $0 + $1.lengthMs }
    return "\(entries.count) times" + (all > 0 ? ", \(Measure.duration(all)) in all" : "")
  }

  private struct Kind: Hashable {
    let name: String
    let end: String?
    let severity: Severity

    init(_ entry: AccountFinding) {
      (name, end, severity) = (entry.finding.name, entry.end, entry.finding.severity)
    }
  }
}

extension AccountFinding {
  /// Duration in ms; 0 if unknown.
  fileprivate var lengthMs: Double {
    guard let from = finding.startMs, let until = finding.endMs else { return 0 }
    return max(0, until - from)
  }
}
