import Bytes

/// The patterns of all dialects by the letters with which they begin, so that a line is gone over once.
struct TextPatterns: Sendable {
  /// Where a pattern stands: the place of its dialect among all, its own in the dialect's file.
  private struct Place: Hashable {
    var dialect: Int
    var pattern: Int
    /// Up to eight letters with which the pattern begins, in small, the first lowest, and which of the eight they are.
    var beginning: UInt64
    var mask: UInt64
  }

  private var byFirst: [[Place]] = Array(repeating: [], count: 256)

  init(of dialects: [Dialect]) {
    for (index, dialect) in dialects.enumerated() {
      for (number, pattern) in dialect.lines.enumerated() {
        let letters = pattern.beginning
        let first = Int(letters[0])
        byFirst[first].append(
          Place(
            dialect: index, pattern: number, beginning: Self.beginning(letters[...], at: 0),
            mask: .max >> UInt64(8 * (8 - letters.count))))
      }
    }
  }

  // The eight letters from a place on, in small, the first lowest; 0 where there are no more.
  private static func beginning(_ line: ArraySlice<UInt8>, at start: Int) -> UInt64 {
    var letters: UInt64 = 0
    for at in start..<min(start + 8, line.endIndex) {
      letters |= UInt64(line[at].asciiLowercased) << UInt64(8 * (at - start))
    }
    return letters
  }

  /// What a line tells by a pattern, and where: of each dialect's the one that stands first in its file.
  ///
  /// `tried` counts the places where a pattern was looked for.
  func matches(
    in line: ArraySlice<UInt8>, _ dialects: [Dialect], tried: inout Int
  ) -> [(dialect: Dialect, pattern: TextPattern, arguments: LogArguments, place: Int)] {
    var found: [Int: (pattern: Int, arguments: LogArguments, place: Int)] = [:]
    var spent: Set<Place> = []
    var before: UInt8 = UInt8(ascii: " ")
    for at in line.indices {
      let byte = line[at].asciiLowercased
      defer { before = byte }
      if byFirst[Int(byte)].isEmpty || TextPattern.isLetter(before) && TextPattern.isLetter(byte) { continue }
      let beginning = Self.beginning(line, at: at)
      for place in byFirst[Int(byte)]
      where beginning & place.mask == place.beginning && place.pattern < found[place.dialect]?.pattern ?? .max
      {
        if !spent.isEmpty, spent.contains(place) { continue }
        tried += 1
        switch dialects[place.dialect].lines[place.pattern].match(line, at: at) {
        case .found(let arguments): found[place.dialect] = (place.pattern, arguments, at)
        case .never: spent.insert(place)
        case .elsewhere: break
        }
      }
    }
    return found.sorted { $0.key < $1.key }.map { index, hit in
      (dialects[index], dialects[index].lines[hit.pattern], hit.arguments, hit.place)
    }
  }
}
