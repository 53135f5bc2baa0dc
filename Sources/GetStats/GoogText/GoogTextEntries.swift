import Bytes

/// One printed statistics entry.
struct GoogTextEntry {
  var id = ""
  var type = ""
  var timestamp = ""
  var values: [(name: String, value: String)] = []
  /// Values beyond those that are kept.
  var leftOut = 0
  var line = 0

  static let mostValues = 1000

  /// The entry as the JSON of a report.
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

/// Puts entries together from lines.
struct GoogTextEntries {
  private enum State {
    case outside
    /// From `id:` on, until the values begin.
    case header(String, lines: Int)
    /// Within `( "name: value", … )`.
    case quoted
    /// Within `[name: value], [name: value]`.
    case bracketed
  }

  private var state = State.outside
  private var entry = GoogTextEntry()

  /// Takes the next line, gives the entries that ended in it.
  mutating func take(_ text: String, _ number: Int) -> [GoogTextEntry] {
    var ended: [GoogTextEntry] = []
    var rest = Substring(text).trimmed
    if rest.isEmpty || rest.hasPrefix("//") || rest.hasPrefix("```") { return ended }
    while !rest.isEmpty {
      switch state {
      case .outside:
        guard let start = Self.entryStart(rest) else { return ended }
        entry = GoogTextEntry()
        entry.line = number
        state = .header("", lines: 0)
        rest = start
      case .header(let head, let lines):
        rest = header(head, lines, rest)
      case .quoted:
        if let next = quoted(&rest) { ended.append(next) }
      case .bracketed:
        if let next = bracketed(&rest) { ended.append(next) }
      }
    }
    return ended
  }

  /// The entry that was open when the text ended.
  mutating func finish() -> GoogTextEntry? {
    switch state {
    case .quoted, .bracketed: return end()
    default: return nil
    }
  }

  /// Where `id:` begins a line's entry, whatever a log put before it.
  private static func entryStart(_ line: Substring) -> Substring? {
    guard let start = line.after("id:", includingWord: true) else { return nil }
    let before = line[..<start.startIndex].last
    return before == nil || before == " " || before == "(" || before == "," ? start : nil
  }

  /// Collects the header over as many lines as it takes; gives what stands behind `values:` and its bracket.
  private mutating func header(_ head: String, _ lines: Int, _ rest: Substring) -> Substring {
    let text = head + (head.isEmpty ? "" : " ") + rest
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
      state = bracket == "(" ? .quoted : .bracketed
      let behind = values.trimmed
      // What follows was part of this line: the header ends at its bracket.
      return Substring(bracket == "(" ? behind.dropFirst() : behind)
    }
    state = lines < 6 && text.utf8.count < 2000 ? .header(text, lines: lines + 1) : .outside
    return ""
  }

  private static func field(_ name: String, _ header: Substring) -> String {
    guard let value = header.after(name) else { return "" }
    return String(Substring(value.prefix { $0 != "," }).trimmed)
  }

  /// `"name: value"` until the closing bracket. A line that begins with neither is furniture; one with `id:` is the next entry.
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
      if Self.entryStart(rest) != nil { return end() }
      rest = ""
      return nil
    }
  }

  private mutating func bracketed(_ rest: inout Substring) -> GoogTextEntry? {
    rest = Substring(rest.drop { $0 == " " || $0 == "," || $0 == "\t" })
    guard rest.first == "[" else { return rest.isEmpty ? nil : end() }
    let inside = rest.dropFirst().prefix { $0 != "]" }
    add(inside)
    rest = rest.dropFirst(inside.count + 2)
    return nil
  }

  private mutating func add(_ pair: Substring) {
    guard let colon = pair.firstIndex(of: ":") else { return }
    guard entry.values.count < GoogTextEntry.mostValues else { return entry.leftOut += 1 }
    entry.values.append((String(pair[..<colon].trimmed), String(pair[pair.index(after: colon)...].trimmed)))
  }

  private mutating func end() -> GoogTextEntry {
    state = .outside
    return entry
  }
}

extension Substring {
  /// Without white space at both ends.
  var trimmed: Substring {
    var text = self.drop { $0 == " " || $0 == "\t" || $0 == "\r" }
    while let last = text.last, last == " " || last == "\t" || last == "\r" { text = text.dropLast() }
    return text
  }

  /// What follows the first occurrence of a word, or begins with it.
  func after(_ word: String, includingWord: Bool = false) -> Substring? {
    var text = self
    guard let found = text.withUTF8({ ByteSearch.find(word, in: $0) }) else { return nil }
    return self[utf8.index(startIndex, offsetBy: includingWord ? found : found + word.utf8.count)...]
  }
}
