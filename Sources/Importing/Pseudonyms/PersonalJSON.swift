import Bytes

/// Walks the JSON of arguments and extras and replaces people in it: members by their name, texts by what they hold.
struct PersonalJSON {
  /// The JSON text with every person and address replaced. What is no JSON is taken as text.
  ///
  /// - Parameter callee: the member that holds whom a call goes to, where it has no name that says so.
  static func replaced(_ json: String, by text: inout PersonalText, callee: String? = nil) -> String {
    var walk = Walk(Array(TornWords.mended(json, by: &text).utf8))
    walk.callee = callee
    return walk.run(&text)
  }

  private struct Walk {
    let bytes: [UInt8]
    var at = 0
    var out = ByteWriter()
    /// Whether the values at each depth belong to a person's member.
    var isPerson: [Bool] = [false]
    var key = false
    /// Whether the value is of a member without a name, behind somebody's.
    var isBehind = false
    var callee: String?
    /// How many digits make a number one that can be called; an extension has few.
    var leastDigits = 5

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func run(_ text: inout PersonalText) -> String {
      text.hasFound = false
      while at < bytes.count {
        switch bytes[at] {
        case UInt8(ascii: "\""): string(&text)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          isPerson.append(key)
          if bytes[at] == UInt8(ascii: "{") { key = false }
          copy()
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          key = false
          if isPerson.count > 1 { isPerson.removeLast() }
          copy()
        case UInt8(ascii: ","):
          key = isPerson.last ?? false
          copy()
        case UInt8(ascii: "0")...UInt8(ascii: "9"): number(&text)
        default: copy()
        }
      }
      return out.string
    }

    private mutating func copy() {
      out.append(byte: bytes[at])
      at += 1
    }

    private mutating func string(_ text: inout PersonalText) {
      let start = at + 1
      var end = start
      while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
        end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
      }
      end = min(end, bytes.count)
      at = min(end + 1, bytes.count)
      let value = bytes[start..<end].withUnsafeBufferPointer { JSONText(escaped: $0).string }
      var next = at
      while next < bytes.count, bytes[next] <= UInt8(ascii: " ") { next += 1 }
      if next < bytes.count, bytes[next] == UInt8(ascii: ":") {
        let isCallee = isPerson.count == 2 && value == callee
        leastDigits = isCallee ? 2 : 5
        // A log's `displayName=Zoe of Quimby` was read as a member and words without a name.
        isBehind = text.hasFound && value.utf8.allSatisfy(\.isASCIIDigit)
        key =
          isCallee || isBehind
          || PersonalMembers.isPerson(value.utf8, within: isPerson.last ?? false)
        out.append(json: text.replaced(value))
      } else if key, PersonalMembers.isPseudonym(value) {
        text.hasFound = true
        out.append(json: value)
      } else if key, !PersonalMembers.isWord(value), !isBehind || !PersonalMembers.isConstant(value) {
        text.meet(value)
        text.hasFound = true
        out.append(json: text.pseudonyms.person(value))
      } else {
        out.append(json: text.replaced(value))
      }
    }

    /// A number of a person's member is one that can be called.
    private mutating func number(_ text: inout PersonalText) {
      let start = at
      while at < bytes.count, (UInt8(ascii: "+")...UInt8(ascii: "9")).contains(bytes[at]),
        bytes[at] != UInt8(ascii: ",")
      { at += 1 }
      let digits = bytes[start..<at]
      if key, digits.count >= leastDigits, digits.allSatisfy(\.isASCIIDigit) {
        let number = String(decoding: digits, as: UTF8.self)
        text.meet(number)
        out.append(json: text.pseudonyms.person(number))
      } else {
        out.append(bytes: digits)
        // Exponents and the like go on as they are.
        if at == start { copy() }
      }
    }
  }
}
