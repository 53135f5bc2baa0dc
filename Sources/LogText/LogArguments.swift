import Bytes
import CallModel
import Redaction

/// The arguments of an event: members in order, each as JSON text.
public struct LogArguments {
  /// One argument.
  public struct Member {
    public var name: String { didSet { normal = LogName.normal(name) } }
    /// The normalised name, which is needed dozens of times per event.
    public private(set) var normal: String
    /// Its value.
    public var json: String

    public init(_ name: String, _ json: String) {
      (self.name, normal, self.json) = (name, LogName.normal(name), json)
    }
  }

  public private(set) var members: [Member] = []

  public init() {}

  /// Whether there are none.
  public var isEmpty: Bool { members.isEmpty }

  /// Size of names and values, bytes.
  public var size: Int { members.reduce(0) { $0 + $1.name.utf8.count + $1.json.utf8.count } }

  /// The most members kept per event, and the longest value. The number of dropped ones is part of the event.
  private static let limit = Limit.arguments.value
  private static let longest = Limit.argument.value
  /// The leading words of a line of text, if they are not separated by quotes or commas. Names keep their colon, as the
  /// words may be a sentence.
  public var phrase: [String] = []
  /// Names of members after an arrow: `SETUP -> RINGING`.
  public var reached: [String] = []
  /// Number of members beyond the limit.
  private var leftOut = 0

  /// Parses a JSON object's members; values are unchanged. Throws `JSONError`.
  public init(object bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var scanner = JSONScanner(bytes)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let name = key.string
      append(name, json: try scanner.skip())
    }
  }

  /// Parses the elements of a JSON array as arguments `0`, `1`, ….
  public init(array bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var scanner = JSONScanner(bytes)
    try scanner.beginArray()
    while try scanner.nextElement() { append(String(members.count), json: try scanner.skip()) }
  }

  /// Adds a member with a JSON value.
  public mutating func append(_ name: String, json: UnsafeBufferPointer<UInt8>) {
    guard members.count < Self.limit else { return leftOut += 1 }
    let text =
      json.count <= Self.longest
      ? String(decoding: json, as: UTF8.self) : "\"[\(json.count) bytes left out]\""
    members.append(Member(name, text))
  }

  /// Adds a text.
  public mutating func append(_ name: String, text: String) {
    guard members.count < Self.limit else { return leftOut += 1 }
    var out = ByteWriter()
    out.append(json: text)
    members.append(Member(name, out.string))
  }

  /// Adds a number, `true`, `false` or `null` as such, anything else as text.
  public mutating func append(_ name: String, word: String) {
    let isPlain = word == "true" || word == "false" || word == "null" || Self.isNumber(word)
    guard isPlain, members.count < Self.limit else { return append(name, text: word) }
    members.append(Member(name, word))
  }

  /// Adds a member unless its name exists.
  public mutating func add(_ name: String, word: String) {
    if !members.contains(where: { $0.name == name }) { append(name, word: word) }
  }

  public mutating func add<Value>(_ argument: EventArgument<Value>, word: String) {
    add(argument.name, word: word)
  }

  /// Adds a member even if its name exists: the existing one is renamed with the prefix `other_`.
  public mutating func choose(_ name: String, word: String) {
    if let index = members.firstIndex(where: { $0.name == name }), text(name) != word {
      members[index].name = "other_" + name
    }
    add(name, word: word)
  }

  /// Adds a member with a JSON value unless its name exists.
  public mutating func add(_ name: String, json: String) {
    guard !members.contains(where: { $0.name == name }) else { return }
    guard members.count < Self.limit else { return leftOut += 1 }
    members.append(Member(name, json))
  }

  /// Inserts a member in front of all others.
  public mutating func lead(with name: String, json: String) {
    remove(name)
    members.insert(Member(name, json), at: 0)
  }

  /// These, and those of others whose names are not among them.
  public func adding(_ others: LogArguments) -> LogArguments {
    var all = self
    for member in others.members { all.add(member.name, json: member.json) }
    all.leftOut += others.leftOut
    all.reached += others.reached.filter { json($0) == nil }
    return all
  }

  /// Adds to the number of dropped words.
  mutating func leaveOut(_ count: Int) { leftOut += count }

  /// Removes values that may be telephone keys: texts and integers of digits, `*`, `#`, A to D and pauses.
  public mutating func hideTones() {
    for index in members.indices {
      let isNested = members[index].json.first == "{" || members[index].json.first == "["
      let text = Self.plain(members[index].json) ?? ""
      let isTones =
        !text.isEmpty
        && text.utf8.allSatisfy { "0123456789*#ABCDabcd,;wp@\"'() ".utf8.contains($0) }
      guard isNested || isTones || !text.isEmpty && Self.toneNames.contains(members[index].normal) else {
        continue
      }
      members[index].json = "\"\(Redactor.mark)\""
    }
  }

  /// Members that identify a call's keys, kept even if redacted.
  private static let toneNames: Set = [
    "tone", "tones", "digit", "digits", "dtmf", "dtmfcode", "key", "keys", "playdtmfcode", "senddtmf",
  ]

  /// Replaces the JSON values of all members.
  public mutating func mapValues(_ value: (_ name: String, _ json: String) -> String) {
    for index in members.indices { members[index].json = value(members[index].name, members[index].json) }
  }

  /// Removes all values that may be sensitive, except those of some members.
  public mutating func hide(except names: [String]) {
    let kept = Set(names.map { LogName.normal($0) })
    for index in members.indices where !kept.contains(members[index].normal) {
      guard !["true", "false", "null"].contains(members[index].json) else { continue }
      members[index].json = "\"\(Redactor.mark)\""
    }
  }

  /// Removes a member.
  public mutating func remove(_ name: String) { members.removeAll { $0.name == name } }

  /// The text of a member: a string decoded, a number or boolean unchanged; nil for objects, arrays, null, and missing
  /// members. Names are compared exactly first, then normalised; `control.type` looks inside objects.
  public func text(_ path: String) -> String? {
    guard let json = json(path) else { return nil }
    return Self.plain(json)
  }

  /// The JSON text of a member by name or path.
  public func json(_ path: String) -> String? {
    if let exact = members.first(where: { $0.name == path }) { return exact.json }
    let wanted = LogName.normal(path)
    if let near = members.first(where: { $0.normal == wanted }) { return near.json }
    guard let dot = path.utf8.firstIndex(of: UInt8(ascii: ".")), let inner = json(String(path[..<dot])) else {
      return nil
    }
    return Self.members(of: inner)?.json(String(path[path.utf8.index(after: dot)...]))
  }

  /// The members of a JSON object given as text; nil if it is not one.
  public static func members(of json: String) -> LogArguments? {
    var json = json
    return json.withUTF8 { bytes in bytes.first == UInt8(ascii: "{") ? try? LogArguments(object: bytes) : nil
    }
  }

  /// The text of a JSON scalar.
  public static func plain(_ json: String) -> String? {
    var json = json
    return json.withUTF8 { bytes in
      switch bytes.first {
      case UInt8(ascii: "\""):
        var scanner = JSONScanner(bytes)
        return try? scanner.string().string
      case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "n"), nil: return nil
      default: return String(decoding: bytes, as: UTF8.self)
      }
    }
  }

  /// All members as a JSON object.
  public var object: String {
    var out = ByteWriter(capacity: 64)
    out.append(byte: UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { out.append(byte: UInt8(ascii: ",")) }
      out.append(json: member.name)
      out.append(byte: UInt8(ascii: ":"))
      out.append(member.json)
    }
    if leftOut > 0 {
      if !members.isEmpty { out.append(byte: UInt8(ascii: ",")) }
      out.append("\"[left out]\":")
      out.append(leftOut)
    }
    out.append(byte: UInt8(ascii: "}"))
    return out.string
  }

  // A valid JSON number; leading zeros and signs make it a text.
  private static func isNumber(_ word: String) -> Bool {
    guard word.utf8.count <= 24, let first = word.utf8.first,
      first == UInt8(ascii: "-") || first.isASCIIDigit
    else { return false }
    let bytes = Array(word.utf8)
    return bytes.withUnsafeBufferPointer { bytes in
      var scanner = JSONScanner(bytes)
      guard (try? scanner.number()) != nil else { return false }
      return (try? scanner.finish()) != nil
    }
  }
}

extension LogArguments {
  /// The SDP text of a description event, wherever the log has it.
  public var sdp: String? {
    for path in ["sdp", "value.sdp", "description.sdp", "payload.sdp", "value", "offer", "answer", "0.sdp"] {
      if let text = text(path), text.hasPrefix("v=0") || text.contains("a=ice-ufrag") { return text }
    }
    return nil
  }
}

/// A number among arguments that is recognised by its range, such as a quality of 0 to 100: its position in a line
/// varies, and numbers out of range are something else, such as ids.
public enum BoundedNumber {
  /// The most arguments examined.
  private static let most = 16

  /// The first of the positions with such a number, otherwise the only argument in a line with one: a number, alone or
  /// with a percent sign.
  public static func find(
    in arguments: LogArguments, at sources: [String], between range: ClosedRange<Double>
  )
    -> String?
  {
    let named = sources.filter { Int($0) == nil }
    if let number = named.lazy.compactMap({ number(arguments.text($0), range) }).first { return number }
    // A matching name decides, whatever its value: other numbers are something else.
    if named.contains(where: { arguments.text($0) != nil }) { return nil }
    let words = arguments.members.prefix(most).map { ($0.name, LogArguments.plain($0.json)) }
    // The name may be a word before it: `call 12345 quality 49`.
    let normal = named.map { LogName.normal($0) }
    for (index, word) in words.enumerated().dropLast() where Int(word.0) != nil {
      guard let text = word.1, normal.contains(LogName.normal(text)) else { continue }
      return number(words[index + 1].1, range)
    }
    let positions = sources.filter { Int($0) != nil }
    return positions.lazy.compactMap { number(arguments.text($0), range) }.first
  }

  private static func number(_ text: String?, _ range: ClosedRange<Double>) -> String? {
    guard var text = text?.trimmed, text.utf8.count <= 24 else { return nil }
    if text.hasSuffix("%") { text = String(text.dropLast()).trimmed }
    guard let value = Double(text), range.contains(value) else { return nil }
    return text
  }
}
