import Bytes

/// A line of a container's log that holds a part of what the container printed as one line, or the whole of it:
/// - Docker's json-file: entries of 16 KiB, of which only the last ends with a line feed;
/// - the Container Runtime Interface (containerd, CRI-O, Podman): `2026-11-20T10:00:00.1Z stdout P …`, the last one with `F`;
/// - journald: entries with `CONTAINER_PARTIAL_MESSAGE`, the last one without, or with `CONTAINER_PARTIAL_LAST`.
struct LinePart {
  /// Whose line it is a part of.
  var writer: String
  /// Whether another part follows.
  var goesOn: Bool
  /// When it was written, as it is written there, to the second: parts come in the order of time.
  var second: [UInt8] = []
  /// The text; nil where it was left out.
  var text: [UInt8]?
  /// Where the text stands in the line, in JSON with its quotes.
  var textStart: Int
  var textEnd: Int
  var isJSON: Bool

  /// What Docker reads at most before it writes.
  private static let dockerPart = 16 << 10
  /// How much longer that may have become: of a letter that was cut each byte, up to three at either end, stands as U+FFFD.
  private static let dockerMore = 12
  private static let partial: StaticString = "CONTAINER_PARTIAL_MESSAGE"

  /// A quick look: whether it may be a part that another one follows.
  static func mayGoOn(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = line.first else { return false }
    if first.isASCIIDigit { return RuntimeMark(line)?.goesOn ?? false }
    guard first == UInt8(ascii: "{") else { return false }
    if isJournal(line) { return ByteSearch.find(partial, in: line) != nil }
    return line.count >= dockerPart && isDocker(line)
  }

  /// Nil where the line is none of a container's log.
  init?(_ line: UnsafeBufferPointer<UInt8>) {
    if let mark = RuntimeMark(line) {
      self.init(
        writer: mark.isError ? "stderr" : "stdout", goesOn: mark.goesOn, text: Array(line[mark.textStart...]),
        textStart: mark.textStart, textEnd: line.count, isJSON: false)
      second = Array(line[..<Self.secondLength])
    } else if Self.isDocker(line), let part = try? Self.docker(line) {
      self = part
    } else if Self.isJournal(line), let part = try? Self.journal(line) {
      self = part
    } else {
      return nil
    }
  }

  private init(
    writer: String, goesOn: Bool, text: [UInt8]?, textStart: Int, textEnd: Int, isJSON: Bool
  ) {
    (self.writer, self.goesOn, self.text) = (writer, goesOn, text)
    (self.textStart, self.textEnd, self.isJSON) = (textStart, textEnd, isJSON)
  }

  // Its entries begin with the text.
  private static func isDocker(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    ByteSearch.find("\"log\"", in: UnsafeBufferPointer(rebasing: line.prefix(8))) != nil
  }

  // All members of its entries have names in capitals, its own with a line in front.
  private static func isJournal(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let quote = line.prefix(4).firstIndex(of: UInt8(ascii: "\"")), quote + 1 < line.count else {
      return false
    }
    let first = line[quote + 1]
    return first == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
  }

  private static func docker(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> LinePart? {
    var found = LinePart(writer: "", goesOn: false, text: nil, textStart: 0, textEnd: 0, isJSON: true)
    try members(of: line) { key, kind, scanner throws(JSONError) in
      if key == "log", kind == .string {
        (found.text, found.textStart, found.textEnd) = try text(&scanner)
      } else if key == "stream", kind == .string {
        found.writer = try scanner.string().string
      } else if key == "time", kind == .string {
        found.second = Array(try scanner.string().bytes.prefix(secondLength))
      } else {
        try scanner.skip()
      }
    }
    guard let text = found.text else { return nil }
    found.goesOn =
      text.last != UInt8(ascii: "\n") && (dockerPart...(dockerPart + dockerMore)).contains(text.count)
    return found
  }

  private static func journal(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> LinePart? {
    var found = LinePart(writer: "", goesOn: false, text: nil, textStart: 0, textEnd: 0, isJSON: true)
    var words: [String: String] = [:]
    try members(of: line) { key, kind, scanner throws(JSONError) in
      if key == "MESSAGE" {
        (found.text, found.textStart, found.textEnd) = try text(&scanner)
      } else if kind == .string, key.bytes.count <= longestName {
        let name = key.string
        let value = try scanner.string()
        if telling.contains(name), value.bytes.count <= longestWord { words[name] = value.string }
      } else {
        try scanner.skip()
      }
    }
    found.goesOn = words[partial.description] == "true" && words["CONTAINER_PARTIAL_LAST"] != "true"
    let container = words["CONTAINER_ID_FULL"] ?? words["CONTAINER_ID"] ?? words["CONTAINER_NAME"]
    // Standard output and standard error have priorities of their own.
    let writer = words["CONTAINER_PARTIAL_ID"] ?? container.map { $0 + " " + (words["PRIORITY"] ?? "") }
    guard let writer else { return nil }
    found.writer = writer
    found.second = Array((words["__REALTIME_TIMESTAMP"] ?? "").utf8)
    return found
  }

  private static let telling: Set = [
    partial.description, "CONTAINER_PARTIAL_LAST", "CONTAINER_PARTIAL_ID", "CONTAINER_ID_FULL",
    "CONTAINER_ID", "CONTAINER_NAME",
    "PRIORITY", "__REALTIME_TIMESTAMP",
  ]
  private static let longestName = 32
  private static let longestWord = 256
  private static let secondLength = 19

  private static func members(
    of line: UnsafeBufferPointer<UInt8>,
    _ take: (JSONText, JSONKind, inout JSONScanner) throws(JSONError) -> Void
  ) throws(JSONError) {
    var scanner = JSONScanner(line)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let kind = try scanner.peek()
      try take(key, kind, &scanner)
    }
    try scanner.finish()
  }

  // A text, or its bytes one by one where they are no UTF-8, as of a letter that was cut; nil for what journald left out.
  private static func text(_ scanner: inout JSONScanner) throws(JSONError) -> ([UInt8]?, Int, Int) {
    let kind = try scanner.peek()
    let start = scanner.position
    var text: [UInt8]?
    switch kind {
    case .string: text = try scanner.string().decoded()
    case .array:
      var bytes: [UInt8] = []
      try scanner.beginArray()
      while try scanner.nextElement() {
        guard try scanner.peek() == .number, let byte = UInt8(exactly: try scanner.number()) else {
          throw JSONError(byte: scanner.position, reason: "a byte expected")
        }
        bytes.append(byte)
      }
      text = bytes
    default: try scanner.skip()
    }
    return (text, start, scanner.position)
  }
}
