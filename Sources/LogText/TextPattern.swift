/// A line of plain text with holes: `Time from creating call until {type} is {delay} for callid {callId}`.
///
/// A hole takes everything up to the text that follows it, or the rest of the line, of which an id and a code are the first word; `{*}`, at the end, takes the rest as the
/// arguments of a callback. An exact pattern is an SDK's own print. A generic one is what applications print of a callback, each
/// in its own way: case does not matter, and neither do blanks.
public struct TextPattern: Sendable {
  /// The raw name for which the line stands.
  public let raw: String
  /// Whether any application may print it.
  public let isGeneric: Bool
  private let head: [UInt8]
  private let holes: [(name: String, after: [UInt8])]

  /// Nil where the pattern begins with a hole, where two holes touch, or where something follows `{*}`: nothing would tell where
  /// one ends.
  public init?(_ text: String, raw: String, isGeneric: Bool = false) {
    var parts: [(name: String, after: [UInt8])] = []
    var pieces = text.split(separator: "{", omittingEmptySubsequences: false)[...]
    guard let first = pieces.popFirst(), !first.isEmpty else { return nil }
    for (index, piece) in pieces.enumerated() {
      guard let end = piece.firstIndex(of: "}") else { return nil }
      let name = String(piece[..<end])
      let after = Array(piece[piece.index(after: end)...].utf8)
      if index < pieces.count - 1 ? after.isEmpty || name == "*" : name == "*" && !after.isEmpty {
        return nil
      }
      parts.append((name, isGeneric ? after.map(\.asciiLowercased) : after))
    }
    self.raw = raw
    self.isGeneric = isGeneric
    head = isGeneric ? first.utf8.map(\.asciiLowercased) : Array(first.utf8)
    holes = parts
  }

  /// The letters with which it begins wherever it stands, in small: some, before the first blank that may be more or fewer.
  public var beginning: [UInt8] {
    let fixed = head.dropFirst().prefix { !isGeneric || $0 != UInt8(ascii: " ") }
    return head[..<fixed.endIndex].prefix(8).map(\.asciiLowercased)
  }

  /// Whether it is a sentence of several words, and no word or two.
  public var isSentence: Bool {
    isGeneric && head.count(where: { $0 == UInt8(ascii: " ") }) >= 2 && head.count >= 24
  }

  /// What a place in a line is to a pattern.
  public enum Match {
    /// What the line tells: the pattern stands there.
    case found(LogArguments)
    /// It may stand further on.
    case elsewhere
    /// What follows one of its holes does not come any more: it stands nowhere further on either.
    case never
  }

  /// Looks whether the pattern stands at a place.
  public func match(_ line: ArraySlice<UInt8>, at start: Int) -> Match {
    guard var at = end(of: head, in: line, at: start) else { return .elsewhere }
    var arguments = LogArguments()
    for hole in holes {
      if hole.name == "*" { return .found(LenientArguments.read(line[at...])) }
      guard let (valueEnd, next) = find(hole.after, in: line, from: at) else { return .never }
      let text = line[at..<valueEnd].drop { " :=".utf8.contains($0) }
      let end = hole.after.isEmpty && Self.isWord(hole.name) ? Self.endOfWord(text) : text.endIndex
      let value = String(decoding: text[..<end], as: UTF8.self)
      arguments.append(hole.name, word: SwiftText.unwrapped(value.trimmed))
      if end < text.endIndex { arguments = arguments.adding(LenientArguments.read(text[end...])) }
      at = next
    }
    // A word that goes on is another one.
    let isCut = holes.isEmpty && at < line.endIndex && Self.isLetter(line[at]) && Self.isLetter(line[at - 1])
    return isCut ? .elsewhere : .found(arguments)
  }

  // An id is one word, and so is a code; what applications print behind it are arguments.
  private static func isWord(_ name: String) -> Bool {
    name == "code" || name.lowercased().hasSuffix("id")
  }

  private static func endOfWord(_ text: ArraySlice<UInt8>) -> Int {
    text.firstIndex { $0 <= UInt8(ascii: " ") || ",;".utf8.contains($0) } ?? text.endIndex
  }

  private func find(_ text: [UInt8], in line: ArraySlice<UInt8>, from start: Int) -> (at: Int, end: Int)? {
    if text.isEmpty { return (line.endIndex, line.endIndex) }
    for at in start..<line.endIndex {
      if let end = end(of: text, in: line, at: at) { return (at, end) }
    }
    return nil
  }

  // Where a text that begins at a place ends, nil where another one stands there.
  private func end(of text: [UInt8], in line: ArraySlice<UInt8>, at start: Int) -> Int? {
    var at = start
    for byte in text {
      if isGeneric, byte == UInt8(ascii: " ") {
        while at < line.endIndex, line[at] == UInt8(ascii: " ") || line[at] == UInt8(ascii: "\t") { at += 1 }
        continue
      }
      guard at < line.endIndex, (isGeneric ? line[at].asciiLowercased : line[at]) == byte else { return nil }
      at += 1
    }
    return at
  }

  public static func isLetter(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || byte >= 0x80
  }
}
