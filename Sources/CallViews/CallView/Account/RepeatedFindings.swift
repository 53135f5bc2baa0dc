import CallModel
import Rendering

/// A finding of an end, or many with its code at that end: a long call has some thousand times the same.
struct RepeatedFindings {
  /// In order of time.
  private(set) var entries: [AccountFinding]
  /// So many of a kind each stand by themselves.
  static let mostAlone = 8

  /// The findings of a call in their order, those that are more than eight of a kind together, where the first of them is.
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
      if counts[kind, default: 0] > mostAlone { places[kind] = groups.count }
      groups.append(RepeatedFindings(entries: [entry]))
    }
    return groups
  }

  /// The one that stands for all: the longest.
  var example: AccountFinding { longest(1)[0] }

  /// The longest ones in order of time; of those that last no time, the first.
  func longest(_ count: Int) -> [AccountFinding] {
    let order = entries.indices.sorted { (entries[$1].lengthMs, $0) < (entries[$0].lengthMs, $1) }
    return order.prefix(count).sorted().map { entries[$0] }
  }

  /// `1638 times, 6 h 12 min in all`; nil for one.
  var words: String? {
    guard entries.count > 1 else { return nil }
    let all = entries.reduce(0) { $0 + $1.lengthMs }
    return "\(entries.count) times" + (all > 0 ? ", \(Measure.duration(all)) in all" : "")
  }

  private struct Kind: Hashable {
    let code: String
    let end: String?
    let severity: Severity

    init(_ entry: AccountFinding) {
      (code, end, severity) = (entry.finding.code, entry.end, entry.finding.severity)
    }
  }
}

extension AccountFinding {
  /// How long it lasted; 0 where that is not known.
  fileprivate var lengthMs: Double {
    guard let from = finding.startMs, let until = finding.endMs else { return 0 }
    return max(0, until - from)
  }
}
