import Bytes
import CallModel

/// A printed statistics entry.
struct GoogTextEntry {
  var id = ""
  var type = ""
  var timestamp = ""
  var values: [(name: String, value: String)] = []
  /// Number of values beyond the limit.
  var leftOut = 0
  var line = 0

  static let maxValues = Limit.printedValues.value

  /// The entry as JSON of a report.
  var json: [UInt8] {
    var writer = ByteWriter(capacity: 64 + values.count * 40)
    writer.append("{\"id\":")
    writer.append(json: id)
    writer.append(",\"type\":")
    writer.append(json: type)
    writer.append(",\"timestamp\":")
    writer.append(json: timestamp)
    for (name, value) in values {
      writer.append(",")
      writer.append(json: name)
      writer.append(":")
      writer.append(json: value)
    }
    writer.append("}")
    return writer.bytes
  }
}

/// Assembles entries from lines.
struct GoogTextEntries {
  private enum State {
    case outside
    /// From `id:` until the values begin.
    case header(String, lines: Int)
    /// From `Report id` until the values begin, with the number of other lines in between.
    case report(others: Int)
    /// Within `( "name: value", … )`.
    case quoted
    /// Within `[name: value], [name: value]`.
    case bracketed
  }

  private var state = State.outside
  private var entry = GoogTextEntry()

  /// Whether no entry is open.
  var isOutside: Bool { if case .outside = state { true } else { false } }

  /// How a line was used.
  struct LineResult {
    /// The entries completed by it.
    var ended: [GoogTextEntry] = []
    /// Whether it was part of an entry, rather than something between entries.
    var isPart = false
  }

  /// Processes the next line.
  mutating func take(_ text: String, _ number: Int) -> LineResult {
    var taken = LineResult()
    var rest = Substring(text).trimmed
    if rest.isEmpty || rest.hasPrefix("//") || rest.hasPrefix("```") {
      taken.isPart = !isOutside
      return taken
    }
    let start = rest.startIndex
    while !rest.isEmpty {
      switch state {
      case .outside:
        guard begin(&rest, number, &taken) else { return taken }
      case .header(let head, let lines):
        rest = header(head, lines, rest, &taken)
      case .report(let others):
        taken.isPart = report(&rest, others: others, number) || taken.isPart
      case .quoted:
        taken.isPart = taken.isPart || rest.first == "\"" || rest.first == ")"
        if let next = quoted(&rest) { taken.ended.append(next) }
      case .bracketed:
        if let next = bracketed(&rest, isWholeLine: rest.startIndex == start) {
          taken.ended.append(next)
        } else {
          taken.isPart = true
        }
      }
    }
    return taken
  }

  private mutating func begin(_ rest: inout Substring, _ number: Int, _ taken: inout LineResult) -> Bool {
    let id = Self.reportField("id", rest)
    guard let start = id ?? Self.entryStart(rest) else { return false }
    entry = GoogTextEntry()
    entry.line = number
    if let id {
      entry.id = String(id)
      (state, rest, taken.isPart) = (.report(others: 0), "", true)
    } else {
      (state, rest) = (.header("", lines: 0), start)
    }
    return true
  }

  /// The entry still open at the end of the text.
  mutating func finish() -> GoogTextEntry? {
    switch state {
    case .quoted, .bracketed: return end()
    default: return nil
    }
  }

  /// A fast check whether an entry may begin in a line: most lines of a log have an id of something else, if any,
  /// followed by words.
  static func mayBegin(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    if ByteSearch.find("Report id", in: line) != nil { return true }
    guard let start = ByteSearch.find("id:", in: line), start == 0 || " (,".utf8.contains(line[start - 1])
    else { return false }
    let id = line[(start + 3)...].drop { $0 == UInt8(ascii: " ") }.prefix { $0 != UInt8(ascii: ",") }
    let behind = id.drop { $0 > UInt8(ascii: " ") }
    return behind.allSatisfy { $0 <= UInt8(ascii: " ") }
  }

  /// The offset of `id:` at the start of an entry, after any prefix of the log.
  private static func entryStart(_ line: Substring) -> Substring? {
    guard let start = line.after("id:", includingWord: true) else { return nil }
    let before = line[..<start.startIndex].last
    return before == nil || before == " " || before == "(" || before == "," ? start : nil
  }

  /// Collects the header over several lines; returns the text after `values:` and its bracket. Another line ends it,
  /// and is returned.
  private mutating func header(_ head: String, _ lines: Int, _ rest: Substring, _ taken: inout LineResult)
    -> Substring
  {
    let text = head + (head.isEmpty ? "" : " ") + rest
    guard Self.isHeader(text) else {
      state = .outside
      return head.isEmpty ? "" : rest
    }
    if let values = text[...].after("values:"), let bracket = values.trimmed.first,
      bracket == "(" || bracket == "["
    {
      let parts = text[..<values.startIndex]
      entry.id = Self.field("id:", parts)
      entry.type = Self.field("type:", parts)
      entry.timestamp = Self.field("timestamp:", parts)
      guard !entry.type.isEmpty else {
        state = .outside
        return ""
      }
      taken.isPart = true
      state = bracket == "(" ? .quoted : .bracketed
      let behind = values.trimmed
      // The rest belongs to this line: the header ends at its bracket.
      return Substring(bracket == "(" ? behind.dropFirst() : behind)
    }
    // With values in braces it is iOS's description of a report.
    if let values = text[...].after("values:"), !values.trimmed.isEmpty {
      state = .outside
      return ""
    }
    // An id and a type alone may belong to anything.
    taken.isPart = taken.isPart || text[...].after("timestamp:") != nil
    state = lines < 6 && text.utf8.count < 2000 ? .header(text, lines: lines + 1) : .outside
    return ""
  }

  /// Whether a text is the beginning of a header: members with these names, and a number on the next line.
  private static func isHeader(_ text: String) -> Bool {
    let names = ["id:", "type:", "timestamp:", "values:"]
    return text.split(separator: ",").prefix(names.count).allSatisfy { part in
      let part = Substring(part).trimmed
      return part.isEmpty || names.contains { part.hasPrefix($0) || $0.hasPrefix(part) }
        || text[...].after("values:").map { $0.startIndex <= part.startIndex } ?? false
    }
  }

  /// Processes a line of an entry printed with one field per line: `Report type : ssrc`, as in the guide's example.
  private mutating func report(_ rest: inout Substring, others: Int, _ number: Int) -> Bool {
    let line = rest
    rest = ""
    if let id = Self.reportField("id", line) {
      entry = GoogTextEntry()
      entry.line = number
      entry.id = String(id)
      state = .report(others: 0)
    } else if let type = Self.reportField("type", line) {
      entry.type = String(type)
    } else if let timestamp = Self.reportField("timestamp", line) {
      entry.timestamp = String(timestamp)
    } else if let values = Self.reportField("values", line), !entry.type.isEmpty,
      values.first == "(" || values.first == "["
    {
      state = values.first == "(" ? .quoted : .bracketed
      rest = values.first == "(" ? values.dropFirst() : values
    } else {
      state = others < 6 ? .report(others: others + 1) : .outside
      return false
    }
    return true
  }

  private static func reportField(_ name: String, _ line: Substring) -> Substring? {
    guard let behind = line.after("Report \(name)"), behind.first == " " || behind.first == ":" else {
      return nil
    }
    let value = behind.trimmed
    return value.first == ":" ? Substring(value.dropFirst()).trimmed : value
  }

  private static func field(_ name: String, _ header: Substring) -> String {
    guard let value = header.after(name) else { return "" }
    return String(Substring(value.prefix { $0 != "," }).trimmed)
  }

  /// `"name: value"` until the closing bracket. Other lines are ignored; a line with `id:` begins the next entry.
  private mutating func quoted(_ rest: inout Substring) -> GoogTextEntry? {
    rest = Substring(rest.drop { $0 == " " || $0 == "," || $0 == "\t" })
    switch rest.first {
    case "\"":
      let body = rest.dropFirst()
      let inside = body.prefix { $0 != "\"" }
      add(inside)
      rest = body.dropFirst(inside.count + 1)
      return nil
    case ")":
      rest = rest.dropFirst()
      return end()
    default:
      if Self.entryStart(rest) ?? Self.reportField("id", rest) != nil { return end() }
      rest = ""
      return nil
    }
  }

  /// `[name: value]` until another line. Other log lines may begin with a bracket too, but contain more than values.
  private mutating func bracketed(_ rest: inout Substring, isWholeLine: Bool) -> GoogTextEntry? {
    rest = Substring(rest.drop { $0 == " " || $0 == "," || $0 == "\t" })
    guard rest.first == "[" else { return rest.isEmpty ? nil : end() }
    let inside = rest.dropFirst().prefix { $0 != "]" }
    let behind = Substring(rest.dropFirst(inside.count + 2)).trimmed
    if isWholeLine, !behind.isEmpty, behind.first != ",", behind.first != "[" { return end() }
    add(inside)
    rest = rest.dropFirst(inside.count + 2)
    return nil
  }

  private mutating func add(_ text: Substring) {
    let pair = text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text
    guard let colon = pair.firstIndex(of: ":") else { return }
    guard entry.values.count < GoogTextEntry.maxValues else { return entry.leftOut += 1 }
    entry.values.append((String(pair[..<colon].trimmed), String(pair[pair.index(after: colon)...].trimmed)))
  }

  private mutating func end() -> GoogTextEntry {
    state = .outside
    return entry
  }
}

extension Substring {
  /// Without leading and trailing white space.
  var trimmed: Substring {
    var text = self.drop { $0 == " " || $0 == "\t" || $0 == "\r" }
    while let last = text.last, last == " " || last == "\t" || last == "\r" { text = text.dropLast() }
    return text
  }

  /// The text after the first occurrence of a word, or from it on.
  func after(_ word: String, includingWord: Bool = false) -> Substring? {
    var text = self
    guard let found = text.withUTF8({ ByteSearch.find(word, in: $0) }) else { return nil }
    return self[utf8.index(startIndex, offsetBy: includingWord ? found : found + word.utf8.count)...]
  }
}
