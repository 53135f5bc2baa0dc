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
      var scanner = JSONScanner(bytes)
      do {
        let node = try Self.read(&scanner, depth: 0)
        try scanner.finish()
        return node
      } catch let error as JSONError {
        throw DialectError(
          file: file, line: Self.line(of: error.byte, in: bytes), reason: "not JSON: \(error.reason)")
      }
    }
  }

  private static func read(_ scanner: inout JSONScanner, depth: Int) throws -> DataNode {
    guard depth < 12 else { throw JSONError(byte: scanner.position, reason: "nested too deep") }
    let kind = try scanner.peek()
    let line = line(of: scanner.position, in: scanner.bytes)
    switch kind {
    case .string: return DataNode(value: .text(try scanner.string().string), line: line)
    case .array:
      var nodes: [DataNode] = []
      try scanner.beginArray()
      while try scanner.nextElement() { nodes.append(try read(&scanner, depth: depth + 1)) }
      return DataNode(value: .list(nodes), line: line)
    case .object:
      var members: [(name: String, node: DataNode)] = []
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        members.append((key.string, try read(&scanner, depth: depth + 1)))
      }
      return DataNode(value: .map(members), line: line)
    default:
      try scanner.skip()
      return DataNode(value: .other, line: line)
    }
  }

  private static func line(of byte: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    bytes.prefix(byte).reduce(1) { $1 == 0x0A ? $0 + 1 : $0 }
  }
}
