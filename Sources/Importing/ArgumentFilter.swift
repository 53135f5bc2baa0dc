import Bytes
import CallModel
import EventLogs

/// Keeps the arguments of an event that have a known name or a type; other texts are replaced by a mark, and counted.
///
/// A text is kept under a name that a dialect, W3C or SIP knows, or that of a person, and under any name if its form says
/// what it is (`TypedText`). Flags and numbers are kept, except numbers of four to ten digits among the words of a line,
/// as codes have. A name that nothing knows is left out if it is no identifier.
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

  /// The arguments of an event without the texts that are not known. The argument `value`, which stands alone, is known
  /// if W3C names the event.
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
              let name = key.string
              kind = self.kind(of: name, value: ofValue)
              if kind == .unknown, TypedText.mayHideSecret(name: name), let first = bytes.baseAddress,
                let keyStart = key.bytes.baseAddress.map({ $0 - first })
              {
                cuts.append((keyStart - 1..<keyStart + key.bytes.count + 1, leaveOut()))
              }
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
    if Self.isJSON(text) {
      guard layer < Self.mostLayers else { return leaveOut() }
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
