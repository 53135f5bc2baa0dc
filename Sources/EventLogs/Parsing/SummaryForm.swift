import CallModel

/// The form of one service's call summaries, or of a table of figures: which member has which meaning. It is read from a
/// file `NAME.summary.json` or `NAME.figures.json` next to the dialects.
struct SummaryForm: Sendable {
  /// An event of the call, reported if its conditions hold.
  struct Step: Sendable {
    var events: [EventName] = []
    var when: [Condition] = []
    var unless: [Condition] = []
    /// The members that may hold its time; the first that is a time counts. The seconds in `lessSeconds` are
    /// subtracted.
    var times: [String] = []
    var lessSeconds: String?
    var plusSeconds: String?
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
    /// Who is at it, and the id of its leg.
    var person: FigureText?
    var leg: FigureText?

    /// A path of this end, relative to the summary.
    func whole(_ path: String) -> String { place.map { $0 + "." + path } ?? path }
  }

  var by = ""
  /// Members that hold summaries, such as a page of a list or an event around a summary.
  var within: Set<String> = []
  /// What identifies a summary: a path, and how the text there begins.
  var has: [(path: String, beginning: String)] = []
  /// Members that are in every file, each in the spellings that it may have.
  var marks: [[String]] = []
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
  /// What the form is of, for users.
  var title: String?
  /// How rows of figures are read; nil for a summary of a whole call.
  var layout: FigureLayout?

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
  func holds(in tree: some SummaryValues) -> Bool {
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
    "r_conversational": 0...120, "mos": 1...5, "loss_max_percent": 0...100, "concealed_percent": 0...100,
    "bitrate_bps": 0...1e11, "frame_rate": 0...1000, "width": 1...65_535, "height": 1...65_535,
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

/// Reads the form of a service's call summaries, and reports errors with file and line.
struct SummaryFormFile: DataFileReader {
  /// The ending of such a file's name.
  static let ending = ".summary.json"
  /// The ending of the name of a file for tables and rows of figures.
  static let endingOfRows = ".figures.json"

  let file: String

  func read(_ bytes: [UInt8]) throws -> SummaryForm {
    let root = try DataNode(file: file, bytes: bytes)
    guard root.map != nil else { throw wrong(root, "the form of a summary is one JSON object") }
    var form = SummaryForm()
    let isOfRows = file.hasSuffix(Self.endingOfRows)
    var layout = FigureLayout()
    let rows = FigureLayoutFile(file: file)
    for (name, node) in try map(root) {
      if isOfRows, try rows.read(name, node, into: &layout) { continue }
      switch name {
      case "title": form.title = try text(node)
      case "about": break
      case "by": form.by = try text(node)
      case "within": form.within = Set(try texts(node).map { SummaryTree.normal($0) })
      case "has":
        layout.has = try map(node).map { (FigurePath($0.name), try text($0.node)) }
        form.has = try map(node).map { (SummaryTree.normal($0.name), try text($0.node)) }
        form.marks = try map(node).flatMap { marks($0.name) }
      case "call" where isOfRows: layout.call = try rows.figureText(node)
      case "leg" where isOfRows: layout.leg = try rows.figureText(node)
      case "call": form.call = try path(node)
      case "leg": form.leg = try path(node)
      case "caller": form.caller = try path(node)
      case "callee": form.callee = try path(node)
      case "identities": form.identities = try identityPaths(node)
      case "direction": form.direction = try direction(node)
      case "raw": form.raw = try path(node)
      case "steps": form.steps = try list(node).map(step)
      case "ends": form.ends = try list(node).map(end)
      case "reported": form.reported = try paths(node)
      case "figures": form.figures = try map(node).map(figure)
      default: throw wrong(node, "\"\(name)\" is no member of a summary's form")
      }
    }
    if isOfRows {
      guard !form.by.isEmpty, !form.has.isEmpty, !layout.streams.isEmpty || !form.steps.isEmpty else {
        throw wrong(
          root,
          "\"by\", \"has\" and \"streams\" are needed: whose figures, how to recognise them, and which they are"
        )
      }
      form.layout = layout
      return form
    }
    guard !form.by.isEmpty, form.call != nil, !form.has.isEmpty else {
      throw wrong(
        root,
        "\"by\", \"has\" and \"call\" are needed: the service, how to recognise its summaries, the id of the call"
      )
    }
    return form
  }

  private func step(_ node: DataNode) throws -> SummaryForm.Step {
    var step = SummaryForm.Step()
    for (name, node) in try map(node) {
      switch name {
      case "event": step.events = try events(node)
      case "when": step.when = try conditions(node)
      case "unless": step.unless = try conditions(node)
      case "at": step.times = try paths(node)
      case "lessSeconds": step.lessSeconds = try path(node)
      case "plusSeconds": step.plusSeconds = try path(node)
      case "code": step.code = try path(node)
      case "hungUp": step.hungUp = try path(node)
      case "args": step.arguments = try arguments(node)
      case "set": step.constants = try map(node).map { ($0.name, try text($0.node)) }
      default:
        throw wrong(
          node,
          "\"\(name)\" is no member of a step; event, when, unless, at, lessSeconds, plusSeconds, code, hungUp, args, set are"
        )
      }
    }
    return step
  }

  private func end(_ node: DataNode) throws -> SummaryForm.End {
    var end = SummaryForm.End()
    for (name, node) in try map(node) {
      switch name {
      case "name": end.name = try text(node)
      case "in": end.place = try path(node)
      case "received": end.received = try path(node)
      case "sent": end.sent = try path(node)
      case "identities": end.identities = try identityPaths(node)
      case "userAgent": end.userAgent = try path(node)
      case "args": end.arguments = try arguments(node)
      case "person": end.person = try FigureLayoutFile(file: file).figureText(node)
      case "leg": end.leg = try FigureLayoutFile(file: file).figureText(node)
      default:
        throw wrong(
          node,
          "\"\(name)\" is no member of an end; name, in, received, sent, identities, userAgent, args, person, leg are"
        )
      }
    }
    return end
  }

  private func figure(_ member: (name: String, node: DataNode)) throws -> (SummaryFigure, [String]) {
    guard let figure = SummaryFigure(member.name) else {
      let names = SummaryFigure.names.joined(separator: ", ")
      throw wrong(member.node, "\"\(member.name)\" is no figure; \(names) are")
    }
    return (figure, try paths(member.node))
  }

  private func direction(_ node: DataNode) throws -> (String, Set<String>, Set<String>) {
    guard let of = node["of"] else { throw wrong(node, "a direction has \"of\", where it is found") }
    func words(_ name: String) throws -> Set<String> {
      Set(try node[name].map(texts) ?? []).reduce(into: []) { $0.insert($1.lowercased()) }
    }
    return (try path(of), try words("incoming"), try words("outgoing"))
  }

  private func conditions(_ node: DataNode) throws -> [SummaryForm.Condition] {
    try map(node).map { name, node in
      SummaryForm.Condition(
        path: SummaryTree.normal(name), values: try texts(node).map { $0.lowercased() })
    }
  }

  private func identityPaths(_ node: DataNode) throws -> [(path: String, kind: IdentityKind)] {
    try identities(node).map { (SummaryTree.normal($0.path), $0.kind) }
  }

  private func arguments(_ node: DataNode) throws -> [(name: String, path: String)] {
    try map(node).map { ($0.name, try path($0.node)) }
  }

  /// The members of a path, each as it may be written in a file: `call_sid`, `callSid`.
  private func marks(_ path: String) -> [[String]] {
    path.split(whereSeparator: { ".^/[]".contains($0) }).filter { $0.count > 1 && Int($0) == nil }.map {
      member in
      let words = member.split(separator: "_")
      let joined = words.dropFirst().reduce(String(words.first ?? "")) {
        $0 + $1.prefix(1).uppercased() + $1.dropFirst()
      }
      return [String(member), joined].filter { $0.utf8.count > 1 }
    }
  }

  private func path(_ node: DataNode) throws -> String { SummaryTree.normal(try text(node)) }

  private func paths(_ node: DataNode) throws -> [String] { try texts(node).map { SummaryTree.normal($0) } }
}
