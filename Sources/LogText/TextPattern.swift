/// A pattern of plain text with placeholders: `Time from creating call until {type} is {delay} for callid {callId}`.
///
/// A placeholder matches everything up to the text that follows it, or the rest of the line, where ids and codes match
/// only the first word; `{*}`, at the end, matches the rest as arguments of a callback. An exact pattern is an SDK's
/// own output. A generic one is the output of applications for a callback, each in its own form: case and blanks are
/// ignored.
public struct TextPattern: Sendable {
  /// The raw name of the event.
  public let raw: String
  /// Whether any application may print it.
  public let isGeneric: Bool
  private let head: [UInt8]
  private let holes: [(name: String, after: [UInt8])]

  /// Nil if the pattern begins with a placeholder, has two adjacent ones, or anything after `{*}`: the end of a
  /// placeholder would be undefined.
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

  /// The names of its placeholders.
  public var names: [String] { holes.map(\.name) }

  /// The lower-cased letters that every match begins with, up to the first blank, as there may be more or fewer blanks.
  public var beginning: [UInt8] {
    let fixed = head.dropFirst().prefix { !isGeneric || $0 != UInt8(ascii: " ") }
    return head[..<fixed.endIndex].prefix(8).map(\.asciiLowercased)
  }

  /// Whether it is a sentence rather than one or two words.
  public var isSentence: Bool {
    isGeneric && head.count(where: { $0 == UInt8(ascii: " ") }) >= 2 && head.count >= 24
  }

  /// The result of matching at a position.
  public enum Match {
    /// A match, with its values.
    case found(LogArguments)
    /// It may match at a later position.
    case elsewhere
    /// Text after a placeholder does not occur any more: it cannot match at later positions either.
    case never
  }

  /// Matches the pattern at a position.
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
    // The pattern ends in the middle of a longer word.
    let isCut = holes.isEmpty && at < line.endIndex && Self.isLetter(line[at]) && Self.isLetter(line[at - 1])
    return isCut ? .elsewhere : .found(arguments)
  }

  // Ids and codes are single words; applications print arguments after them.
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

  // The end of a text at a position; nil if another text is there.
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
