import Bytes
import CallModel
import EventLogs

/// Keeps of the arguments of an event what has a name or a type; other texts are replaced by a mark, and counted.
///
/// A text is kept under a name that a dialect, W3C or SIP knows, or that of a person; and anywhere if it is a word, a
/// UUID, an address, a time, a description or a candidate. Numbers and flags are kept, but not those of four to ten
/// digits in the middle of a sentence, as codes have.
struct ArgumentFilter {
  /// Replaces what is left out.
  static let mark = "[left out]"
  /// Texts that are JSON themselves are looked into: more layers are left out.
  private static let mostLayers = 3
  private static let mostNames = 4096

  private let names: ArgumentNames
  private var kinds: [String: Kind] = [:]
  /// The position of whom the event's method calls: a person, as under a name.
  private var callee: String?
  /// How many texts were left out.
  private(set) var leftOut = 0

  private enum Kind { case named, position, unknown }

  init(_ names: ArgumentNames) { self.names = names }

  /// The note on what was left out; nil if nothing was.
  var note: String? {
    leftOut == 0
      ? nil
      : "\(Plural.of(leftOut, "text of an argument", "texts of arguments")) without a known name left out; "
        + "--keep-unknown keeps them, without secrets"
  }

  /// The arguments of an event with what is not known left out. A value without a name is the event's own if W3C names
  /// the event.
  mutating func filtered(_ event: EventRecord) -> String {
    let isStandard = event.sdk == "w3c" && event.event != .unknown
    callee = DialMethods.callee(of: event.raw)
    return filtered(event.args, value: isStandard ? .named : .unknown, layer: 0) ?? event.args
  }

  // Nil if everything is kept. A loop with its own stack, as JSON may be deeply nested.
  private mutating func filtered(_ json: String, value ofValue: Kind, layer: Int) -> String? {
    var json = json
    return json.withUTF8 { bytes in
      var scanner = JSONScanner(bytes)
      var cuts: [(range: Range<Int>, json: String)] = []
      var open: [(isObject: Bool, kind: Kind)] = []
      var kind = Kind.unknown
      var isInGroups = false
      do throws(JSONError) {
        repeat {
          let found = try scanner.peek()
          let start = scanner.position
          switch found {
          case .object:
            try scanner.beginObject()
            open.append((true, kind))
          case .array:
            try scanner.beginArray()
            open.append((false, kind))
          case .string:
            let text = try scanner.string().string
            if let other = replacement(of: text, kind, ofValue, layer) {
              cuts.append((start..<scanner.position, other))
            }
          case .number where kind == .position:
            let number = try scanner.skip()
            if !isInGroups, Self.mayBeCode(number) { cuts.append((start..<scanner.position, leaveOut())) }
          default: try scanner.skip()
          }
          // The groups of a telephone number are arguments of their own: `+49`, `170`, `5551234`.
          isInGroups = bytes[start..<scanner.position].allSatisfy { byte in
            byte.isASCIIDigit || "\"+-()/.".utf8.contains(byte)
          }
          while let top = open.last {
            if top.isObject, let key = try scanner.nextKey() {
              kind = self.kind(of: key.string, value: ofValue)
              break
            }
            if !top.isObject, try scanner.nextElement() {
              kind = top.kind
              break
            }
            open.removeLast()
          }
        } while !open.isEmpty
      } catch {
        // Readers write JSON: what is none has no arguments.
        cuts = [(0..<bytes.count, leaveOut())]
      }
      guard !cuts.isEmpty else { return nil }
      var out = ByteWriter(capacity: bytes.count)
      var at = 0
      for cut in cuts {
        out.append(bytes: bytes[at..<cut.range.lowerBound])
        out.append(cut.json)
        at = cut.range.upperBound
      }
      out.append(bytes: bytes[at...])
      return out.string
    }
  }

  private mutating func kind(of name: String, value: Kind) -> Kind {
    if name == "value" { return value }
    if name == callee { return .named }
    if let known = kinds[name] { return known }
    if kinds.count == Self.mostNames { kinds.removeAll() }
    let isNamed = names.contains(name) || PersonalMembers.isPerson(name.utf8)
    let kind: Kind = Int(name) != nil ? .position : isNamed ? .named : .unknown
    kinds[name] = kind
    return kind
  }

  /// The JSON text that a text is replaced by; nil if it is kept.
  private mutating func replacement(of text: String, _ kind: Kind, _ value: Kind, _ layer: Int) -> String? {
    // JSON in a text has names of its own.
    if layer < Self.mostLayers, Self.isJSON(text) {
      return filtered(text, value: value, layer: layer + 1).map { inner in
        var out = ByteWriter()
        out.append(json: inner)
        return out.string
      }
    }
    return kind == .named || TypedText.isTyped(text) ? nil : leaveOut()
  }

  private static func isJSON(_ text: String) -> Bool {
    guard text.utf8.first == UInt8(ascii: "{") || text.utf8.first == UInt8(ascii: "[") else { return false }
    var text = text
    return text.withUTF8 { bytes in
      var scanner = JSONScanner(bytes)
      return (try? scanner.skip()) != nil
    }
  }

  private mutating func leaveOut() -> String {
    leftOut += 1
    return "\"\(Self.mark)\""
  }

  // PINs and codes that are sent have four to ten digits; a status has three, an epoch in ms more.
  private static func mayBeCode(_ number: UnsafeBufferPointer<UInt8>) -> Bool {
    4...10 ~= number.count && number.allSatisfy(\.isASCIIDigit)
  }
}

/// Texts that say by their form what they are, and cannot be secrets.
enum TypedText {
  /// A word of a list (`ACBClientCallStatusRinging`, `audio/opus`, `vp9`), a UUID, an address of a host or of a person,
  /// a time, a number; a description or a candidate, whose secrets have names.
  static func isTyped(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      if bytes.count <= 4 { return true }
      if bytes.starts(with: "v=0".utf8) || bytes.starts(with: "candidate:".utf8)
        || bytes.starts(with: "a=candidate:".utf8) || bytes.first == UInt8(ascii: "[") && isMark(bytes)
      {
        return true
      }
      return bytes.count <= longest
        && (isWord(bytes) || isUUID(bytes) || isAddress(bytes) || isTime(bytes) || isPerson(bytes))
    }
  }

  private static let longest = 64

  // What takes the place of something else: `[redacted]`, `[1234 bytes left out]`.
  private static func isMark(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.elementsEqual("[redacted]".utf8)
      || bytes.count <= longest && bytes.suffix(9).elementsEqual("left out]".utf8)
  }

  // Of any script, also in quotes.
  private static func isWord(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.allSatisfy { $0.isASCIILetter || $0 >= 0x80 || "_-./:()\"',".utf8.contains($0) }
  }

  // `<sip:+491705551234@example.org>`, `bob@example.org`: a name, and a host with a point.
  private static func isPerson(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let at = bytes.firstIndex(of: UInt8(ascii: "@")), at > 0 else { return false }
    let host = bytes[(at + 1)...]
    return host.contains(UInt8(ascii: "."))
      && host.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || ".-:;=>".utf8.contains($0) }
      && bytes[..<at].allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || "<:+.-_%".utf8.contains($0) }
  }

  private static func isUUID(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.count == 36 && bytes.count(where: \.isASCIIHexDigit) == 32
      && bytes.count(where: { $0 == UInt8(ascii: "-") }) == 4
  }

  // An IP address, also with a port, or a number with a point.
  private static func isAddress(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let points = bytes.count { $0 == UInt8(ascii: ".") }
    let colons = bytes.count { $0 == UInt8(ascii: ":") }
    let isIP = points == 3 && colons <= 1 || colons >= 2
    return (isIP || points == 1 && colons == 0) && bytes.count <= 45
      && bytes.allSatisfy { ($0.isASCIIHexDigit && (isIP || $0.isASCIIDigit)) || ".:-[]".utf8.contains($0) }
  }

  // `2026-11-20T10:00:00.123+01:00`.
  private static func isTime(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.count >= 10 && bytes[4] == UInt8(ascii: "-") && bytes[7] == UInt8(ascii: "-")
      && bytes.allSatisfy { $0.isASCIIDigit || "-:.+TZ ".utf8.contains($0) }
  }
}
