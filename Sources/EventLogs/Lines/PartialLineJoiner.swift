import Bytes
import CallModel
import IO

/// Joins lines that a container's log has split into parts (see `PartialLine`). Other lines are passed on
/// unchanged.
///
/// Parts of several lines may be interleaved, such as those of standard output and standard error.
public struct PartialLineJoiner {
  /// A line of which some parts have been read.
  private struct Open {
    /// What surrounds the text, from the line of its first part.
    var head: [UInt8]
    var tail: [UInt8]
    var text: [UInt8]
    var isJSON: Bool
    var second: [UInt8]
    var line: Int
    var offset: Int
    /// Whether the line exceeds the maximum length. No more of it is kept.
    var isTooLong = false

    var bytes: [UInt8] {
      guard isJSON else { return head + text }
      var whole = ByteWriter(capacity: head.count + text.count + text.count / 8 + tail.count + 2)
      whole.append(bytes: head)
      whole.append(json: String(decoding: text, as: UTF8.self))
      whole.append(bytes: tail)
      return whole.bytes
    }
  }

  /// The number and offset of the line that the last `take` dropped because its parts together exceed the
  /// maximum length.
  public private(set) var tooLong: (line: Int, offset: Int)?
  private let longestLine: Int
  private var open: [String: Open] = [:]
  /// The number of bytes kept for all open lines.
  private var kept = 0
  private var notWhole = 0
  /// The maximum number of lines open at a time. Parts of further lines are passed on unchanged.
  private static let maxOpen = Limit.openLines.value

  /// All open lines together are no longer than `longestLine` bytes.
  public init(longestLine: Int) { self.longestLine = longestLine }

  /// Notes about lines that could not be joined.
  public var notes: [String] {
    notWhole == 0
      ? []
      : [
        "\(Plural.of(notWhole, "line that a container's log cut into parts is", "lines that a container's log cut into parts are")) not whole in it: a part is missing"
      ]
  }

  /// Reads the lines of a source, joined. `tooLong` is called with the number and offset of each line that
  /// exceeds the maximum length. Returns notes about lines that could not be joined.
  public static func read(
    _ source: any ByteSource, longestLine: Int, tooLong: (_ line: Int, _ offset: Int) throws -> Void,
    _ give: (_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) throws -> Void
  ) throws -> [String] {
    var lines = LineReader(source, longestLine: longestLine)
    var cut = PartialLineJoiner(longestLine: longestLine)
    while try lines.next({ try cut.take($0, number: $1, offset: $2, give) }) {
      for long in [lines.tooLong.map { ($0.line, $0.offset) }, cut.tooLong.map { ($0.line, $0.offset) }] {
        if let (line, offset) = long { try tooLong(line, offset) }
      }
    }
    try cut.finish(give)
    return cut.notes
  }

  /// Passes on complete lines, with the number and offset of the first part of each.
  public mutating func take(
    _ bytes: UnsafeBufferPointer<UInt8>, number: Int, offset: Int,
    _ give: (_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) throws -> Void
  ) rethrows {
    tooLong = nil
    guard !open.isEmpty || PartialLine.mayGoOn(bytes), let part = PartialLine(bytes) else {
      return try give(bytes, number, offset)
    }
    if let begun = open[part.writer], part.second.lexicographicallyPrecedes(begun.second) {
      // An earlier timestamp cannot continue the line: a part is missing, or the log is in reverse order.
      notWhole += 1
      try close(part.writer, give)
    }
    guard let text = part.text else {
      if part.goesOn || open[part.writer] != nil { notWhole += 1 }
      try close(part.writer, give)
      return try give(bytes, number, offset)
    }
    guard open[part.writer] != nil || part.goesOn else { return try give(bytes, number, offset) }
    if open[part.writer] == nil {
      guard open.count < Self.maxOpen else {
        notWhole += 1
        return try give(bytes, number, offset)
      }
      open[part.writer] = Open(
        head: Array(bytes[..<part.textStart]), tail: Array(bytes[part.textEnd...]), text: [],
        isJSON: part.isJSON, second: part.second, line: number, offset: offset)
    }
    add(text, of: part.writer)
    if !part.goesOn { try close(part.writer, give) }
  }

  /// Passes on lines that are still open. Call this once, after the last line.
  public mutating func finish(
    _ give: (_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) throws -> Void
  ) rethrows {
    for (writer, begun) in open.sorted(by: { $0.value.line < $1.value.line }) {
      if !begun.isTooLong { notWhole += 1 }
      try close(writer, give)
    }
  }

  private mutating func add(_ text: [UInt8], of writer: String) {
    guard var begun = open.removeValue(forKey: writer) else { return }
    if begun.isTooLong || kept + text.count > longestLine {
      kept -= begun.text.count
      begun.text = []
      begun.isTooLong = true
    } else {
      kept += text.count
      begun.text += text
    }
    open[writer] = begun
  }

  private mutating func close(
    _ writer: String, _ give: (UnsafeBufferPointer<UInt8>, Int, Int) throws -> Void
  ) rethrows {
    guard let begun = open.removeValue(forKey: writer) else { return }
    kept -= begun.text.count
    if begun.isTooLong {
      tooLong = (begun.line, begun.offset)
    } else {
      try begun.bytes.withUnsafeBufferPointer { try give($0, begun.line, begun.offset) }
    }
  }
}

/// A line of a container's log that holds all or part of one line that the container printed:
/// - Docker's json-file: entries of 16 KiB, of which only the last ends with a line feed;
/// - the Container Runtime Interface (containerd, CRI-O, Podman): `2026-11-20T10:00:00.1Z stdout P …`, with
///   `F` on the last;
/// - journald: entries with `CONTAINER_PARTIAL_MESSAGE`, the last one without it or with
///   `CONTAINER_PARTIAL_LAST`.
struct PartialLine {
  /// Identifies the writer whose line this is a part of.
  var writer: String
  /// Whether another part follows.
  var goesOn: Bool
  /// The time as written, to the second. Parts are in chronological order.
  var second: [UInt8] = []
  /// The text; nil if it was left out.
  var text: [UInt8]?
  /// The offset of the text in the line, including its quotes in JSON.
  var textStart: Int
  var textEnd: Int
  var isJSON: Bool

  /// The number of bytes that Docker reads at most before it writes.
  private static let dockerPart = 16 << 10
  /// By how many bytes that may grow. Each byte of a split character, up to three at either end, becomes
  /// U+FFFD.
  private static let dockerMore = 12
  private static let partial: StaticString = "CONTAINER_PARTIAL_MESSAGE"

  /// A quick check of whether it may be a part that another one follows.
  static func mayGoOn(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = line.first else { return false }
    if first.isASCIIDigit { return ContainerRuntimePrefix(line)?.goesOn ?? false }
    guard first == UInt8(ascii: "{") else { return false }
    if isJournal(line) { return ByteSearch.find(partial, in: line) != nil }
    return line.count >= dockerPart && isDocker(line)
  }

  /// Fails if the line is not from a container's log.
  init?(_ line: UnsafeBufferPointer<UInt8>) {
    if let mark = ContainerRuntimePrefix(line) {
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

  // All members of its entries have upper-case names; its own begin with an underscore.
  private static func isJournal(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let quote = line.prefix(4).firstIndex(of: UInt8(ascii: "\"")), quote + 1 < line.count else {
      return false
    }
    let first = line[quote + 1]
    return first == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first)
  }

  private static func docker(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> PartialLine? {
    var found = PartialLine(writer: "", goesOn: false, text: nil, textStart: 0, textEnd: 0, isJSON: true)
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

  private static func journal(_ line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> PartialLine? {
    var found = PartialLine(writer: "", goesOn: false, text: nil, textStart: 0, textEnd: 0, isJSON: true)
    var words: [String: String] = [:]
    try members(of: line) { key, kind, scanner throws(JSONError) in
      if key == "MESSAGE" {
        (found.text, found.textStart, found.textEnd) = try text(&scanner)
      } else if kind == .string, key.bytes.count <= longestName {
        let name = key.string
        let value = try scanner.string()
        if neededFields.contains(name), value.bytes.count <= longestWord { words[name] = value.string }
      } else {
        try scanner.skip()
      }
    }
    found.goesOn = words[partial.description] == "true" && words["CONTAINER_PARTIAL_LAST"] != "true"
    let container = words["CONTAINER_ID_FULL"] ?? words["CONTAINER_ID"] ?? words["CONTAINER_NAME"]
    // Standard output and standard error have different priorities.
    let writer = words["CONTAINER_PARTIAL_ID"] ?? container.map { $0 + " " + (words["PRIORITY"] ?? "") }
    guard let writer else { return nil }
    found.writer = writer
    found.second = Array((words["__REALTIME_TIMESTAMP"] ?? "").utf8)
    return found
  }

  private static let neededFields: Set = [
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

  // Reads a string, or an array of bytes if the text is not valid UTF-8, for example because a character was
  // split; nil if journald left the text out.
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

/// The prefix that the Container Runtime Interface puts in front of a part: `TIME stdout P `; further tags
/// follow after a colon.
struct ContainerRuntimePrefix {
  var isError: Bool
  var goesOn: Bool
  var textStart: Int

  init?(_ line: UnsafeBufferPointer<UInt8>) {
    // Times are in RFC 3339, with seconds to nanoseconds, in any zone.
    guard line.count >= 30, line[10] == UInt8(ascii: "T"), line[4] == UInt8(ascii: "-"),
      let space = line[20..<min(line.count, 40)].firstIndex(of: UInt8(ascii: " ")), space + 9 <= line.count
    else { return nil }
    let stream = line[(space + 1)..<(space + 8)]
    if stream.elementsEqual("stdout ".utf8) {
      isError = false
    } else if stream.elementsEqual("stderr ".utf8) {
      isError = true
    } else {
      return nil
    }
    let tag = space + 8
    guard line[tag] == UInt8(ascii: "P") || line[tag] == UInt8(ascii: "F") else { return nil }
    goesOn = line[tag] == UInt8(ascii: "P")
    guard tag + 1 < line.count else {
      textStart = line.count
      return
    }
    guard line[tag + 1] == UInt8(ascii: " ") || line[tag + 1] == UInt8(ascii: ":"),
      let end = line[tag...].firstIndex(of: UInt8(ascii: " "))
    else { return nil }
    textStart = end + 1
  }
}
