import Bytes
import LogText

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

  /// The ids in what stands in front of the path's last segments, where one of these heads does.
  func headIDs(_ path: [ArraySlice<UInt8>], _ heads: [RequestPath]) -> LogArguments {
    let front = Array(path.dropLast(segments.count))
    return heads.lazy.compactMap { $0.match(front) }.first ?? LogArguments()
  }

  /// What the first path or address in a line tells, by its last segments and by its place.
  static func first<Told>(
    in line: ArraySlice<UInt8>, that tells: ([ArraySlice<UInt8>], Range<Int>) -> Told?
  ) -> Told? {
    var rest = line
    while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
      let start = rest[..<slash].lastIndex(where: isGap).map { $0 + 1 } ?? rest.startIndex
      let end = rest[slash...].firstIndex(where: isGap) ?? rest.endIndex
      let path = rest[start..<end].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }.suffix(
        longest)
      if let told = tells(path.split(separator: UInt8(ascii: "/")).suffix(most), start..<end) { return told }
      rest = rest[end...]
    }
    return nil
  }

  /// Where the path ends that a place in a line is in.
  static func end(in line: ArraySlice<UInt8>, from place: Int) -> Int {
    line[place...].firstIndex(where: isGap) ?? line.endIndex
  }

  /// Whether a line tells of a request by which a browser asks whether it may make another: `OPTIONS /api/…`, a preflight.
  static func isPreflight(_ line: ArraySlice<UInt8>) -> Bool {
    guard let method = ByteSearch.end(of: "OPTIONS", in: line) else { return false }
    let path = line[method...].drop {
      $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'")
    }
    return path.first == UInt8(ascii: "/") || path.starts(with: "http".utf8)
  }

  // Blanks, quotes, commas, semicolons, all brackets but the mark of a secret's: what parts a path from the rest of its line.
  private static func isGap(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || "\"'(),;<>`{}".utf8.contains(byte)
  }
}
