import Bytes
import CallModel
import EventLogs

/// Errors for sources of unknown format that begin like JSON, or have its suffix.
enum JSONRefusal {
  /// The error, with its position if it is invalid JSON; nil if it is not JSON at all.
  static func of(_ source: HeadedSource, name: String) throws -> SourceError? {
    let isNamedJSON = SourceFormat.isNamedLines(name) || SourceFormat.bareName(name).hasSuffix(".json")
    guard isNamedJSON || begins(source.head) else { return nil }
    if holdsLines(source.head) { return nothingKnown("JSON, one value per line", source.head) }
    do {
      try validateJSON(source)
      if let remedy = UnsupportedFormats.remedy(forAnswer: source.head) {
        return SourceError(.unsupported, remedy)
      }
      return nothingKnown("valid JSON", source.head)
    } catch let error as JSONError {
      return SourceError(.notJSON, "not JSON: \(error.reason)", byte: error.byte)
    }
  }

  /// Whether bytes are one multi-line JSON object, or the beginning of one, which is not a log whatever its strings
  /// contain.
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
        // Cut at the end of the head.
        return head.count >= HeadedSource.usual && error.byte >= head.count - 4
      }
    }
  }

  private static func nothingKnown(_ what: String, _ head: [UInt8]) -> SourceError {
    let remedy =
      isEmpty(head)
      ? "a Map as JSON is {}: log [...report.values()] of what getStats gives"
      : hasFigures(head) || ofTable(head) != nil ? summedUp : "`callqa formats` lists what it reads"
    return SourceError(
      .notAFormat, "\(what), but no statistics or events that callqa knows: \(remedy)")
  }

  /// Whether it only consists of brackets.
  private static func isEmpty(_ head: [UInt8]) -> Bool {
    head.contains(UInt8(ascii: "{"))
      && head.allSatisfy { $0 <= UInt8(ascii: " ") || "{}[],".utf8.contains($0) }
  }

  private static let summedUp =
    "figures of quality that no form names: `callqa guess FILE > acme.figures.json` proposes one (docs/records.md)"

  /// The error for a table with figures of quality that no form names; nil for anything else.
  static func ofTable(_ head: [UInt8]) -> SourceError? {
    head.withUnsafeBufferPointer { FormGuess($0, name: "") } == nil
      ? nil : SourceError(.notAFormat, "a table with \(summedUp)")
  }

  /// The error for a log without known events but with figures of call quality, which alone do not make a call. Nil
  /// without such figures.
  static func ofFigures(_ head: [UInt8]) -> SourceError? {
    guard hasFigures(head) else { return nil }
    return SourceError(
      .notAFormat, "JSON with events of names that no SDK known to callqa has, and no statistics: \(summedUp)"
    )
  }

  /// Words for quality, normalised.
  private static let figures = [
    "packetslost", "packetloss", "packetlossrate", "packetsreceived", "receivepackets", "jitter", "rtt",
    "roundtriptime", "mos",
    "avgloss", "fractionloss", "packetsreceivedfractionloss",
  ]

  /// Whether some members have names of quality figures.
  private static func hasFigures(_ head: [UInt8]) -> Bool {
    let text = String(
      decoding: head.lazy.filter { $0.isASCIILetter || $0 == UInt8(ascii: "\"") }, as: UTF8.self
    ).lowercased()
    return figures.count { text.contains("\($0)\"") } > 1
  }

  /// Whether bytes are valid JSON up to the first value or member. Lines of text begin with brackets too: `[INFO]`,
  /// `[1234:5678]`.
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
        // Cut by the end of the head or of the file, it counts as valid.
        return error.byte >= head.count - 4 || holdsLines(Array(head))
      }
    }
  }

  /// Whether the first line is an object or a list, and the next one begins another.
  private static func holdsLines(_ head: [UInt8]) -> Bool {
    let lines = head.lines(most: 2)
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
