import Bytes

/// Puts together again what curl sent and received, from its `--trace-ascii`: rows of up to 64 bytes, each with its place in front.
///
/// Two bytes are missing between rows where a line ends with CR and LF; a line feed alone stands in a row as a point.
struct CurlTrace {
  /// What the rows below a heading are.
  enum Section { case other, sentHeader, receivedHeader, receivedData }

  /// Lines that are whole now, and what they are.
  struct Found {
    var section: Section
    var lines: [[UInt8]] = []
    /// Whether a row was left out because its line is too long.
    var isCut = false
  }

  private let longestLine: Int
  private var section = Section.other
  /// Bytes of the section, and how many of them were seen.
  private var size = 0
  private var end = 0
  private var open: [UInt8] = []
  private var isOpen = false
  private var isFirst = true

  init(longestLine: Int) { self.longestLine = longestLine }

  private static let headings: [(StaticString, Section)] = [
    ("<= Recv data, ", .receivedData), ("<= Recv header, ", .receivedHeader),
    ("=> Send header, ", .sentHeader),
    ("=> Send data, ", .other), ("<= Recv SSL data, ", .other), ("=> Send SSL data, ", .other),
    ("== Info: ", .other),
  ]

  /// Takes a line without its stamp; nil where it is none of a trace.
  mutating func take(_ line: UnsafeBufferPointer<UInt8>) -> Found? {
    if line.first == UInt8(ascii: "<") || line.first == UInt8(ascii: "="),
      let heading = Self.headings.first(where: { ByteSearch.find($0.0, in: Self.head(line)) == 0 })
    {
      let found = finish(before: heading.1)
      section = heading.1
      size = Self.number(line.dropFirst(heading.0.utf8CodeUnitCount).prefix(while: \.isASCIIDigit), 10)
      (end, isFirst) = (0, true)
      return found
    }
    guard size > 0, let colon = line.prefix(12).firstIndex(of: UInt8(ascii: ":")), colon >= 4,
      colon + 1 < line.count, line[colon + 1] == UInt8(ascii: " "),
      line[..<colon].allSatisfy(\.isASCIIHexDigit)
    else { return nil }
    var found = Found(section: section)
    let place = Self.number(line[..<colon], 16)
    if place != end { close(into: &found) }
    found.isCut = open.count + line.count > longestLine
    if !found.isCut { open.append(contentsOf: line[(colon + 2)...]) }
    isOpen = true
    end = place + line.count - colon - 2
    return found
  }

  /// At the end of a section its last line is whole if its end was received, or if something else comes.
  mutating func finish(before next: Section = .other) -> Found {
    var found = Found(section: section)
    if end < size || next != section { close(into: &found) }
    return found
  }

  private mutating func close(into found: inout Found) {
    guard isOpen else { return }
    // The length of a chunk (RFC 9112 7.1) is none of the lines.
    let isLength =
      section == .receivedData && isFirst && (1...8).contains(open.count)
      && open.allSatisfy(\.isASCIIHexDigit)
    if !isLength { found.lines += section == .receivedData ? Self.parted(open) : [open] }
    open.removeAll(keepingCapacity: true)
    (isOpen, isFirst) = (false, false)
  }

  // A line in which points stand for line feeds: one in front of each field, two behind an event.
  private static func parted(_ line: [UInt8]) -> [[UInt8]] {
    var ends = line.indices.dropFirst().filter { line[$0] == UInt8(ascii: ".") && isField(line[($0 + 1)...]) }
    guard !ends.isEmpty else { return [line] }
    ends.append(line.endIndex)
    var lines: [[UInt8]] = []
    var start = line.startIndex
    for end in ends {
      let text = line[start..<end]
      let feeds = text.reversed().prefix(2).prefix { $0 == UInt8(ascii: ".") }.count
      lines.append(Array(text.dropLast(feeds)))
      if feeds > 0 { lines.append([]) }
      start = end + 1
    }
    return lines
  }

  private static func isField(_ text: ArraySlice<UInt8>) -> Bool {
    ["event: ", "data: ", "id: "].contains { text.starts(with: $0.utf8) }
  }

  private static func head(_ line: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: line.prefix(32))
  }

  private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>, _ base: Int) -> Int {
    digits.prefix(12).reduce(0) { $0 * base + Int($1.asciiHexValue ?? 0) }
  }
}
