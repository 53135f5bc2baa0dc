/// One thing that a case expects of what it reads.
struct Expectation: Sendable {
  /// What is looked at, and what it has to be.
  private enum Subject: Sendable {
    case layer(Layer, Rows)
    case command([String], Rows)
    case text(Screen, Matcher)
    case status(Matcher)
    case nowhere([String])
  }

  /// Rows that `extract` has, and those that only a database has.
  enum Layer: String, CaseIterable {
    case calls, streams, windows, setup, events, findings, sources, sessions, rejects

    /// The `type` in the lines of `extract`; nil if it has none.
    var type: String? {
      switch self {
      case .sessions, .rejects: nil
      case .setup: "setup"
      default: String(rawValue.dropLast())
      }
    }

    /// The member that a row stands for where a case writes only a value.
    fileprivate var member: String? {
      switch self {
      case .calls, .sessions: "outcome"
      case .events: "event"
      case .findings: "code"
      default: nil
      }
    }
  }

  /// Texts: the first screen, its paragraph of the verdict, what was said on stderr beside it, and the page.
  enum Screen: String, CaseIterable { case show, answer, errors, page }

  /// As it is written.
  let text: String
  private let subject: Subject

  private static let modifiers: Set = ["where", "of", "order", "rows", "why"]

  init(_ value: JSONValue) throws {
    text = value.description
    guard let members = value.object else { throw CaseError("an expectation is an object, not \(value)") }
    let subjects = members.keys.filter { !Self.modifiers.contains($0) }
    guard let name = subjects.first, subjects.count == 1, let wanted = members[name] else {
      throw CaseError("an expectation has one subject, not \(subjects.sorted()): \(value)")
    }
    func only(_ allowed: String...) throws {
      if let other = members.keys.first(where: { $0 != name && $0 != "why" && !allowed.contains($0) }) {
        throw CaseError("\"\(name)\" takes no \"\(other)\": \(value)")
      }
    }
    func rows(_ wanted: JSONValue, short: String? = nil) throws -> Rows {
      if let of = members["of"], of.text == nil { throw CaseError("\"of\" is a path, not \(of)") }
      return try Rows(
        wanted, where: members["where"], of: members["of"]?.text, short: short, order: members["order"])
    }
    do {
      if let layer = Layer(rawValue: name) {
        try only("where", "of", "order")
        subject = .layer(layer, try rows(wanted, short: layer.member))
      } else if let screen = Screen(rawValue: name) {
        try only()
        subject = .text(screen, try Matcher(text: wanted))
      } else if name == "sql" || name == "command" {
        try only("rows", "where", "of", "order")
        let words = name == "sql" ? wanted.text.map { ["query", $0] } : wanted.list?.compactMap(\.text)
        guard let words, !words.isEmpty, let wantedRows = members["rows"] else {
          throw CaseError("\"sql\" is a query, \"command\" a list of words, and both have \"rows\"")
        }
        subject = .command(words, try rows(wantedRows))
      } else if name == "status" {
        try only()
        subject = .status(try Matcher(wanted))
      } else if name == "nowhere", let words = wanted.list?.compactMap(\.text), !words.isEmpty {
        try only()
        subject = .nowhere(words)
      } else {
        throw CaseError("nothing to look at is called \"\(name)\"")
      }
    } catch let error as CaseError {
      throw CaseError("\(error) in \(value)")
    }
  }

  /// What was found where it is not what is expected.
  func failure(_ reading: Reading) throws -> String? {
    switch subject {
    case .layer(let layer, let rows): return rows.failure(try reading.rows(layer))
    case .command(let words, let rows): return rows.failure(try reading.rows(words))
    case .text(let screen, let matcher):
      let found = try reading.text(screen)
      return matcher.matches(.text(found)) ? nil : found
    case .status(let matcher):
      let found = try reading.shown()
      return matcher.matches(.number(Double(found.status))) ? nil : "\(found.status): \(found.errors)"
    case .nowhere(let words):
      let places = try words.flatMap { word in try reading.places(of: word).map { "\(word) in \($0)" } }
      return places.isEmpty ? nil : places.joined(separator: ", ")
    }
  }
}
