import Bytes

/// Puts together the lines that a container's log cut into parts (see `LinePart`). What is no part of one passes as it is.
///
/// Parts of several lines may stand among each other, as those of standard output and standard error do.
public struct CutLines {
  /// A line of which parts came.
  private struct Open {
    /// What stands around the text, from the line of its first part.
    var head: [UInt8]
    var tail: [UInt8]
    var text: [UInt8]
    var isJSON: Bool
    var second: [UInt8]
    var line: Int
    var offset: Int
    /// Whether it grew beyond the longest line: nothing more is kept of it.
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

  /// The line that the last `take` left out because its parts are longer than the longest line: its number and its first byte.
  public private(set) var tooLong: (line: Int, offset: Int)?
  private let longestLine: Int
  private var open: [String: Open] = [:]
  /// What is kept of all that is open.
  private var kept = 0
  private var notWhole = 0
  /// Most lines that are open at a time: of further ones the parts pass as they are.
  private static let mostOpen = 1000

  /// What is open is together no longer than `longestLine` bytes.
  public init(longestLine: Int) { self.longestLine = longestLine }

  /// What is said of lines that could not be put together.
  public var notes: [String] {
    notWhole == 0
      ? []
      : ["\(notWhole) lines that a container's log cut into parts are not whole in it: a part is missing"]
  }

  /// Reads the lines of a source, each whole; `tooLong` gets the number and the first byte of those that are longer than the longest.
  /// Gives what is to be said of lines that could not be put together.
  public static func read(
    _ source: any ByteSource, longestLine: Int, tooLong: (_ line: Int, _ offset: Int) throws -> Void,
    _ give: (_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) throws -> Void
  ) throws -> [String] {
    var lines = LineReader(source, longestLine: longestLine)
    var cut = CutLines(longestLine: longestLine)
    while try lines.next({ try cut.take($0, number: $1, offset: $2, give) }) {
      for long in [lines.tooLong.map { ($0.line, $0.offset) }, cut.tooLong.map { ($0.line, $0.offset) }] {
        if let (line, offset) = long { try tooLong(line, offset) }
      }
    }
    try cut.finish(give)
    return cut.notes
  }

  /// Gives a line that is whole, with the number and the first byte of its first part.
  public mutating func take(
    _ bytes: UnsafeBufferPointer<UInt8>, number: Int, offset: Int,
    _ give: (_ bytes: UnsafeBufferPointer<UInt8>, _ line: Int, _ offset: Int) throws -> Void
  ) rethrows {
    tooLong = nil
    guard !open.isEmpty || LinePart.mayGoOn(bytes), let part = LinePart(bytes) else {
      return try give(bytes, number, offset)
    }
    if let begun = open[part.writer], part.second.lexicographicallyPrecedes(begun.second) {
      // What was written before it does not go on with it: a part is missing, or they stand the other way round.
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
      guard open.count < Self.mostOpen else {
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

  /// Gives what is still open. To be called once, after the last line.
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
