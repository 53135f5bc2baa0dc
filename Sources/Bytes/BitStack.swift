/// Which brackets are open, one bit each: 64 without allocating, then as many as anyone has bytes for.
struct BitStack {
  /// Deepest nesting taken: 64 Mi levels cost 8 MiB. RFC 8259 section 9 lets a parser set such a limit.
  static let deepest = 1 << 26

  private(set) var depth = 0
  private var top: UInt64 = 0
  private var below: [UInt64] = []

  /// Opens a bracket: true for an object. False if it is too deep.
  mutating func push(_ isObject: Bool) -> Bool {
    guard depth < Self.deepest else { return false }
    if depth > 0, depth & 63 == 0 {
      below.append(top)
      top = 0
    }
    top = top << 1 | (isObject ? 1 : 0)
    depth += 1
    return true
  }

  /// Closes the innermost bracket.
  mutating func pop() {
    depth -= 1
    top >>= 1
    if depth > 0, depth & 63 == 0 { top = below.popLast() ?? 0 }
  }

  /// Whether the innermost open bracket is an object's.
  var isObject: Bool { top & 1 == 1 }
}
