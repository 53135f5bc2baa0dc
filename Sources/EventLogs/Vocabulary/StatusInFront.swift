import Bytes

/// The status of an answer in front of the path it is to: `<-- 503 Service Unavailable https://…` (OkHttp), `200 https://…`,
/// `HTTP/1.1 404 Not Found https://…`, `Response 403 for https://…`.
///
/// A number in front of a path may be a process or a thread as well: it is a status right in front of the path, before a phrase in
/// words, or behind what announces an answer; a method in between makes a question of the line.
enum StatusInFront {
  // How much of a line is looked at, from the path on backwards.
  private static let longest = 160
  // Most words between status and path: `203 Non-Authoritative Information from server`.
  private static let mostWords = 6
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
    let words = text.split { $0 <= UInt8(ascii: " ") }.suffix(mostWords + 3)
    guard let last = words.last else { return nil }
    // Of a line that tells both, the answer stands behind the arrow.
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

  // A number of three digits, with nothing around it but brackets and colons.
  private static func status(_ word: ArraySlice<UInt8>) -> String? {
    let bare = word.drop { "([".utf8.contains($0) }
    let digits = bare.prefix { $0.isASCIIDigit }
    guard digits.count == 3, bare[digits.endIndex...].allSatisfy({ ")]:,".utf8.contains($0) }) else {
      return nil
    }
    let text = String(decoding: digits, as: UTF8.self)
    return RequestAnswer.isStatus(text) ? text : nil
  }

  // Whether the line begins here, or what stands in front is ended by a mark: a level, a tag, a process.
  private static func isEnded(_ words: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    guard let last = words.last?.last else { return true }
    return ":]>)-|".utf8.contains(last) || isAnnounced(words)
  }

  private static func isAnnounced(_ words: ArraySlice<ArraySlice<UInt8>>) -> Bool {
    guard let last = words.last else { return false }
    return announcing.contains(plain(last)) || last.starts(with: "HTTP/".utf8)
  }

  // Words of a reason, none of which is a tag or a method.
  private static func isPhrase(_ words: ArraySlice<ArraySlice<UInt8>>, before: ArraySlice<ArraySlice<UInt8>>)
    -> Bool
  {
    isEnded(before)
      && words.allSatisfy { word in !methods.contains(plain(word)) && word.last != UInt8(ascii: ":") }
  }
}
