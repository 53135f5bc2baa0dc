import CallModel

/// The form of one service's call summaries: which member is what. A file `NAME.summary.json` beside the dialects.
struct SummaryForm: Sendable {
  /// Something that happened to the call, told where its conditions hold.
  struct Step: Sendable {
    var events: [String] = []
    var when: [Condition] = []
    var unless: [Condition] = []
    /// Where its time stands: the first that is one counts; so many seconds before it where a member says so.
    var times: [String] = []
    var lessSeconds: String?
    /// Where the code of an end stands, and who hung up: `caller`, `callee`.
    var code: String?
    var hungUp: String?
    var arguments: [(name: String, path: String)] = []
    var constants: [(name: String, value: String)] = []
  }

  struct Condition: Sendable {
    var path: String
    /// One of these, without case; `` is anything, `>0` any number above nought.
    var values: [String]
  }

  /// One that saw the media, with what came in there and what went out.
  struct End: Sendable {
    var name: String?
    /// The object that is all of it; nil where the summary is of one end.
    var place: String?
    var received: String?
    var sent: String?
    var identities: [(path: String, kind: IdentityKind)] = []
    var userAgent: String?
    var arguments: [(name: String, path: String)] = []

    /// A path of this end's from the summary on.
    func whole(_ path: String) -> String { place.map { $0 + "." + path } ?? path }
  }

  var by = ""
  /// Members that hold summaries: a page of a list, an event around one.
  var within: Set<String> = []
  /// What each summary has: a path, and how the text there begins.
  var has: [(path: String, beginning: String)] = []
  /// Names of members of which one stands in every file, as bytes of JSON.
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

  /// Whether a summary is this service's.
  func matches(_ tree: SummaryTree) -> Bool {
    has.allSatisfy { path, beginning in tree.text(path)?.hasPrefix(beginning) == true }
  }

  /// Which way a call went, as far as its summary says it.
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

/// A figure of quality under the name that events have it by, and what it can be at all.
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

  /// A figure by its name, for readers that know which they have.
  static func range(of name: String) -> ClosedRange<Double>? { ranges[name] }
}
