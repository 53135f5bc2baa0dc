import Bytes

/// Reports in the debug output of programs: Android's `RTCStatsReport.toString()`, iOS's description of
/// `RTCStatistics`, Python's `repr` (aiortc), Node's `console.log`. Each is converted to JSON and read as a snapshot.
struct PrintedReports {
  /// Longest text assembled from several lines, bytes and lines: iOS prints one member per line.
  private static let maxBytes = 256 << 10
  private static let maxLines = 2000

  private var pending: [UInt8] = []
  private var lines = 0
  private var brackets = Brackets()

  /// Whether a text contains the type of a report in one of the four forms.
  static func stand(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    marks.contains { ByteSearch.find($0, in: text) != nil }
  }

  private static let marks = ["inbound-rtp", "outbound-rtp", "candidate-pair", "media-source"].flatMap {
    type in
    ["type: \(type),", "type='\(type)'", "type: '\(type)'", "'type': '\(type)'"]
  }

  /// Processes a line: whether it is part of printed reports, and the reports that it completes, as a JSON array.
  mutating func take(_ line: UnsafeBufferPointer<UInt8>) -> (isPart: Bool, json: [UInt8]?) {
    if pending.isEmpty {
      guard Self.stand(in: line) || Self.begins(line) else { return (false, nil) }
    } else if pending.count + line.count > Self.maxBytes || lines > Self.maxLines {
      forget()
      return (false, nil)
    }
    if !pending.isEmpty { pending.append(UInt8(ascii: "\n")) }
    pending += line
    lines += 1
    brackets.take(line)
    guard brackets.areClosed else { return (true, nil) }
    defer { forget() }
    var parser = PrintedObject(pending)
    let json = parser.reports()
    return (json != nil, json)
  }

  /// Whether a line begins a report whose members follow below: `id: I1, type: inbound-rtp, timestamp: …, values: {`.
  private static func begins(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    ByteSearch.find(", type: ", in: line) != nil && ByteSearch.find("values: {", in: line) != nil
  }

  private mutating func forget() { (pending, lines, brackets) = ([], 0, Brackets()) }
}

/// The brackets of a multi-line text, except those in quotes.
private struct Brackets {
  private var depth = 0
  private var quote: UInt8?
  private var isEscaped = false

  /// Whether all brackets are closed.
  var areClosed: Bool { depth <= 0 }

  mutating func take(_ line: UnsafeBufferPointer<UInt8>) {
    // A backslash at the end of a line escapes the line end.
    isEscaped = false
    for byte in line {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if let open = quote {
        if byte == open { quote = nil }
      } else {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ")"): depth -= 1
        default: break
        }
      }
    }
  }
}

/// An object in debug output: pairs with `:`, `=` or `=>`, ended by `,`, `;` or the end of the line, in brackets of any
/// kind, optionally preceded by a class name.
private struct PrintedObject {
  private indirect enum Value {
    case text(String)
    case number(String)
    case word(String)
    case list([Value])
    case map([(key: String, value: Value)])

    subscript(_ key: String) -> Value? {
      guard case .map(let members) = self else { return nil }
      return members.first { $0.key == key }?.value
    }
  }

  private static let deepest = 24
  private let text: [UInt8]
  private var at = 0

  init(_ text: [UInt8]) { self.text = text }

  /// The reports in the text, as a JSON array; nil if there are none.
  mutating func reports() -> [UInt8]? {
    var found: [Value] = []
    // Text of a logger in front of them ends where the first object begins.
    if let place = firstPair {
      at = place
      found += Self.reports(in: .map(pairs(until: nil, depth: 0)), depth: 0)
    }
    if found.isEmpty {
      at = 0
      while at < text.count, found.isEmpty {
        guard let open = text[at...].firstIndex(where: { "{[".utf8.contains($0) }) else { break }
        at = open
        let value = value(depth: 0)
        found += Self.reports(in: value, depth: 0)
        if at <= open { at = open + 1 }
      }
    }
    guard !found.isEmpty else { return nil }
    var json = ByteWriter()
    json.append("[")
    for (index, report) in found.enumerated() {
      if index > 0 { json.append(",") }
      Self.write(report, to: &json)
    }
    json.append("]")
    return json.bytes
  }

  /// The start of a report without brackets: `id: I1, type: inbound-rtp, …`.
  private var firstPair: Int? {
    text.withUnsafeBufferPointer { text -> Int? in
      guard let type = ByteSearch.find(", type: ", in: text), ByteSearch.find("values: {", in: text) != nil
      else { return nil }
      var start = type
      while start > 0, text[start - 1] != UInt8(ascii: " "), text[start - 1] != UInt8(ascii: "\n") {
        start -= 1
      }
      guard start >= 4, text[(start - 4)..<start].elementsEqual("id: ".utf8) else { return nil }
      return start - 4
    }
  }

  private static func reports(in value: Value, depth: Int) -> [Value] {
    guard depth < deepest else { return [] }
    switch value {
    case .list(let all): return all.flatMap { reports(in: $0, depth: depth + 1) }
    case .map(let members):
      if case .some = value["type"], case .some = value["id"] { return [value] }
      return members.flatMap { reports(in: $0.value, depth: depth + 1) }
    case .text, .number, .word: return []
    }
  }

  // MARK: Parsing

  private mutating func skipBlanks() {
    while at < text.count, text[at] <= UInt8(ascii: " ") { at += 1 }
  }

  private var byte: UInt8? { at < text.count ? text[at] : nil }

  private mutating func value(depth: Int) -> Value {
    skipBlanks()
    guard depth < Self.deepest, let first = byte else { return .word("") }
    switch first {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(quoted(first))
    case UInt8(ascii: "{"):
      at += 1
      return .map(pairs(until: UInt8(ascii: "}"), depth: depth + 1))
    case UInt8(ascii: "["):
      at += 1
      return .list(values(until: UInt8(ascii: "]"), depth: depth + 1))
    case UInt8(ascii: "("):
      at += 1
      return .list(values(until: UInt8(ascii: ")"), depth: depth + 1))
    default: return word(depth: depth)
    }
  }

  private mutating func quoted(_ quote: UInt8) -> String {
    at += 1
    var bytes: [UInt8] = []
    while let next = byte, next != quote {
      if next == UInt8(ascii: "\\"), at + 1 < text.count { at += 1 }
      bytes.append(text[at])
      at += 1
    }
    at += 1
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A word up to the next delimiter; for a constructor, the contents of its brackets.
  private mutating func word(depth: Int) -> Value {
    let start = at
    while let next = byte, !",;\n}])({[=".utf8.contains(next) || next == UInt8(ascii: "(") && at == start {
      at += 1
    }
    let name = String(decoding: text[start..<at], as: UTF8.self).trimmingBlanks
    switch byte {
    case UInt8(ascii: "(") where name.hasSuffix("datetime"):
      at += 1
      return Self.moment(values(until: UInt8(ascii: ")"), depth: depth + 1))
    case UInt8(ascii: "(") where !name.isEmpty:
      at += 1
      return .map(pairs(until: UInt8(ascii: ")"), depth: depth + 1))
    case UInt8(ascii: "{") where !name.isEmpty:
      at += 1
      return .map(pairs(until: UInt8(ascii: "}"), depth: depth + 1))
    default: break
    }
    if at == start { at += 1 }
    return Self.isNumber(name) ? .number(name) : .word(name)
  }

  private mutating func values(until end: UInt8, depth: Int) -> [Value] {
    var found: [Value] = []
    while true {
      skipBlanks()
      guard let next = byte, next != end else { break }
      if next == UInt8(ascii: ",") || next == UInt8(ascii: ";") {
        at += 1
        continue
      }
      let before = at
      found.append(value(depth: depth))
      // `tzinfo=…` among positional arguments.
      if byte == UInt8(ascii: "=") { at += 1 }
      if at == before { at += 1 }
    }
    at += 1
    return found
  }

  private mutating func pairs(until end: UInt8?, depth: Int) -> [(key: String, value: Value)] {
    var found: [(key: String, value: Value)] = []
    while found.count < 100_000 {
      skipBlanks()
      guard let next = byte, next != end else { break }
      if ",;".utf8.contains(next) {
        at += 1
        continue
      }
      let before = at
      let key: String
      if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") {
        key = quoted(next)
      } else {
        while let next = byte, !":=,;\n".utf8.contains(next), next != end { at += 1 }
        key = String(decoding: text[before..<at], as: UTF8.self).trimmingBlanks
      }
      skipBlanks()
      guard let sign = byte, sign == UInt8(ascii: ":") || sign == UInt8(ascii: "=") else {
        if at == before { at += 1 }
        continue
      }
      at += 1
      if byte == UInt8(ascii: ">") { at += 1 }
      found.append((key, value(depth: depth)))
    }
    at += 1
    return found
  }

  private static func isNumber(_ text: String) -> Bool {
    guard let first = text.utf8.first, first == UInt8(ascii: "-") || first.isASCIIDigit else { return false }
    return Double(text)?.isFinite == true && !text.hasPrefix("0x")
  }

  /// `datetime.datetime(2026, 11, 20, 10, 0, 1, 123456)` as ms since the epoch, UTC.
  private static func moment(_ parts: [Value]) -> Value {
    let numbers = parts.compactMap { part -> Double? in
      if case .number(let text) = part { Double(text) } else { nil }
    }
    // Python's range of years; other numbers may be anything.
    guard numbers.count >= 3, 1...9999 ~= numbers[0], 1...12 ~= numbers[1], 1...31 ~= numbers[2] else {
      return .word("null")
    }
    func part(_ place: Int) -> Double { place < numbers.count ? numbers[place] : 0 }
    // Days since the epoch of the proleptic Gregorian calendar (Howard Hinnant's algorithm).
    let (month, day) = (Int(part(1)), Int(part(2)))
    let year = Int(part(0)) - (month <= 2 ? 1 : 0)
    let era = (year >= 0 ? year : year - 399) / 400
    let ofEra = year - era * 400
    let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let days = era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    let seconds = Double(days) * 86_400 + part(3) * 3600 + part(4) * 60 + part(5)
    return .number(String(seconds * 1000 + part(6) / 1000))
  }

  // MARK: Writing

  private static func write(_ value: Value, to json: inout ByteWriter, of key: String = "") {
    switch value {
    // iOS quotes texts with a point or a sign.
    case .text(let text):
      if isNumber(text), !key.lowercased().hasSuffix("id"), key != "type" {
        json.append(text)
      } else {
        json.append(json: text)
      }
    case .number(let text): json.append(text)
    case .word(let word):
      switch word {
      case "true", "True", "YES": json.append("true")
      case "false", "False", "NO": json.append("false")
      case "", "null", "None", "nil", "<null>", "undefined", "NaN", "Infinity", "nan", "inf":
        json.append("null")
      default: json.append(json: word)
      }
    case .list(let all):
      json.append("[")
      for (index, one) in all.enumerated() {
        if index > 0 { json.append(",") }
        write(one, to: &json)
      }
      json.append("]")
    case .map(let members):
      json.append("{")
      for (index, member) in members.enumerated() {
        if index > 0 { json.append(",") }
        json.append(json: member.key)
        json.append(":")
        write(member.value, to: &json, of: member.key)
      }
      json.append("}")
    }
  }
}

extension String {
  /// Without leading and trailing blanks.
  fileprivate var trimmingBlanks: String {
    String(decoding: utf8.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.reversed(), as: UTF8.self)
  }
}
