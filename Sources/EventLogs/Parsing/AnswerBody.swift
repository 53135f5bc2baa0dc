import Bytes
import LogText

/// The body of an answer on the lines below the one that tells its status, between its headers and a mark of its end, as OkHttp has them.
struct AnswerBody {
  /// What a line is to an answer that waits.
  enum Part { case line, lastLine, nothing }

  private var held: (event: RawEvent, message: ArraySlice<UInt8>)?
  private var lines = 0

  /// Most lines between the status and the body.
  private static let most = 60

  /// Holds an answer back until its body came.
  mutating func hold(_ event: RawEvent, _ message: ArraySlice<UInt8>) {
    held = (event, Array(message)[...])
    lines = 0
  }

  /// The answer that waited.
  mutating func release() -> (RawEvent, ArraySlice<UInt8>)? {
    defer { held = nil }
    return held.map { ($0.event, $0.message) }
  }

  /// Takes a line if it is a part of the answer.
  mutating func takes(_ message: ArraySlice<UInt8>) -> Part {
    guard held != nil else { return .nothing }
    lines += 1
    // Loggers print their tag in front of every line: the body begins with a bracket behind it.
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

  // Where a line that is an object begins, behind one tag at most.
  private static func body(in text: ArraySlice<UInt8>) -> Int? {
    guard let brace = text.prefix(80).firstIndex(of: UInt8(ascii: "{")) else { return nil }
    let tag = text[..<brace]
    guard let last = tag.last(where: { $0 > UInt8(ascii: " ") }) else { return brace }
    return ":]|".utf8.contains(last) && !tag.dropLast().contains(UInt8(ascii: "\"")) ? brace : nil
  }
}
