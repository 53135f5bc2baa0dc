import CallModel
import IO

/// The part of a form that says how rows become samples, or figures of a call: where rows are, whose they are, when,
/// and what each column means.
struct FigureLayout: Sendable {
  /// Who counted: an end heard it, a switch received it from a telephone, a tap saw it pass.
  enum Observer: String, Sendable, CaseIterable {
    case end, `switch`, tap
  }

  /// The figures of one way and medium in a row.
  struct Stream: Sendable {
    var direction = Choice<StreamDirection>()
    var medium = Choice<MediaKind>()
    var conditions: [Condition] = []
    var end: FigureText?
    var figures: [FigureSource] = []
    var arguments: [(name: String, path: FigurePath)] = []
  }

  /// A value that is constant, or that words in a column tell.
  struct Choice<Value: Sendable>: Sendable {
    var constant: Value?
    var path: FigurePath?
    var words: [String: Value] = [:]
  }

  struct Condition: Sendable {
    var path: FigurePath
    /// The allowed values, in lower case. The empty one allows anything, `>0` any positive number.
    var values: [String]

    func holds(in row: some FigureRow) -> Bool {
      let text = row.text(path)?.lowercased()
      return values.contains { value in
        switch value {
        case "": row.has(path)
        case ">0": (text.flatMap { Double($0) } ?? 0) > 0
        default: text == value
        }
      }
    }
  }

  var separator: UInt8?
  var notation = FigureNotation()
  /// The names of the columns of a table without a heading.
  var columns: [String] = []
  /// How many rows below the heading are no data.
  var skipped = 0
  /// Where rows are in a document; empty if a document is a row.
  var rows: [RowPath] = []
  /// Whether the lists of a row lie side by side: the n-th elements are the n-th interval's.
  var isSeries = false
  var has: [(path: FigurePath, beginning: String)] = []
  var call: FigureText?
  var end: FigureText?
  /// The id of the leg, by which files that speak of one end are joined.
  var leg: FigureText?
  var zone: Zone?
  /// The time of an interval or a moment.
  var time: FigureTime?
  /// When the call of a row began and ended, if a row is a call.
  var start: FigureTime?
  var until: FigureTime?
  /// Length of a row's interval.
  var everyMs: Double?
  var every: FigureSource?
  /// Of a row that is a call: how long it was talked, and when that ended or was reported.
  var talk: FigureSource?
  var observer = Observer.end
  var streams: [Stream] = []
  /// The columns of a name and a value, if a row is one figure.
  var long: (name: FigurePath, value: FigurePath)?

  /// Whether a row is of this form.
  func matches(_ row: some FigureRow) -> Bool {
    has.allSatisfy { path, beginning in
      beginning.isEmpty
        ? (row as? TreeRow)?.isNear(path) ?? row.has(path) : row.text(path)?.hasPrefix(beginning) == true
    }
  }

  /// All columns that the form names, for the choice between forms.
  var separators: [UInt8] {
    separator.map { [$0] } ?? [UInt8(ascii: ","), UInt8(ascii: ";"), 9, UInt8(ascii: "|")]
  }
}

/// A text of a row: a constant, or the first of the alternatives that is there.
struct FigureText: Sendable {
  var constant: String?
  /// Each of one path, or of several whose texts are joined.
  var alternatives: [[FigurePath]] = []

  /// The text; nil if a part of it is missing.
  func text(of row: some FigureRow, _ notation: FigureNotation) -> String? {
    if let constant { return constant }
    for paths in alternatives {
      let texts = paths.compactMap { path in row.text(path).flatMap { notation.isMissing($0) ? nil : $0 } }
      if texts.count == paths.count { return texts.joined(separator: "-") }
    }
    return nil
  }
}

extension FigureLayout.Choice {
  /// The value for a row; nil if its word is none of those known.
  func value(of row: some FigureRow, _ known: (String) -> Value?) -> Value? {
    if let constant { return constant }
    guard let word = path.flatMap(row.text)?.lowercased() else { return nil }
    return words[word] ?? known(word)
  }
}

/// Reads the members of a layout.
struct FigureLayoutFile: DataFileReader {
  let file: String

  /// Takes a member of a form into the layout; returns false if it is none of a layout.
  func read(_ name: String, _ node: DataNode, into layout: inout FigureLayout) throws -> Bool {
    switch name {
    case "table": try table(node, into: &layout)
    case "rows": layout.rows = try texts(node).map { RowPath($0) }
    case "series": layout.isSeries = true
    case "end": layout.end = try figureText(node)
    case "at": layout.time = try time(node)
    case "start": layout.start = try time(node)
    case "until": layout.until = try time(node)
    case "zone":
      guard let zone = Zone(named: try text(node)) else { throw wrong(node, "no such time zone") }
      layout.zone = zone
    case "every": (layout.everyMs, layout.every) = try every(node)
    case "talk":
      var talk = try source("duration_s", node, below: nil)
      talk.unit = talk.unit ?? .seconds
      layout.talk = talk
    case "missing": layout.notation.missing = Set(try words(node).map { $0.lowercased() })
    case "seen_by":
      guard let observer = FigureLayout.Observer(rawValue: try text(node)) else {
        throw wrong(node, "\"seen_by\" is end, switch or tap")
      }
      layout.observer = observer
    case "streams": layout.streams = try list(node).map(stream)
    case "long":
      guard let name = node["name"], let value = node["value"] else {
        throw wrong(node, "\"long\" has \"name\" and \"value\", the columns of a figure's name and value")
      }
      layout.long = (FigurePath(try text(name)), FigurePath(try text(value)))
    default: return false
    }
    return true
  }

  /// A text: a path, several joined, `{"is"}` or `{"any"}`.
  func figureText(_ node: DataNode) throws -> FigureText {
    var found = FigureText()
    if let constant = node["is"] {
      found.constant = try text(constant)
    } else if let any = node["any"] {
      found.alternatives = try list(any).map { try texts($0).map { FigurePath($0) } }
    } else {
      found.alternatives = [try texts(node["of"] ?? node).map { FigurePath($0) }]
    }
    return found
  }

  func conditions(_ node: DataNode) throws -> [FigureLayout.Condition] {
    try map(node).map { name, node in
      FigureLayout.Condition(path: FigurePath(name), values: try texts(node).map { $0.lowercased() })
    }
  }

  private func words(_ node: DataNode) throws -> [String] {
    if case .list(let nodes) = node.value { return try nodes.flatMap(words) }
    if let number = node.number { return [SummaryArguments.text(number)] }
    return [try text(node)]
  }

  private func table(_ node: DataNode, into layout: inout FigureLayout) throws {
    for (name, member) in try map(node) {
      switch name {
      case "separator": layout.separator = try separator(member)
      case "decimal": layout.notation.hasDecimalComma = try text(member) == ","
      case "header": break
      case "skip": layout.skipped = count(member)
      case "columns": layout.columns = try texts(member)
      default:
        throw wrong(
          member, "\"\(name)\" is no member of a table; separator, decimal, header, skip, columns are")
      }
    }
  }

  private func separator(_ node: DataNode) throws -> UInt8 {
    let bytes = Array(try text(node).utf8)
    guard bytes.count == 1 else { throw wrong(node, "a separator is one character") }
    return bytes[0]
  }

  private func count(_ node: DataNode) -> Int {
    guard let number = node.number, let count = Int(exactly: number) else { return 0 }
    return max(0, min(count, 100))
  }

  private func time(_ node: DataNode) throws -> FigureTime {
    var time = FigureTime()
    guard let members = node.map else {
      time.paths = try figureText(node).alternatives
      return time
    }
    for (name, node) in members {
      switch name {
      case "of": time.paths = try figureText(node).alternatives
      case "any": time.paths = try list(node).map { try texts($0).map { FigurePath($0) } }
      case "unit": time.unit = try unit(node)
      case "form":
        guard let pattern = DatePattern(try text(node)) else {
          throw wrong(node, "a form of times has yyyy, MM and dd, as in \"dd.MM.yyyy HH:mm:ss\"")
        }
        time.pattern = pattern
      case "marks":
        guard let mark = FigureTime.Mark(rawValue: try text(node)) else {
          throw wrong(node, "\"marks\" is start, end or instant")
        }
        time.marks = mark
      case "since": time.since = try texts(node).map { FigurePath($0) }
      default: throw wrong(node, "\"\(name)\" is no member of a time; of, unit, form, marks, since are")
      }
    }
    return time
  }

  private func every(_ node: DataNode) throws -> (Double?, FigureSource?) {
    if node["of"] != nil { return (nil, try source("jitter_max_ms", node, below: nil)) }
    for (name, value) in try map(node) {
      if let number = value.number, number > 0, let unit = FigureUnit(rawValue: name) {
        return (unit.converted(number), nil)
      }
    }
    throw wrong(node, "\"every\" is a length ({\"s\": 60}) or where it is ({\"of\", \"unit\"})")
  }

  private func unit(_ node: DataNode) throws -> FigureUnit {
    guard let unit = FigureUnit(rawValue: try text(node)) else {
      throw wrong(node, "no such unit; \(FigureUnit.allCases.map(\.rawValue).joined(separator: ", ")) are")
    }
    return unit
  }

  private func stream(_ node: DataNode) throws -> FigureLayout.Stream {
    var stream = FigureLayout.Stream()
    let place = try node["in"].map { FigurePath(try text($0)) }
    for (name, node) in try map(node) {
      switch name {
      case "of": stream.direction = try choice(node, "of") { Self.directions[$0] }
      case "in": break
      case "medium": stream.medium = try choice(node, "words") { MediaKind(rawValue: $0) }
      case "when": stream.conditions = try conditions(node)
      case "end": stream.end = try figureText(node)
      case "figures": stream.figures = try map(node).map { try source($0.name, $0.node, below: place) }
      case "args":
        stream.arguments = try map(node).map { ($0.name, FigurePath(try text($0.node)).below(place)) }
      default:
        throw wrong(
          node, "\"\(name)\" is no member of a stream; of, in, medium, when, end, figures, args are")
      }
    }
    guard !stream.figures.isEmpty else { throw wrong(node, "a stream has \"figures\"") }
    return stream
  }

  private static let directions: [String: StreamDirection] = ["received": .inbound, "sent": .outbound]

  /// A constant, or `{"of": path, "received": [words] …}`, or `{"of": path, "words": {word: value}}`.
  private func choice<Value>(_ node: DataNode, _ what: String, _ value: (String) -> Value?) throws
    -> FigureLayout.Choice<Value>
  {
    var choice = FigureLayout.Choice<Value>()
    if let text = node.text {
      guard let constant = value(text) else { throw wrong(node, "\"\(text)\" is not known here") }
      choice.constant = constant
      return choice
    }
    for (name, node) in try map(node) {
      if name == "of" {
        choice.path = FigurePath(try text(node))
      } else if name == "words" {
        for (word, node) in try map(node) { choice.words[word.lowercased()] = value(try text(node)) }
      } else if let known = value(name) {
        for word in try texts(node) { choice.words[word.lowercased()] = known }
      } else {
        throw wrong(node, "\"\(name)\" is not known here")
      }
    }
    return choice
  }

  private func source(_ name: String, _ node: DataNode, below place: FigurePath?) throws -> FigureSource {
    guard let figure = SummaryFigure(name) else {
      let names = SummaryFigure.names.joined(separator: ", ")
      throw wrong(node, "\"\(name)\" is no figure; \(names) are")
    }
    var source = FigureSource(figure: figure, paths: [])
    guard let members = node.map else {
      source.paths = try texts(node).map { FigurePath($0).below(place) }
      return source
    }
    for (name, node) in members {
      switch name {
      case "of": source.paths = try texts(node).map { FigurePath($0).below(place) }
      case "unit":
        let unit = try unit(node)
        guard unit.fits(figure.name) else {
          throw wrong(node, "\(unit.rawValue) is no unit of \(figure.name)")
        }
        source.unit = unit
      case "counts":
        guard let counts = FigureSource.Counts(rawValue: try text(node)) else {
          throw wrong(node, "\"counts\" is interval or call")
        }
        source.counts = counts
      case "part": source.part = try text(node)
      case "clock_hz": source.clockHz = node.number.map { max(1, $0) } ?? 8000
      default: throw wrong(node, "\"\(name)\" is no member of a figure; of, unit, counts, part, clock_hz are")
      }
    }
    guard !source.paths.isEmpty else { throw wrong(node, "a figure has \"of\", where it is found") }
    return source
  }
}
