import CallModel

/// The form of one service's call summaries: which member has which meaning. It is read from a file
/// `NAME.summary.json` next to the dialects.
struct SummaryForm: Sendable {
  /// An event of the call, reported if its conditions hold.
  struct Step: Sendable {
    var events: [String] = []
    var when: [Condition] = []
    var unless: [Condition] = []
    /// The members that may hold its time; the first that is a time counts. The seconds in `lessSeconds` are
    /// subtracted.
    var times: [String] = []
    var lessSeconds: String?
    /// The members that hold the code of an end, and who hung up: `caller` or `callee`.
    var code: String?
    var hungUp: String?
    var arguments: [(name: String, path: String)] = []
    var constants: [(name: String, value: String)] = []
  }

  struct Condition: Sendable {
    var path: String
    /// The allowed values, ignoring case. The empty string allows anything, `>0` any positive number.
    var values: [String]
  }

  /// An end that reports on the media, with what it received and sent.
  struct End: Sendable {
    var name: String?
    /// The object that describes this end; nil if the whole summary is about one end.
    var place: String?
    var received: String?
    var sent: String?
    var identities: [(path: String, kind: IdentityKind)] = []
    var userAgent: String?
    var arguments: [(name: String, path: String)] = []

    /// A path of this end, relative to the summary.
    func whole(_ path: String) -> String { place.map { $0 + "." + path } ?? path }
  }

  var by = ""
  /// Members that hold summaries, such as a page of a list or an event around a summary.
  var within: Set<String> = []
  /// What identifies a summary: a path, and how the text there begins.
  var has: [(path: String, beginning: String)] = []
  /// Member names, as bytes of JSON, at least one of which is in every file.
  var marks: [String] = []
  var call: String?
  var leg: String?
  var caller: String?
  var callee: String?
  var identities: [(path: String, kind: IdentityKind)] = []
  var direction: (path: String, incoming: Set<String>, outgoing: Set<String>)?
  var raw: String?
  var steps: [Step] = []
  var ends: [End] = []
  var reported: [String] = []
  var figures: [(figure: SummaryFigure, paths: [String])] = []

  /// Whether a summary is from this service.
  func matches(_ tree: SummaryTree) -> Bool {
    has.allSatisfy { path, beginning in tree.text(path)?.hasPrefix(beginning) == true }
  }

  /// The direction of a call, if its summary gives it.
  func direction(of tree: SummaryTree) -> CallDirection? {
    guard let direction, let word = tree.text(direction.path)?.lowercased() else { return nil }
    return direction.incoming.contains(word)
      ? .incoming : direction.outgoing.contains(word) ? .outgoing : nil
  }
}

extension SummaryForm.Condition {
  func holds(in tree: SummaryTree) -> Bool {
    values.contains { value in
      switch value {
      case "": tree.text(path) != nil
      case ">0": (tree.number(path) ?? 0) > 0
      default: tree.text(path)?.lowercased() == value
      }
    }
  }
}

/// A quality figure, under the name that events use for it, with its valid range.
struct SummaryFigure: Sendable {
  let name: String
  /// Nil for the name of a codec.
  let range: ClosedRange<Double>?

  private static let ranges: [String: ClosedRange<Double>] = [
    "packets": 0...1e10, "bytes": 0...1e13, "lost": 0...1e10, "loss_percent": 0...100,
    "discarded_percent": 0...100, "duration_s": 0...1e7, "jitter_ms": 0...65_535, "jitter_max_ms": 0...65_535,
    "mean_jitter_ms": 0...65_535, "rtt_ms": 0...65_535, "rtt_max_ms": 0...65_535,
    "one_way_delay_ms": 0...65_535, "jitter_buffer_ms": 0...65_535, "jitter_buffer_max_ms": 0...65_535,
    "mos_listening": 1...5, "mos_conversational": 1...5, "mos_min": 1...5, "r_listening": 0...120,
    "r_conversational": 0...120,
  ]

  /// The names that a file may use.
  static var names: [String] { ["codec"] + ranges.keys.sorted() }

  init?(_ name: String) {
    guard name == "codec" || Self.ranges[name] != nil else { return nil }
    (self.name, range) = (name, Self.ranges[name])
  }

  /// The valid range of the figure with a name.
  static func range(of name: String) -> ClosedRange<Double>? { ranges[name] }
}
