import Bytes
import LogText

/// What a line says about the answer to a request, usually after its path: `403 (Forbidden)`, `HTTP/1.1" 403
/// 50`, `failed: 403`, `net::ERR_TIMED_OUT`.
struct RequestAnswer {
  /// The status, or `failed` if there was no answer; nil if the line says neither.
  private(set) var status: String?
  /// What went wrong if there was no answer, as the browser names it.
  private(set) var error: String?
  /// What follows the answer; everything if nothing is said about it.
  private(set) var rest: ArraySlice<UInt8>
  /// Whether the line is only about the answer, with the status in front of the path, as OkHttp and many
  /// others write it (`<-- 503 … URL`).
  private(set) var isAlone = false

  /// The status of a request that got no answer.
  static let failed = "failed"
  // The maximum number of words examined.
  private static let most = 16
  // Words that announce a status number.
  private static let leading: Set<String> = [
    "status", "code", "statuscode", "of", "failed", "error", "returned", "response", "answered", "http",
  ]
  private static let units: Set<String> = [
    "ms", "msec", "s", "sec", "seconds", "b", "byte", "bytes", "kb", "body",
  ]
  private static let negatives: Set<String> = ["0", "false", "no", "null", "none"]

  // Text that browsers, and Apple's loading system, put in front of a request that failed.
  private static let announcements = ["failed loading", "Failed to load", "Domain=NSURLErrorDomain"]

  /// Reads what a line says about the request whose path is at the given position.
  init(to path: Range<Int>, in line: ArraySlice<UInt8>) {
    let before = line[..<path.lowerBound]
    let behind = line[path.upperBound...]
    self.init(behind: behind)
    if let status = StatusInFront.find(in: before) {
      (self.status, error, rest, isAlone) = (status, nil, behind, true)
      return
    }
    guard status == nil else { return }
    for words in Self.announcements {
      guard let end = ByteSearch.end(of: words, in: before) else { continue }
      status = RequestAnswer(behind: before[end...]).status ?? Self.failed
    }
  }

  private init(behind text: ArraySlice<UInt8>) {
    rest = text
    var words = Words(text: text)
    var mayBeStatus = true
    for _ in 0..<Self.most {
      guard let word = words.next() else { break }
      let behind = words.text
      if mayBeStatus, Self.isStatus(word), !Self.units.contains(words.next() ?? "") {
        (status, rest) = (word, behind)
        return
      }
      words.text = behind
      if word.hasPrefix("err_") || word.hasPrefix("ns_error_") {
        (status, error, rest) = (Self.failed, word.uppercased(), behind)
        return
      }
      // `failed: 403` or `blocked by CORS policy`, but not `failed=false`.
      if word == Self.failed || word == "blocked", !Self.negatives.contains(words.next() ?? "") {
        status = Self.failed
      }
      words.text = behind
      mayBeStatus = Self.leading.contains(word) || word.hasPrefix("http/")
    }
  }

  /// The arguments: what the line says about the answer, then what follows it.
  var arguments: LogArguments {
    var found = LogArguments()
    if let status { found.append("status", word: status) }
    if let error { found.append("error", text: error) }
    return found.adding(LenientArguments.read(rest))
  }

  /// Whether the body of the answer is on the line.
  var hasBody: Bool { rest.contains(UInt8(ascii: "{")) }

  static func isStatus(_ word: String) -> Bool {
    word.utf8.count == 3 && (100..<600).contains(Int(word) ?? 0)
  }

  /// Words in lower case, separated by everything that cannot be part of a status, a version or an error
  /// name. A body ends them.
  private struct Words {
    var text: ArraySlice<UInt8>

    mutating func next() -> String? {
      let start = text.drop { $0 != UInt8(ascii: "{") && !Self.isPart($0) }
      let word = start.prefix(while: Self.isPart)
      guard !word.isEmpty else { return nil }
      text = start[word.endIndex...]
      return String(decoding: word.prefix(64), as: UTF8.self).lowercased()
    }

    // Letters, digits, `_`, `.`, `/`.
    private static func isPart(_ byte: UInt8) -> Bool {
      byte.isASCIILetter || byte >= UInt8(ascii: ".") && byte <= UInt8(ascii: "9")
        || byte == UInt8(ascii: "_")
    }
  }
}

/// The status of an answer in front of the path: `<-- 503 Service Unavailable https://…` (OkHttp), `200
/// https://…`, `HTTP/1.1 404 Not Found https://…`, `Response 403 for https://…`.
///
/// A number in front of a path may also be a process or thread. It is a status if it is directly before the
/// path, before a reason phrase, or after a word that announces an answer. A method in between means that the
/// line is a request.
private enum StatusInFront {
  // The number of bytes examined, from the path backwards.
  private static let longest = 160
  // The maximum number of words between status and path: `203 Non-Authoritative Information from server`.
  private static let maxWords = 6
  private static let methods: Set<String> = [
    "get", "post", "put", "delete", "patch", "head", "options", "connect", "xhr", "fetch",
  ]
  private static let arrows = ["<--", "<-", "<<", "<=", "←"].map { Array($0.utf8) }
  private static let announcing: Set<String> = [
    "response", "status", "code", "statuscode", "http", "answer", "answered", "got", "received", "returned",
    "reply",
  ]

  static func find(in before: ArraySlice<UInt8>) -> String? {
    let text = before.suffix(longest)
    let words = text.split { $0 <= UInt8(ascii: " ") }.suffix(maxWords + 3)
    guard let last = words.last else { return nil }
    // If a line has both request and answer, the answer follows the arrow.
    let arrow = words.lastIndex { word in arrows.contains { word.elementsEqual($0) } }
    if let arrow {
      return words[(arrow + 1)...].lazy.compactMap(status).first
    }
    guard !methods.contains(plain(last)) else { return nil }
    for index in words.indices.reversed() {
      let word = words[index]
      if let status = status(word) {
        let isNext = index == words.endIndex - 1
        return isNext && isEnded(words[..<index]) || isAnnounced(words[..<index])
          || !isNext && isPhrase(words[(index + 1)...], before: words[..<index])
          ? status : nil
      }
      guard word.allSatisfy({ $0.isASCIILetter || "-'".utf8.contains($0) || $0 == UInt8(ascii: ":") }) else {
        return nil
      }
    }
    return nil
  }

  private static func plain(_ word: ArraySlice<UInt8>) -> String {
    String(decoding: word.filter { $0.isASCIILetter }, as: UTF8.self).lowercased()
  }

  // A number of three digits, surrounded only by brackets and colons.
  private static func status(_ word: ArraySlice<UInt8>) -> String? {
    let bare = word.drop { "([".utf8.contains($0) }
    let digits = bare.prefix { $0.isASCIIDigit }
    guard digits.count == 3, bare[digits.endIndex...].allSatisfy({ ")]:,".utf8.contains($0) }) else {
      return nil
    }
    let text = String(decoding: digits, as: UTF8.self)
    return RequestAnswer.isStatus(text) ? text : nil
  }

  private static let levels: Set<String> = [
    "v", "d", "i", "w", "e", "verbose", "trace", "debug", "info", "notice", "warn", "warning", "error",
  ]

  // Whether the line begins here, or what precedes is a level, the place in the source, or ends with a
  // punctuation mark, as a tag or process does.
  private static func isEnded(_ words: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    guard let word = words.last, let last = word.last else { return true }
    return ":]>)-|".utf8.contains(last) || isAnnounced(words) || isPlace(word)
      || word.allSatisfy(\.isASCIILetter) && levels.contains(plain(word))
  }

  // `app.js:13`, `call.ts:13:7`.
  private static func isPlace(_ word: ArraySlice<UInt8>) -> Bool {
    let parts = word.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard let file = parts.first, (2...3).contains(parts.count), file.contains(UInt8(ascii: ".")) else {
      return false
    }
    return parts.dropFirst().allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }
  }

  private static func isAnnounced(_ words: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    guard let last = words.last else { return false }
    return announcing.contains(plain(last)) || last.starts(with: "HTTP/".utf8)
  }

  // Whether these are words of a reason phrase, with no tag or method among them.
  private static func isPhrase(_ words: ArraySlice<ArraySlice<UInt8>>, before: ArraySlice<ArraySlice<UInt8>>)
    -> Bool
  {
    isEnded(before)
      && words.allSatisfy { word in !methods.contains(plain(word)) && word.last != UInt8(ascii: ":") }
  }
}

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
    guard let brace = text.prefix(160).firstIndex(of: UInt8(ascii: "{")) else { return nil }
    let tag = text[..<brace]
    guard let last = tag.last(where: { $0 > UInt8(ascii: " ") }) else { return brace }
    return ":]|-".utf8.contains(last) && !tag.dropLast().contains(UInt8(ascii: "\"")) ? brace : nil
  }
}
