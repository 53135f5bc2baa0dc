import Bytes
import LogText

/// The position of a word with an SDK's name in a line, and what belongs to it.
struct NamePlace {
  let line: ArraySlice<UInt8>
  let word: Range<Int>

  /// What follows the name; for a name in a request's path, the answer to the request.
  func arguments(of name: String) -> LogArguments {
    if word.lowerBound > line.startIndex, line[word.lowerBound - 1] == UInt8(ascii: "/") {
      let path = word.lowerBound..<RequestPath.end(in: line, from: word.upperBound)
      return RequestAnswer(to: path, in: line).arguments
    }
    let end = end(of: name)
    guard let close = QuotedMessage.end(around: word.lowerBound, in: line), close >= end else {
      return LenientArguments.read(line[end...])
    }
    return LenientArguments.read(line[end..<close]).adding(LenientArguments.read(line[(close + 1)...]))
  }

  // A selector's first value directly follows its name, in the same word: `uc:willRetryConnectionNumber:1
  // in:0.5`.
  private func end(of name: String) -> Int {
    var end = word.upperBound
    while end > word.lowerBound {
      let mark = line[word.lowerBound..<end].lastIndex { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
      let start = mark.map { $0 + 1 } ?? word.lowerBound
      if line[start..<end].elementsEqual(name.utf8) {
        let isValue = end < word.upperBound && line[end] == UInt8(ascii: ":")
        return isValue
          ? line[end..<word.upperBound].firstIndex { $0 != UInt8(ascii: ":") } ?? word.upperBound
          : word.upperBound
      }
      end = mark ?? word.lowerBound
    }
    return word.upperBound
  }
}

/// The quoted message of a logfmt line: `time=… msg="onStatusChanged: BUSY" callId=c-1`.
enum QuotedMessage {
  /// The end of the message that contains a position; nil if it is not in one.
  static func end(around place: Int, in line: ArraySlice<UInt8>) -> Int? {
    let front = line[..<place]
    guard front.contains(UInt8(ascii: "\"")),
      let open = [" msg=\"", " message=\""].lazy.compactMap({ ByteSearch.end(of: $0, in: front) }).first
    else { return nil }
    var at = open
    while let quote = line[at...].firstIndex(of: UInt8(ascii: "\"")) {
      if quote == open || line[quote - 1] != UInt8(ascii: "\\") { return quote >= place ? quote : nil }
      at = quote + 1
    }
    return nil
  }
}
