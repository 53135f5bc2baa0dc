/// A line of plain text with holes: `Time from creating call until {type} is {delay} for callid {callId}`.
///
/// A hole takes everything up to the text that follows it, or the rest of the line.
struct TextPattern: Sendable {
  /// The raw name for which the line stands.
  let raw: String
  private let head: [UInt8]
  private let holes: [(name: String, after: [UInt8])]

  /// Nil where the pattern begins with a hole or two holes touch: nothing would tell where one ends.
  init?(_ text: String, raw: String) {
    var parts: [(name: String, after: [UInt8])] = []
    var pieces = text.split(separator: "{", omittingEmptySubsequences: false)[...]
    guard let first = pieces.popFirst(), !first.isEmpty else { return nil }
    for (index, piece) in pieces.enumerated() {
      guard let end = piece.firstIndex(of: "}") else { return nil }
      let after = Array(piece[piece.index(after: end)...].utf8)
      if after.isEmpty, index < pieces.count - 1 { return nil }
      parts.append((String(piece[..<end]), after))
    }
    self.raw = raw
    head = Array(first.utf8)
    holes = parts
  }

  /// What stood in the holes, or nil where the line is another one. The pattern may begin anywhere in the line.
  func match(_ line: ArraySlice<UInt8>) -> [(name: String, value: String)]? {
    guard let start = Self.find(head, in: line) else { return nil }
    var rest = line[(start + head.count)...]
    var found: [(name: String, value: String)] = []
    for hole in holes {
      let end = hole.after.isEmpty ? rest.endIndex : Self.find(hole.after, in: rest)
      guard let end else { return nil }
      found.append((hole.name, String(decoding: rest[rest.startIndex..<end], as: UTF8.self)))
      rest = rest[min(end + hole.after.count, rest.endIndex)...]
    }
    return found
  }

  private static func find(_ text: [UInt8], in line: ArraySlice<UInt8>) -> Int? {
    guard let first = text.first else { return line.startIndex }
    var at = line.startIndex
    while let hit = line[at...].firstIndex(of: first) {
      if line.endIndex - hit < text.count { return nil }
      if line[hit..<(hit + text.count)].elementsEqual(text) { return hit }
      at = hit + 1
    }
    return nil
  }
}
