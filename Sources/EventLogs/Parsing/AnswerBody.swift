import Bytes
import LogText

/// The body of an HTTP response on the lines after the one with its status, between its headers and an end
/// mark, as OkHttp logs it.
struct AnswerBody {
  /// The role of a line in relation to a pending response.
  enum Part { case line, lastLine, nothing }

  private var held: (event: RawEvent, message: ArraySlice<UInt8>)?
  private var lines = 0

  /// The maximum number of lines between the status and the body.
  private static let most = 60

  /// Holds a response back until its body has been read.
  mutating func hold(_ event: RawEvent, _ message: ArraySlice<UInt8>) {
    held = (event, Array(message)[...])
    lines = 0
  }

  /// Returns the pending response and clears it.
  mutating func release() -> (RawEvent, ArraySlice<UInt8>)? {
    defer { held = nil }
    return held.map { ($0.event, $0.message) }
  }

  /// Takes a line if it is part of the response.
  mutating func takes(_ message: ArraySlice<UInt8>) -> Part {
    guard held != nil else { return .nothing }
    lines += 1
    // Loggers put their tag in front of every line, so the body begins with a bracket after the tag.
    let text = message.drop { $0 <= UInt8(ascii: " ") }
    guard let start = Self.body(in: text) else {
      let isEnd = ByteSearch.end(of: "END HTTP", in: text.prefix(120)) != nil
      return isEnd || lines > Self.most ? .lastLine : .nothing
    }
    guard let end = LenientObject.end(of: text[start...].prefix(LenientObject.limit)) else { return .nothing }
    let members = text[start..<end].withUnsafeBufferPointer { try? LogArguments(object: $0) }
    guard let members, !members.isEmpty else { return .nothing }
    if var waiting = held {
      waiting.event.arguments = waiting.event.arguments.adding(members)
      held = waiting
    }
    return .lastLine
  }

  // Where a line that is an object begins, after at most one tag.
  private static func body(in text: ArraySlice<UInt8>) -> Int? {
    guard let brace = text.prefix(80).firstIndex(of: UInt8(ascii: "{")) else { return nil }
    let tag = text[..<brace]
    guard let last = tag.last(where: { $0 > UInt8(ascii: " ") }) else { return brace }
    return ":]|".utf8.contains(last) && !tag.dropLast().contains(UInt8(ascii: "\"")) ? brace : nil
  }
}
