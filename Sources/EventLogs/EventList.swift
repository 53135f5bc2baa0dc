import Bytes

/// A single JSON array of events, as some loggers write it, read as if each element were on a line of its
/// own.
public enum EventList {
  /// Returns the source itself if it has lines, else a source whose lines are the elements of its array.
  public static func lines(_ source: any ByteSource) -> any ByteSource {
    let headed = source as? HeadedSource ?? HeadedSource(source, count: 4096)
    return headed.head.withUnsafeBufferPointer(isList) ? ElementLines(headed) : headed
  }

  /// Returns the first elements of such an array, one per line; nil for anything else.
  static func firstLines(of head: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    guard isList(head) else { return nil }
    var splitter = ElementSplitter()
    return Array(head.prefix(64 << 10)).compactMap { splitter.take($0) }
  }

  private static func isList(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    var marks = head.lazy.filter { $0 > UInt8(ascii: " ") && $0 < 0x80 }.makeIterator()
    return marks.next() == UInt8(ascii: "[") && marks.next() == UInt8(ascii: "{")
  }
}

/// Turns the bytes of an array into one line per element: white space between values is dropped, and each
/// comma between elements becomes a line end.
private struct ElementSplitter {
  private var depth = 0
  private var isInString = false
  private var isEscaped = false

  /// The replacement for a byte; nil to drop it.
  mutating func take(_ byte: UInt8) -> UInt8? {
    if isInString {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
      }
      return byte
    }
    switch byte {
    case UInt8(ascii: "\""): isInString = true
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      depth += 1
      if depth == 1 { return nil }
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      depth -= 1
      if depth == 0 { return UInt8(ascii: "\n") }
    case UInt8(ascii: ",") where depth == 1: return UInt8(ascii: "\n")
    case 0...UInt8(ascii: " "): return nil
    default: break
    }
    return byte
  }
}

private final class ElementLines: ByteSource {
  private let source: any ByteSource
  private var splitter = ElementSplitter()

  init(_ source: any ByteSource) { self.source = source }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = try source.read(into: buffer)
      guard count > 0 else { return 0 }
      var kept = 0
      for index in 0..<count {
        guard let byte = splitter.take(buffer[index]) else { continue }
        buffer[kept] = byte
        kept += 1
      }
      if kept > 0 { return kept }
    }
  }
}
