import Bytes
import LogText

/// Whose a line is, by what its logger says beside the text or in front of it: the call, and the end of it.
struct LineAttribution: Equatable {
  private(set) var call: String?
  private(set) var end: String?
  /// By which of the words of an end the line names it.
  private var endRank = Int.max

  /// The longest value: what is longer names nobody.
  private static let longest = 200
  private static let calls: Set = ["call", "callid", "callsid"]
  /// What names an end, the best first.
  private static let ends = [
    "endpoint": 0, "user": 1, "userid": 1, "participant": 2, "participantid": 2, "clientid": 3,
  ]
  /// What loggers print where they know nobody.
  private static let nobody: Set = ["null", "nil", "undefined", "none", "-", "true", "false", "unknown"]

  var isEmpty: Bool { call == nil && end == nil }

  /// Whether a name, normalised, can be that of a call or an end.
  static func mayName(_ normal: String) -> Bool {
    calls.contains { normal.hasSuffix($0) } || ends.keys.contains { normal.hasSuffix($0) }
  }

  /// Takes a member that stands beside the text.
  mutating func take(_ name: some StringProtocol, _ value: String) {
    let value = value.trimmed
    guard !value.isEmpty, value.utf8.count <= Self.longest, !Self.nobody.contains(value.lowercased()) else {
      return
    }
    // `labels.callId` is the call too.
    let own = name.split(separator: ".").last ?? ""
    let normal = LogName.normal(own)
    if Self.calls.contains(normal) {
      if !CallObject.isPrinted(value) { call = call ?? value }
    } else if let rank = Self.ends[normal], own != "userID", rank < endRank {
      // `userID` is what Apple's log calls the account of the machine.
      (end, endRank) = (value, rank)
    }
  }

  /// This, and what it does not say as the one around it says it.
  func within(_ outer: LineAttribution) -> LineAttribution {
    var owner = self
    owner.call = call ?? outer.call
    if end == nil { (owner.end, owner.endRank) = (outer.end, outer.endRank) }
    return owner
  }

  /// An object that says whose it is, as far as it does not say so itself; nil where nothing is to be added.
  ///
  /// - Parameter withCall: whether it is to name its call as well.
  func added(to object: UnsafeBufferPointer<UInt8>, withCall: Bool = true) -> [UInt8]? {
    guard !isEmpty, let own = Self.names(in: object) else { return nil }
    var news: [(name: String, value: String)] = []
    if withCall, let call, !own.contains(where: Self.calls.contains) { news.append(("call", call)) }
    if let end, !own.contains(where: { Self.ends[$0] != nil }) { news.append(("endpoint", end)) }
    guard !news.isEmpty, let open = object.firstIndex(of: UInt8(ascii: "{")) else { return nil }
    var out = ByteWriter(capacity: object.count + 128)
    out.append(byte: UInt8(ascii: "{"))
    for (name, value) in news {
      out.append(json: name)
      out.append(byte: UInt8(ascii: ":"))
      out.append(json: value)
      out.append(byte: UInt8(ascii: ","))
    }
    out.append(bytes: object[(open + 1)...])
    return out.bytes
  }

  // The names of an object's members, normalised; nil where it has none or is no object.
  private static func names(in object: UnsafeBufferPointer<UInt8>) -> [String]? {
    var scanner = JSONScanner(object)
    var names: [String] = []
    do throws(JSONError) {
      guard try scanner.peek() == .object else { return nil }
      try scanner.beginObject()
      while let key = try scanner.nextKey() {
        if key.bytes.count <= 24 { names.append(LogName.normal(key.string)) }
        try scanner.skip()
      }
      return names.isEmpty ? nil : names
    } catch {
      return nil
    }
  }
}

extension LineAttribution {
  /// Most bytes in front of a text, or behind the text of a `msg="…"`, that are looked at.
  private static let longestFront = 1024

  /// What pairs in front of a text say (`[callId=c-1]`, `{callId=c-1, user=alice}`, `callId=c-1 msg="`), and those behind it where it is
  /// the quoted message of a line of pairs.
  init(around place: Int, in line: ArraySlice<UInt8>) {
    let front = line[..<place].prefix(Self.longestFront)
    takePairs(front)
    guard let close = QuotedMessage.end(around: place, in: line) else { return }
    takePairs(line[(close + 1)...].prefix(Self.longestFront))
  }

  private mutating func takePairs(_ text: ArraySlice<UInt8>) {
    var rest = text
    var before: UInt8 = UInt8(ascii: " ")
    while let byte = rest.first {
      guard Self.isNameByte(byte) else {
        before = byte
        rest.removeFirst()
        continue
      }
      let name = rest.prefix(while: Self.isNameByte)
      let begins = Self.opens(before)
      before = name.last ?? UInt8(ascii: " ")
      rest = rest[name.endIndex...]
      guard begins, let mark = rest.first, mark == UInt8(ascii: "=") || mark == UInt8(ascii: ":") else {
        continue
      }
      // A colon makes a pair in brackets alone: elsewhere it ends a word.
      guard mark == UInt8(ascii: "=") || Self.isInBrackets(name.startIndex, of: text) else { continue }
      let value = Self.value(rest.dropFirst())
      take(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
      rest = rest[value.endIndex...]
      before = UInt8(ascii: "\"")
    }
  }

  private static func value(_ rest: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      return rest.dropFirst().prefix { $0 != quote }
    }
    if let object = SwiftText.printedObject(at: rest) { return object }
    return rest.prefix { $0 > UInt8(ascii: " ") && !",;]})|".utf8.contains($0) }
  }

  private static func isInBrackets(_ place: Int, of text: ArraySlice<UInt8>) -> Bool {
    place > text.startIndex && "[{(".utf8.contains(text[place - 1])
  }

  // A pair stands behind a blank, a bracket, a comma or a bar; behind a semicolon or a question mark it is an address's.
  private static func opens(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || "[{(,|".utf8.contains(byte)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isASCIIWord
      || byte == UInt8(ascii: ".")
  }
}
