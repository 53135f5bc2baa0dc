import Bytes

/// What is wrong with a file of the dialects folder, and where.
public struct DialectError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Name of the file in the dialects folder.
  public var file: String
  /// 1-based line, where known.
  public var line: Int?
  /// What is wrong and what stands there instead, for people.
  public var reason: String

  public var description: String {
    "\(file)\(line.map { ":\($0)" } ?? ""): \(reason)"
  }
}

/// A small JSON file of ours as a tree that knows its lines, so that a mistake can be shown where it is.
struct DataNode {
  enum Value {
    case text(String)
    case list([DataNode])
    case map([(name: String, node: DataNode)])
    case other
  }

  var value: Value
  var line: Int

  /// The text, or nil.
  var text: String? { if case .text(let text) = value { text } else { nil } }
  /// The elements of a list; a single text counts as a list of one.
  var list: [DataNode]? {
    switch value {
    case .list(let nodes): nodes
    case .text: [self]
    default: nil
    }
  }
  /// The members, in order.
  var map: [(name: String, node: DataNode)]? { if case .map(let members) = value { members } else { nil } }

  /// The member of a name.
  subscript(_ name: String) -> DataNode? { map?.first { $0.name == name }?.node }
}

extension DataNode {
  /// Reads a file's bytes; throws `DialectError` with the line of the mistake.
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

/// Reads the tree, counting lines as it goes.
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

  /// The line of a byte at or after the last one asked for.
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
    default:
      try scanner.skip()
      return DataNode(value: .other, line: line)
    }
  }
}
