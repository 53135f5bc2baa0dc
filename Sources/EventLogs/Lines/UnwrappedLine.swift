import Bytes
import LogText

/// A line of a text log without its wrapping: objects of loggers and collectors, a leading timestamp, the
/// decoration of a console.
struct UnwrappedLine {
  /// The line's own time, else that of the innermost object around it.
  var stamp: LogTime.Stamp?
  var text: ArraySlice<UInt8>
  /// The call and end that the line belongs to, according to what is next to the text.
  var owner = LineAttribution()

  init(_ line: UnsafeBufferPointer<UInt8>, _ stamps: inout TextStamps, _ finder: TextLine) {
    if let request = RequestObject.line(line), finder.isRequest(request.text[...]) {
      (stamp, text) = (request.stamp, request.text[...])
      return
    }
    let around = WrappedLine.inside(line)
    var (own, text) = stamps.split(around?.line?[...] ?? Array(line)[...])
    if let fields = QuotedFields.text(of: text) {
      let (inner, rest) = own == nil ? stamps.split(fields[...]) : (own, fields[...])
      (own, text) = (inner, rest)
    }
    stamp = own ?? around?.stamp
    owner = around?.owner ?? LineAttribution()
    // An object in a quoted message has its quotes escaped.
    if let (inner, start) = QuotedMessage.text(of: text), ByteSearch.contains("{\"", in: inner) {
      owner = LineAttribution(around: start, in: text).within(owner)
      text = inner
    }
    self.text = text
    guard around == nil || around?.line != nil && own != nil,
      let inner = Self.object(endingLine: text, finder)
    else { return }
    owner = inner.owner.within(owner)
    guard let line = inner.line else { return }
    let (innermost, innerText) = stamps.split(line[...])
    stamp = innermost ?? inner.stamp ?? stamp
    self.text = innerText
  }

  // JSON that a logger wrote after a collector's prefix, provided that the prefix is not the text of a
  // callback.
  private static func object(endingLine text: ArraySlice<UInt8>, _ finder: TextLine) -> WrappedLine.Inside? {
    guard text.contains(UInt8(ascii: "{")) else { return nil }
    let found = text.withUnsafeBufferPointer { bytes -> (start: Int, inside: WrappedLine.Inside)? in
      guard let json = JSONTail.find(in: bytes), let start = json.baseAddress, let first = bytes.baseAddress,
        start > first,
        let inside = WrappedLine.inside(json), inside.line != nil
      else { return nil }
      return (start - first, inside)
    }
    guard let found, case .nothing = finder.find(text[..<(text.startIndex + found.start)], isWhole: true)
    else { return nil }
    return found.inside
  }
}

/// A request that a logger writes as members (pino-http, winston, bunyan, a browser's own recording):
/// `{"method":"POST","url":"https://…","status":503}`, also under `req` and `res`. It is read as the
/// equivalent line of text.
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
  /// The maximum lengths of the line and the address.
  private static let longest = 256 << 10
  private static let longestURL = 2000

  /// Returns the line and its time; nil if it is not such an object, or has neither a status nor an error.
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

/// JSON at the end of a line of text, after a collector's time, a level, a host, a file or a label.
enum JSONTail {
  /// The maximum number of positions at which it may begin.
  private static let maxTries = 4
  /// The maximum length of the text after it. Consoles put the source location there.
  private static let longestEnd = 96

  /// Returns the bytes of an object or array; nil if the line does not end with one.
  static func find(in line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
    var tries = 0
    var at = 0
    while tries < maxTries, let start = opening(in: line, from: at) {
      tries += 1
      at = start + 1
      var scanner = JSONScanner(line)
      scanner.position = start
      guard (try? scanner.skip()) != nil, isEnd(behindQuote(line, start, scanner.position)) else { continue }
      return UnsafeBufferPointer(rebasing: line[start..<scanner.position])
    }
    return nil
  }

  // An object with members, or an array of objects, arrays or strings.
  private static func opening(in line: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    var at = start
    while at < line.count {
      defer { at += 1 }
      let isList = line[at] == UInt8(ascii: "[")
      guard isList || line[at] == UInt8(ascii: "{") else { continue }
      guard let next = line[(at + 1)...].first(where: { $0 > UInt8(ascii: " ") }) else { return nil }
      if next == UInt8(ascii: "\"") || isList && (next == UInt8(ascii: "{") || next == UInt8(ascii: "[")) {
        return at
      }
    }
    return nil
  }

  // What follows the JSON, including the closing quote if it is quoted.
  private static func behindQuote(
    _ line: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int
  ) -> Slice<UnsafeBufferPointer<UInt8>> {
    guard start > 0, end < line.count, line[end] == line[start - 1], "\"'`".utf8.contains(line[end])
    else { return line[end...] }
    return line[(end + 1)...]
  }

  private static func isEnd(_ rest: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    guard let first = rest.first else { return true }
    return first <= UInt8(ascii: " ") && rest.count <= longestEnd
      && !rest.contains { "\"[]{}".utf8.contains($0) }
  }
}
