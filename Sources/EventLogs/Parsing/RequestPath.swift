import Bytes
import LogText

/// The end of a request's path, which identifies the request:
/// `participants/{participant_uuid}/calls/{call_uuid}/ack`.
struct RequestPath: Sendable {
  /// The raw name that stands for the request.
  let raw: String
  private let segments: [Segment]

  private enum Segment {
    case name([UInt8])
    /// A placeholder for an id. It matches any segment.
    case hole(String)
  }

  /// The maximum number of segments examined, from the end.
  static let most = 8
  // The maximum number of bytes examined, from the end.
  private static let longest = 512

  /// Fails if the path has no segments or too many.
  init?(_ path: String, raw: String) {
    segments = path.split(separator: "/").map { segment in
      segment.first == "{" && segment.last == "}"
        ? .hole(String(segment.dropFirst().dropLast())) : .name(Array(segment.utf8))
    }
    self.raw = raw
    guard (1...Self.most).contains(segments.count) else { return nil }
  }

  /// Returns the ids in a path, given by its last segments; nil if the path has a different end.
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

  /// Returns the ids in what precedes the last segments of the path, if one of these heads matches it.
  func headIDs(_ path: [ArraySlice<UInt8>], _ heads: [RequestPath]) -> LogArguments {
    let front = Array(path.dropLast(segments.count))
    return heads.lazy.compactMap { $0.match(front) }.first ?? LogArguments()
  }

  /// Returns the result for the first path or URL in a line for which there is one, given its last segments
  /// and its position.
  static func first<Found>(
    in line: ArraySlice<UInt8>, that find: ([ArraySlice<UInt8>], Range<Int>) -> Found?
  ) -> Found? {
    var rest = line
    while let slash = rest.firstIndex(of: UInt8(ascii: "/")) {
      let start = rest[..<slash].lastIndex(where: isGap).map { $0 + 1 } ?? rest.startIndex
      let end = rest[slash...].firstIndex(where: isGap) ?? rest.endIndex
      let path = rest[start..<end].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }.suffix(
        longest)
      if let found = find(path.split(separator: UInt8(ascii: "/")).suffix(most), start..<end) { return found }
      rest = rest[end...]
    }
    return nil
  }

  /// The end of the path that contains a position in a line.
  static func end(in line: ArraySlice<UInt8>, from place: Int) -> Int {
    line[place...].firstIndex(where: isGap) ?? line.endIndex
  }

  /// Whether a line is about a CORS preflight request: `OPTIONS /api/…`.
  static func isPreflight(_ line: ArraySlice<UInt8>) -> Bool {
    guard let method = ByteSearch.end(of: "OPTIONS", in: line) else { return false }
    let path = line[method...].drop {
      $0 <= UInt8(ascii: " ") || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'")
    }
    return path.first == UInt8(ascii: "/") || path.starts(with: "http".utf8)
  }

  // Bytes that separate a path from the rest of its line: blanks, quotes, commas, semicolons, and all
  // brackets except the mark that replaces a secret.
  private static func isGap(_ byte: UInt8) -> Bool {
    byte <= UInt8(ascii: " ") || "\"'(),;<>`{}".utf8.contains(byte)
  }
}
