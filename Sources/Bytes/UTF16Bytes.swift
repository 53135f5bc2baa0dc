/// A text in UTF-16, given in UTF-8: what Windows' event viewer exports, and PowerShell writes behind `>`.
public final class UTF16Bytes: ByteSource {
  private let source: any ByteSource
  private let isBigEndian: Bool
  /// Bytes of a unit, or of half a pair of them, that the next piece completes.
  private var waiting: [UInt8] = []
  private var isAtStart = true
  private var ready: [UInt8] = []
  private var given = 0
  private static let piece = 32 << 10

  /// The text of a source whose first bytes are known; nil where they are no text in UTF-16.
  public init?(_ source: any ByteSource, head: [UInt8]) {
    guard let isBigEndian = Self.isBigEndian(head) else { return nil }
    (self.source, self.isBigEndian) = (source, isBigEndian)
  }

  /// Which byte of a letter comes first: by the byte order mark, or as ASCII has a zero beside each letter. Nil where it is no text.
  private static func isBigEndian(_ head: [UInt8]) -> Bool? {
    guard head.count >= 4 else { return nil }
    if head.starts(with: [0xFF, 0xFE]) { return false }
    if head.starts(with: [0xFE, 0xFF]) { return true }
    let letters = 0x09...0x7E
    for zero in [0, 1] {
      let isText = stride(from: 0, to: min(head.count - 1, 64), by: 2).allSatisfy {
        head[$0 + zero] == 0 && letters.contains(Int(head[$0 + 1 - zero]))
      }
      if isText { return zero == 0 }
    }
    return nil
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while given == ready.count {
      (ready, given) = ([], 0)
      var piece = [UInt8](repeating: 0, count: Self.piece)
      let got = try piece.withUnsafeMutableBytes { try source.read(into: $0) }
      guard got > 0 || !waiting.isEmpty else { return 0 }
      take(waiting + piece[..<got], isLast: got == 0)
    }
    let count = min(buffer.count, ready.count - given)
    ready.withUnsafeBytes { all in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[given..<(given + count)]))
    }
    given += count
    return count
  }

  private func take(_ bytes: [UInt8], isLast: Bool) {
    let (high, low) = isBigEndian ? (0, 1) : (1, 0)
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    for at in stride(from: 0, to: bytes.count - 1, by: 2) {
      units.append(UInt16(bytes[at + high]) << 8 | UInt16(bytes[at + low]))
    }
    waiting = []
    if !isLast {
      // Half of a pair waits for the other.
      if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
      waiting = Array(bytes[(units.count * 2)...])
    }
    if isAtStart, let first = units.first {
      if first == 0xFEFF { units.removeFirst() }
      isAtStart = false
    }
    // What is no pair becomes the mark for that.
    ready = Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
