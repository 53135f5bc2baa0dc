import Bytes

/// How the path of a request ends, which tells what it asks for: `participants/{participant_uuid}/calls/{call_uuid}/ack`.
struct RequestPath: Sendable {
  /// The raw name for which the request stands.
  let raw: String
  private let segments: [Segment]

  private enum Segment {
    case name([UInt8])
    /// Any segment: an id.
    case hole(String)
  }

  /// Most segments looked at, from the end.
  static let most = 8
  // Longest path looked at, from its end.
  private static let longest = 512

  /// Nil where it has no segments or too many.
  init?(_ path: String, raw: String) {
    segments = path.split(separator: "/").map { segment in
      segment.first == "{" && segment.last == "}"
        ? .hole(String(segment.dropFirst().dropLast())) : .name(Array(segment.utf8))
    }
    self.raw = raw
    guard (1...Self.most).contains(segments.count) else { return nil }
  }

  /// The ids in a path, given by its last segments; nil where it ends otherwise.
  func match(_ path: [ArraySlice<UInt8>]) -> LogArguments? {
    guard path.count >= segments.count else { return nil }
    var arguments = LogArguments()
    for (segment, text) in zip(segments, path.suffix(segments.count)) {
      switch segment {
      case .name(let name): guard text.elementsEqual(name) else { return nil }
      case .hole(let name): arguments.append(name, text: String(decoding: text, as: UTF8.self))
      }
    }
    return arguments
  }

  /// The paths and addresses in a line, each by its last segments, and where it ends.
  static func paths(in line: ArraySlice<UInt8>) -> [(segments: [ArraySlice<UInt8>], end: Int)] {
    guard line.contains(0x2F) else { return [] }
    return line.split(whereSeparator: isGap).compactMap { word in
      guard word.contains(0x2F) else { return nil }
      let path = word.prefix { $0 != 0x3F && $0 != 0x23 }.suffix(longest)
      return (path.split(separator: 0x2F).suffix(most), word.endIndex)
    }
  }

  // Blanks, quotes, commas, semicolons, all brackets but the mark of a secret's: what parts a path from the rest of its line.
  private static func isGap(_ byte: UInt8) -> Bool {
    byte <= 0x20 || [0x22, 0x27, 0x28, 0x29, 0x2C, 0x3B, 0x3C, 0x3E, 0x60, 0x7B, 0x7D].contains(byte)
  }
}
