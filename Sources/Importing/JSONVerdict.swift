import Bytes
import CallModel

/// What is said of a source of no known format that begins like JSON or calls itself so.
enum JSONVerdict {
  /// The error, with a place where it is JSON and broken; nil where it is no JSON at all.
  static func of(_ source: HeadedSource, name: String) throws -> SourceError? {
    let isNamedJSON = SourceFormat.isNamedLines(name) || SourceFormat.bareName(name).hasSuffix(".json")
    guard isNamedJSON || begins(source.head) else { return nil }
    if holdsLines(source.head) { return nothingKnown("JSON, a value a line") }
    do {
      try validateJSON(source)
      if let remedy = KnownElsewhere.remedy(forAnswer: source.head) {
        return SourceError(.unsupported, remedy)
      }
      return nothingKnown("valid JSON")
    } catch let error as JSONError {
      return SourceError(.notJSON, "not JSON: \(error.reason)", byte: error.byte)
    }
  }

  /// Whether bytes are one JSON object over several lines, or the beginning of one: whatever its strings say, it is no log.
  static func isDocument(_ head: [UInt8]) -> Bool {
    head.withUnsafeBufferPointer { head in
      var scanner = JSONScanner(head)
      do throws(JSONError) {
        guard try scanner.peek() == .object, let line = head.firstIndex(of: UInt8(ascii: "\n")) else {
          return false
        }
        try scanner.skip()
        guard scanner.position > line else { return false }
        try scanner.finish()
        return true
      } catch {
        // Cut by the end of the head.
        return head.count >= HeadedSource.usual && error.byte >= head.count - 4
      }
    }
  }

  private static func nothingKnown(_ what: String) -> SourceError {
    SourceError(
      .notAFormat,
      "\(what), but no statistics or events that callqa knows: `callqa formats` lists what it reads")
  }

  /// Whether bytes are JSON as far as its first value or member goes. Lines of text begin with brackets too: `[INFO]`, `[1234:5678]`.
  private static func begins(_ head: [UInt8]) -> Bool {
    head.withUnsafeBufferPointer { head in
      var scanner = JSONScanner(head)
      do throws(JSONError) {
        switch try scanner.peek() {
        case .object:
          try scanner.beginObject()
          guard try scanner.nextKey() != nil else { break }
          try scanner.skip()
          if try scanner.nextKey() != nil { return true }
        case .array:
          try scanner.beginArray()
          guard try scanner.nextElement() else { break }
          try scanner.skip()
          if try scanner.nextElement() { return true }
        default: return false
        }
        try scanner.finish()
        return true
      } catch {
        // Cut, by the end of the head or of the file, it is as good as whole.
        return error.byte >= head.count - 4 || holdsLines(Array(head))
      }
    }
  }

  /// Whether the first line is an object or a list, and the next one begins another.
  private static func holdsLines(_ head: [UInt8]) -> Bool {
    let lines = head.split(separator: UInt8(ascii: "\n"), maxSplits: 2).prefix(2)
    guard lines.count == 2, let first = lines.first,
      let next = lines.last?.first(where: { $0 > UInt8(ascii: " ") })
    else { return false }
    guard next == UInt8(ascii: "{") || next == UInt8(ascii: "[") else { return false }
    return first.withUnsafeBufferPointer { line in
      var scanner = JSONScanner(line)
      guard let kind = try? scanner.peek(), kind == .object || kind == .array else { return false }
      return (try? scanner.skip()) != nil && (try? scanner.finish()) != nil
    }
  }
}
