import Bytes
import LogText

/// The call and the end that a line belongs to, according to what the logger adds next to the text or in
/// front of it.
struct LineAttribution: Equatable {
  private(set) var call: String?
  private(set) var end: String?
  /// The rank of the name by which the line identifies its end, lower is better.
  private var endRank = Int.max

  /// The maximum length of a value. A longer one identifies nothing.
  private static let longest = 200
  private static let calls: Set = ["call", "callid", "callsid"]
  /// Names of members that identify an end, with their rank; 0 is the best.
  private static let ends = [
    "endpoint": 0, "user": 1, "userid": 1, "participant": 2, "participantid": 2, "clientid": 3,
  ]
  /// Placeholders that loggers print if the value is unknown.
  private static let nobody: Set = ["null", "nil", "undefined", "none", "-", "true", "false", "unknown"]

  var isEmpty: Bool { call == nil && end == nil }

  /// Whether a normalised name can be that of a call id or an end.
  static func mayName(_ normal: String) -> Bool {
    calls.contains { normal.hasSuffix($0) } || ends.keys.contains { normal.hasSuffix($0) }
  }

  /// Reads a member next to the text.
  mutating func take(_ name: some StringProtocol, _ value: String) {
    let value = value.trimmed
    guard !value.isEmpty, value.utf8.count <= Self.longest, !Self.nobody.contains(value.lowercased()) else {
      return
    }
    // `labels.callId` is a call id too.
    let own = name.split(separator: ".").last ?? ""
    let normal = LogName.normal(own)
    if Self.calls.contains(normal) {
      if !CallObject.isPrinted(value) { call = call ?? value }
    } else if let rank = Self.ends[normal], own != "userID", rank < endRank {
      // In Apple's log, `userID` is the account on the machine.
      (end, endRank) = (value, rank)
    }
  }

  /// Returns this attribution, with missing parts taken from the surrounding one.
  func within(_ outer: LineAttribution) -> LineAttribution {
    var owner = self
    owner.call = call ?? outer.call
    if end == nil { (owner.end, owner.endRank) = (outer.end, outer.endRank) }
    return owner
  }

  /// Returns the object with members for its call and end added, unless it has its own; nil if nothing is to
  /// be added.
  ///
  /// - Parameter withCall: Whether to add the call as well.
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

  // The normalised names of an object's members; nil if it has none or is not an object.
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
  /// The number of bytes examined before a text, and after the text of a `msg="…"`.
  private static let longestFront = 1024

  /// Reads the pairs in front of a text (`[callId=c-1]`, `{callId=c-1, user=alice}`, `callId=c-1 msg="`), and
  /// those after it if it is the quoted message of a logfmt line.
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
      // A colon separates name and value only within brackets. Elsewhere it ends a word.
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

  // A pair follows a blank, a bracket, a comma or a vertical bar. After a semicolon or a question mark it is
  // part of an address.
  private static func opens(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || "[{(,|".utf8.contains(byte)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte.isASCIIWord
      || byte == UInt8(ascii: ".")
  }
}
