import Bytes

/// A request as loggers write it down in members (pino-http, winston, bunyan, a browser's own record): `{"method":"POST","url":"https://…","status":503}`,
/// also under `req` and `res`. It is read as the line of text that says the same.
enum RequestObject {
  private static let urls = [
    "url", "uri", "path", "requestUrl", "endpoint", "req.url", "request.url", "http.url",
  ]
  private static let methods = [
    "method", "requestMethod", "verb", "req.method", "request.method", "http.method",
  ]
  private static let statuses = [
    "status", "statusCode", "responseStatus", "res.statusCode", "res.status", "response.status",
    "response.statusCode",
    "http.status_code",
  ]
  private static let bodies = ["body", "responseBody", "res.body", "response.body", "response.data", "data"]
  /// Longest line, and longest address, that is looked at.
  private static let longest = 256 << 10
  private static let longestURL = 2000

  /// The line, and when it was; nil where it is no such object, or says neither how nor whether it was answered.
  static func line(_ bytes: UnsafeBufferPointer<UInt8>) -> (text: [UInt8], stamp: LogTime.Stamp?)? {
    guard bytes.count <= longest, bytes.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{"),
      ByteSearch.find("ethod\"", in: bytes) != nil || ByteSearch.find("tatus", in: bytes) != nil,
      let members = try? LogArguments(object: bytes), let url = text(urls, members), url.contains("/"),
      url.utf8.count <= longestURL, !url.contains(" ")
    else { return nil }
    let method: String? = text(methods, members).map { String($0.filter(\.isLetter).prefix(10)).uppercased() }
    var status: Int?
    if let text = text(statuses, members), let number = Int(text), (100..<600).contains(number) {
      status = number
    }
    guard method != nil || status != nil else { return nil }
    var line = "\(method ?? "GET") \(url)"
    if let status { line += " \(status)" }
    for name in bodies {
      guard let body = members.json(name), body.hasPrefix("{") else { continue }
      line += " \(body)"
      break
    }
    return (Array(line.utf8), RunLogLine.stamp(of: members))
  }

  private static func text(_ names: [String], _ members: LogArguments) -> String? {
    for name in names {
      if let text = members.text(name), !text.isEmpty { return text }
    }
    return nil
  }
}
