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

  // Text that browsers put in front of a request that failed.
  private static let announcements = ["failed loading", "Failed to load"]

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
enum StatusInFront {
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

  // Whether the line begins here, or what precedes ends with a punctuation mark, as a level, tag or process
  // does.
  private static func isEnded(_ words: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    guard let last = words.last?.last else { return true }
    return ":]>)-|".utf8.contains(last) || isAnnounced(words)
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
