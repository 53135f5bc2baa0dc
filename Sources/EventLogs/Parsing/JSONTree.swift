import Bytes

/// A JSON value in memory, bounded in depth and size.
enum JSONTree {
  case object([(name: String, value: JSONTree)])
  case array([JSONTree])
  case leaf(SummaryTree.Value)
  case null

  /// The most values of one document, the deepest level kept, and the longest text kept, in bytes.
  static let mostValues = 1_000_000
  static let deepest = 24
  static let longestText = 4000

  /// Reads one value. Throws `JSONError`.
  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var reader = JSONTreeReader(bytes)
    self = reader.value(depth: 0)
    if let failure = reader.failure { throw failure }
    try reader.scanner.finish()
  }

  /// Reads a value that may be cut off, up to where it ends.
  static func beginning(of bytes: UnsafeBufferPointer<UInt8>) -> JSONTree {
    var reader = JSONTreeReader(bytes)
    return reader.value(depth: 0)
  }

  /// Whether bytes may begin an object or a list.
  static func mayBegin(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    let first = head.first { $0 > 0x20 && $0 < 0x80 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Whether each line is a value of its own: the first one is, or it is a cut one, which no line of a document printed over
  /// several lines looks like, and another is whole.
  static func hasLines(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    let lines = ByteSearch.lines(in: head, most: linesTried)
    guard let first = lines.first, first.upperBound < head.count,
      let end = head[first].last(where: { $0 > UInt8(ascii: " ") })
    else { return false }
    if isWhole(head[first]) { return true }
    return !"[{,:".utf8.contains(end)
      && lines.dropFirst().contains { head[$0.lowerBound] == UInt8(ascii: "{") && isWhole(head[$0]) }
  }

  /// How many lines are looked at to find out whether each is a value.
  private static let linesTried = 20

  private static func isWhole(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var scanner = JSONScanner(UnsafeBufferPointer(rebasing: line))
    return (try? scanner.skip()) != nil && (try? scanner.finish()) != nil
  }

  /// A member by its name, or in another spelling of it (`callSid`, `call_sid`); an element by its index from 0.
  subscript(_ name: String) -> JSONTree? {
    switch self {
    case .object(let members):
      if let exact = members.first(where: { $0.name == name }) { return exact.value }
      let normal = SummaryTree.normal(name)
      return members.first { SummaryTree.normal($0.name) == normal }?.value
    case .array(let elements):
      guard let index = Int(name), elements.indices.contains(index) else { return nil }
      return elements[index]
    case .leaf, .null: return nil
    }
  }

  /// A text, number or flag; of a list of texts or numbers, all in one text.
  var leaf: SummaryTree.Value? {
    switch self {
    case .leaf(let value): return value
    case .array(let elements):
      let words = elements.prefix(20).compactMap { $0.leaf?.text }
      return words.isEmpty ? nil : .text(words.joined(separator: ", "))
    case .object, .null: return nil
    }
  }

  /// Whether it is an object or a list with something in it.
  var isContainer: Bool {
    switch self {
    case .object(let members): !members.isEmpty
    case .array(let elements): !elements.isEmpty
    case .leaf, .null: false
    }
  }
}

extension SummaryTree.Value {
  /// The value as text.
  var text: String {
    switch self {
    case .text(let text): text
    case .number(let number): SummaryArguments.text(number)
    case .flag(let flag): flag ? "true" : "false"
    }
  }
}

/// Reads the tree. After an error it returns what it has.
private struct JSONTreeReader {
  var scanner: JSONScanner
  private(set) var failure: JSONError?
  private var count = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { scanner = JSONScanner(bytes) }

  // Recursion is bounded by `JSONTree.deepest`.
  mutating func value(depth: Int) -> JSONTree {
    do throws(JSONError) {
      count += 1
      guard count <= JSONTree.mostValues else {
        throw JSONError(
          byte: scanner.position, reason: "more than \(JSONTree.mostValues) values in one document")
      }
      switch try scanner.peek() {
      case .object where depth < JSONTree.deepest: return try object(depth: depth)
      case .array where depth < JSONTree.deepest: return try array(depth: depth)
      case .string:
        return .leaf(.text(String(try scanner.string().string.prefix(JSONTree.longestText))))
      case .number:
        let number = try scanner.number()
        return number.isFinite ? .leaf(.number(number)) : .null
      case .bool: return .leaf(.flag(try scanner.bool()))
      case .object, .array, .null:
        try scanner.skip()
        return .null
      }
    } catch {
      failure = error
      return .null
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONTree {
    var members: [(name: String, value: JSONTree)] = []
    try scanner.beginObject()
    while failure == nil {
      do throws(JSONError) {
        guard let key = try scanner.nextKey() else { break }
        let name = String(key.string.prefix(SummaryTree.longestText))
        members.append((name, value(depth: depth + 1)))
      } catch {
        failure = error
      }
    }
    return .object(members)
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSONTree {
    var elements: [JSONTree] = []
    try scanner.beginArray()
    while failure == nil {
      do throws(JSONError) {
        guard try scanner.nextElement() else { break }
        elements.append(value(depth: depth + 1))
      } catch {
        failure = error
      }
    }
    return .array(elements)
  }
}
