import CallModel

/// What the codes of ends and failures mean, for all SDKs: one data file, `codes.json`.
struct CodeTable: Sendable {
  /// One code in words.
  struct Meaning: Sendable, Equatable {
    var words: String
    var outcome: Outcome?
    /// Who ended it: `local`, `remote`.
    var by: String?
  }

  private var tables: [String: [String: Meaning]] = [:]
  /// Codes that are sentences, by what stands in them (`*kicked*`), in the order of the file.
  private var parts: [String: [(part: String, meaning: Meaning)]] = [:]
  /// Shortest and longest text that is looked through for such a part.
  private static let sentences = 4...200

  /// No codes known.
  init() {}

  /// Reads the file; throws `DialectError`.
  init(file: String, bytes: [UInt8]) throws {
    let root = try DataNode(file: file, bytes: bytes)
    guard let sets = root.map else {
      throw DialectError(file: file, line: 1, reason: "one JSON object expected")
    }
    for (name, node) in sets where name != "about" {
      guard let codes = node.map else {
        throw DialectError(file: file, line: node.line, reason: "an object of codes expected")
      }
      for (code, node) in codes {
        guard let parts = node.list?.map(\.text), let words = parts.first ?? nil else {
          throw DialectError(file: file, line: node.line, reason: "a code has words, and may have an outcome")
        }
        let outcome = parts.dropFirst().first.flatMap { $0 }
        if let outcome, Outcome(rawValue: outcome) == nil {
          throw DialectError(file: file, line: node.line, reason: "\"\(outcome)\" is no outcome")
        }
        for spelling in code.split(separator: "|") {
          if spelling.hasPrefix("*"), spelling.hasSuffix("*") {
            let meaning = Meaning(
              words: words, outcome: outcome.flatMap(Outcome.init(rawValue:)),
              by: parts.dropFirst(2).first ?? nil)
            self.parts[name, default: []].append((Dialect.normal(spelling), meaning))
            continue
          }
          tables[name, default: [:]][Dialect.normal(spelling)] = Meaning(
            words: words, outcome: outcome.flatMap(Outcome.init(rawValue:)),
            by: parts.dropFirst(2).first ?? nil)
        }
      }
    }
  }

  /// The meaning of a code for an SDK: its own table first, then SIP's, which many pass through; in a call that stands before both
  /// the SDK's table for those.
  func meaning(_ code: String, sdk: String?, isStanding: Bool = false) -> Meaning? {
    let key = Dialect.normal(code)
    if isStanding, let sdk, let meaning = tables["\(sdk), standing"]?[key] { return meaning }
    return sdk.flatMap { tables[$0]?[key] } ?? tables["sip"]?[key] ?? sentence(code, key, sdk)
  }

  // What a server says in its own words, which then explain themselves.
  private func sentence(_ code: String, _ key: String, _ sdk: String?) -> Meaning? {
    guard let sdk, let parts = parts[sdk], Self.sentences.contains(key.utf8.count), code.contains(" ") else {
      return nil
    }
    var meaning = parts.first { key.contains($0.part) }?.meaning
    if meaning?.words.isEmpty == true { meaning?.words = code }
    return meaning
  }
}
