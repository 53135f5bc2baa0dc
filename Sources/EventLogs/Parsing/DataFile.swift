import Bytes
import CallModel
import LogText

/// An error in a file of the dialects folder, with its location.
public struct DialectError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name of the file in the dialects folder.
  public var file: String
  /// The 1-based line number, if known.
  public var line: Int?
  /// What is wrong and what was found instead, in words.
  public var reason: String

  public var description: String {
    "\(file)\(line.map { ":\($0)" } ?? ""): \(reason)"
  }
}

/// A small JSON data file as a tree whose nodes know their lines, so that an error message can name the line.
struct DataNode {
  enum Value {
    case text(String)
    case number(Double)
    case list([DataNode])
    case map([(name: String, node: DataNode)])
    case other
  }

  var value: Value
  var line: Int

  /// The text, or nil if the node is something else.
  var text: String? { if case .text(let text) = value { text } else { nil } }
  /// The number, or nil if the node is something else.
  // Inlined into a loop over nodes, it makes the optimizer of Swift 6.3.1 stop ("found outside of lifetime use").
  @inline(never)
  var number: Double? { if case .number(let number) = value { number } else { nil } }
  /// The elements of a list; a single text counts as a list of one.
  var list: [DataNode]? {
    switch value {
    case .list(let nodes): nodes
    case .text: [self]
    default: nil
    }
  }
  /// The members in order, or nil if the node is something else.
  var map: [(name: String, node: DataNode)]? { if case .map(let members) = value { members } else { nil } }

  /// The member with the given name.
  subscript(_ name: String) -> DataNode? { map?.first { $0.name == name }?.node }
}

extension DataNode {
  /// Reads a file's bytes. Throws `DialectError` with the line of the error.
  init(file: String, bytes: [UInt8]) throws {
    self = try bytes.withUnsafeBufferPointer { bytes in
      var reader = DataReader(scanner: JSONScanner(bytes))
      do {
        return try reader.whole()
      } catch let error as JSONError {
        throw DialectError(file: file, line: reader.line(of: error.byte), reason: "not JSON: \(error.reason)")
      }
    }
  }
}

extension String {
  /// The parts between separators, without empty ones. By bytes: to find the borders of characters took a tenth of the
  /// time that all dialects take.
  func parted(by separator: Unicode.Scalar) -> [String] {
    utf8.split(separator: UInt8(ascii: separator)).map { String(Substring($0)) }
  }
}

/// A reader of such a file. Its methods return the expected value, or throw an error with file and line if
/// something else is found.
protocol DataFileReader {
  /// The name of the file in the dialects folder.
  var file: String { get }
}

extension DataFileReader {
  func map(_ node: DataNode) throws -> [(name: String, node: DataNode)] {
    try node.map ?? { throw wrong(node, "an object expected") }()
  }

  func list(_ node: DataNode) throws -> [DataNode] {
    try node.list ?? { throw wrong(node, "a list expected") }()
  }

  func text(_ node: DataNode) throws -> String {
    try node.text ?? { throw wrong(node, "a text expected") }()
  }

  func texts(_ node: DataNode) throws -> [String] {
    try node.list.map { try $0.map(text) } ?? { throw wrong(node, "a text or a list of texts expected") }()
  }

  /// Canonical events.
  func events(_ node: DataNode) throws -> [EventName] {
    try texts(node).map { name in
      try EventName(rawValue: name) ?? { throw wrong(node, "\"\(name)\" is no canonical event") }()
    }
  }

  /// Paths, and the kind of identity at each.
  func identities(_ node: DataNode) throws -> [(path: String, kind: IdentityKind)] {
    try map(node).map { name, node in
      guard let kind = IdentityKind(rawValue: try text(node)) else {
        throw wrong(node, "no such kind of identity")
      }
      return (name, kind)
    }
  }

  func wrong(_ node: DataNode, _ reason: String) -> DialectError {
    DialectError(file: file, line: node.line, reason: reason)
  }
}

/// Reads the tree and counts lines.
private struct DataReader {
  var scanner: JSONScanner
  private var line = 1
  private var counted = 0

  init(scanner: JSONScanner) { self.scanner = scanner }

  mutating func whole() throws(JSONError) -> DataNode {
    let node = try read(depth: 0)
    try scanner.finish()
    return node
  }

  /// The line of a byte, which must not precede the last one asked for.
  mutating func line(of byte: Int) -> Int {
    while counted < min(byte, scanner.bytes.count) {
      if scanner.bytes[counted] == UInt8(ascii: "\n") { line += 1 }
      counted += 1
    }
    return line
  }

  private mutating func read(depth: Int) throws(JSONError) -> DataNode {
    guard depth < 12 else { throw JSONError(byte: scanner.position, reason: "nested too deep") }
    let kind = try scanner.peek()
    let line = line(of: scanner.position)
    switch kind {
    case .string: return DataNode(value: .text(try scanner.string().string), line: line)
    case .array:
      var nodes: [DataNode] = []
      try scanner.beginArray()
      while try scanner.nextElement() { nodes.append(try read(depth: depth + 1)) }
      return DataNode(value: .list(nodes), line: line)
    case .object:
      var members: [(name: String, node: DataNode)] = []
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        let name = key.string
        members.append((name, try read(depth: depth + 1)))
      }
      return DataNode(value: .map(members), line: line)
    case .number: return DataNode(value: .number(try scanner.number()), line: line)
    default:
      try scanner.skip()
      return DataNode(value: .other, line: line)
    }
  }
}

/// The meanings of end and failure codes for all SDKs, from the data file `codes.json`.
struct CodeTable: Sendable {
  /// The meaning of a code.
  struct Meaning: Sendable, Equatable {
    var words: String
    var outcome: Outcome?
    /// Which end ended the call: `local` or `remote`.
    var by: String?
    /// What the code says about who answered: `elsewhere` for another device, `false` for nobody.
    var answered: String?
    /// Why the call was not established, or why it broke off.
    var cause: Verdict.Reason?
  }

  private var tables: [String: [String: Meaning]] = [:]
  /// Codes that are sentences, identified by a part of them (`*kicked*`), in the order of the file.
  private var parts: [String: [(part: String, meaning: Meaning)]] = [:]
  /// The minimum and maximum length of a text that is searched for such a part, in bytes.
  private static let sentences = 4...200

  /// Creates an empty table.
  init() {}

  /// Reads the file. Throws `DialectError`.
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
        let meaning = try Meaning(node, in: file)
        for spelling in code.parted(by: "|") {
          if spelling.hasPrefix("*"), spelling.hasSuffix("*") {
            self.parts[name, default: []].append((LogName.normal(spelling), meaning))
            continue
          }
          tables[name, default: [:]][LogName.normal(spelling)] = meaning
        }
      }
    }
  }

  /// The meaning of a code for an SDK: from its own table first, then from SIP's, as many SDKs pass SIP codes
  /// through. In an established call, the table for established calls comes before each of them.
  func meaning(_ code: String, sdk: String?, isActive: Bool = false) -> Meaning? {
    let key = LogName.normal(code)
    if isActive, let sdk, let meaning = tables["\(sdk), standing"]?[key] { return meaning }
    if let meaning = sdk.flatMap({ tables[$0]?[key] }) { return meaning }
    if isActive, let meaning = tables["sip, standing"]?[key] { return meaning }
    return tables["sip"]?[key] ?? sentence(code, key, sdk)
  }

  /// The meaning of what is known to be a code: its own, else that of SIP's class of final responses (RFC 3261
  /// 21), `4xx` for 416.
  func explanation(_ code: String, sdk: String?, isActive: Bool) -> Meaning? {
    if let meaning = meaning(code, sdk: sdk, isActive: isActive) { return meaning }
    guard code.utf8.count == 3, let number = Int(code), (400..<700).contains(number) else { return nil }
    return tables["sip"]?["\(number / 100)xx"]
  }

  // Matches the message of a server, which also serves as its explanation.
  private func sentence(_ code: String, _ key: String, _ sdk: String?) -> Meaning? {
    guard let sdk, let parts = parts[sdk], Self.sentences.contains(key.utf8.count), code.contains(" ") else {
      return nil
    }
    var meaning = parts.first { key.contains($0.part) }?.meaning
    if meaning?.words.isEmpty == true { meaning?.words = code }
    return meaning
  }
}

extension CodeTable.Meaning {
  /// Members of a code in the order in which an array gives them.
  private static let members = ["words", "outcome", "by", "answered", "cause"]

  /// Reads an array (`["the far end hung up", "completed", "remote"]`), or an object with named members.
  fileprivate init(_ node: DataNode, in file: String) throws {
    func error(_ reason: String) -> DialectError { DialectError(file: file, line: node.line, reason: reason) }
    var texts: [String: String] = [:]
    if let list = node.list {
      guard list.count <= Self.members.count else { throw error("a code has too many members") }
      for (name, value) in zip(Self.members, list.map(\.text)) { texts[name] = value }
    } else {
      for (name, value) in node.map ?? [] {
        guard Self.members.contains(name) else {
          throw error("\"\(name)\" is no member of a code; \(Self.members.joined(separator: ", ")) are")
        }
        texts[name] = value.text
      }
    }
    func member<Value: RawRepresentable>(_ name: String, _ what: String) throws -> Value?
    where Value.RawValue == String {
      guard let text = texts[name] else { return nil }
      guard let value = Value(rawValue: text) else { throw error("\"\(text)\" is no \(what)") }
      return value
    }
    guard let words = texts["words"] else { throw error("a code has words, and may have an outcome") }
    if let answered = texts["answered"], !["elsewhere", "false"].contains(answered) {
      throw error("\"\(answered)\" says nothing of an answer: `elsewhere` or `false`")
    }
    self.init(
      words: words, outcome: try member("outcome", "outcome"),
      by: texts["by"].flatMap { $0.isEmpty ? nil : $0 }, answered: texts["answered"],
      cause: try member("cause", "cause of a verdict"))
  }
}
