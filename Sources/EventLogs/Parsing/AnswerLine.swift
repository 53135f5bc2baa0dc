import Bytes
import LogText

/// A line that reports the result of a request without its path, which an earlier line gives: `< HTTP/2 503`
/// (curl), `<-- HTTP FAILED: …` (OkHttp), `RESPONSE: 503 Service Unavailable` (Ktor).
enum AnswerLine {
  /// The raw name of the response to the last request.
  static let raw = "lastRequestAnswered"

  private static let marks = ["< HTTP/", "<-- HTTP FAILED", "RESPONSE: "]
  /// The maximum offset of such a mark in a line, after a tag.
  private static let nearest = 120

  /// Returns the response; nil if the line reports none.
  static func find(in message: ArraySlice<UInt8>) -> LogArguments? {
    let head = message.prefix(nearest)
    guard let mark = marks.first(where: { ByteSearch.end(of: $0, in: head) != nil }),
      let end = ByteSearch.end(of: mark, in: head)
    else { return nil }
    let rest = message[end...]
    var found = LogArguments()
    if mark.hasSuffix("FAILED") {
      found.append("status", word: RequestAnswer.failed)
      let words = String(
        decoding: rest.drop { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: " ") }.prefix(200), as: UTF8.self)
      if !words.isEmpty { found.append("error", text: words) }
      return found
    }
    let behind = mark.hasSuffix("/") ? rest.drop { $0 > UInt8(ascii: " ") } : rest
    let digits = behind.drop { $0 == UInt8(ascii: " ") }.prefix { $0.isASCIIDigit }
    let status = String(decoding: digits, as: UTF8.self)
    guard RequestAnswer.isStatus(status) else { return nil }
    found.append("status", word: status)
    return found
  }

  /// Whether a line only repeats the URL of the request, such as Ktor's `FROM: https://…`.
  static func isEcho(_ message: ArraySlice<UInt8>) -> Bool {
    ByteSearch.end(of: "FROM: http", in: message.prefix(nearest)) != nil
  }
}
