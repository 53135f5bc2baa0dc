import Glibc

/// Where bytes come from, a piece at a time.
public protocol ByteSource: AnyObject {
  /// Fills as much of the buffer as is at hand and says how many bytes that was; 0 is the end, and stays the end.
  ///
  /// Throws `BytesError`. Bytes given before the error are good.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

  /// Shows the next bytes where they lie, instead of copying them: good until something else is asked of the source. None
  /// are the end; nil says that this source copies.
  func lend() throws -> UnsafeRawBufferPointer?
}

extension ByteSource {
  /// Copies.
  public func lend() throws -> UnsafeRawBufferPointer? { nil }
}

/// Bytes that are in memory already.
public final class MemoryBytes: ByteSource {
  private let bytes: [UInt8]
  private var position = 0
  private let piece: Int

  /// The given bytes, handed out in pieces of at most `piece` bytes (for tests of what happens at the seams).
  public init(_ bytes: [UInt8], piece: Int = .max) {
    self.bytes = bytes
    self.piece = max(1, piece)
  }

  /// The UTF-8 of a text.
  public convenience init(_ text: String, piece: Int = .max) {
    self.init(Array(text.utf8), piece: piece)
  }

  /// Copies the next bytes.
  public func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(buffer.count, bytes.count - position, piece)
    guard count > 0 else { return 0 }
    bytes.withUnsafeBytes { all in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[position..<(position + count)]))
    }
    position += count
    return count
  }
}

/// A source whose first bytes have been looked at, and are given again.
public final class HeadedSource: ByteSource {
  /// The first bytes: as many as were asked for, fewer where the source is shorter.
  public private(set) var head: [UInt8] = []
  /// What went wrong while the head was read; the next read beyond the head throws it again.
  public private(set) var headError: (any Error)?
  private let source: any ByteSource
  private var given = 0

  /// Bytes that a format is recognised by.
  public static let usual = 64 << 10

  /// Reads up to `count` bytes ahead.
  public init(_ source: any ByteSource, count: Int = usual) {
    self.source = source
    widen(to: count)
  }

  /// Reads further ahead, until the head has `count` bytes or the source ends.
  public func widen(to count: Int) {
    guard headError == nil, head.count < count else { return }
    let known = head
    var failure: (any Error)?
    head = [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      used = buffer.update(fromContentsOf: known)
      do {
        while used < count {
          let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[used...])
          let got = try source.read(into: rest)
          if got == 0 { break }
          used += got
        }
      } catch {
        failure = error
      }
    }
    headError = failure
  }

  /// The head first, then the rest.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = min(buffer.count, head.count - given)
    if count > 0 {
      head.withUnsafeBytes { all in
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[given..<(given + count)]))
      }
      given += count
      return count
    }
    if let headError { throw headError }
    return try source.read(into: buffer)
  }

  /// The rest where it lies; the head is copied.
  public func lend() throws -> UnsafeRawBufferPointer? {
    guard given == head.count else { return nil }
    if let headError { throw headError }
    return try source.lend()
  }
}

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

/// A source without its NUL bytes. A log that was cut with `copytruncate` while its application went on writing begins with them, and one
/// that lost its power has them where the last lines were to be.
public final class NULFreeBytes: ByteSource {
  /// How many were left out so far.
  public private(set) var leftOut = 0
  private let source: any ByteSource
  /// What the source lent and was not given yet.
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)

  public init(_ source: any ByteSource) { self.source = source }

  /// Whether bytes hold such a row of them as no text in any encoding has.
  public static func isRow(in bytes: [UInt8]) -> Bool {
    var row = 0
    for byte in bytes {
      row = byte == 0 ? row + 1 : 0
      if row == 16 { return true }
    }
    return false
  }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if !rest.isEmpty, let piece = piece() {
      let count = min(buffer.count, piece.count)
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece[..<count]))
      rest = UnsafeRawBufferPointer(
        start: piece.baseAddress.map { $0 + count }, count: rest.count + piece.count - count)
      return count
    }
    while true {
      let got = try source.read(into: buffer)
      guard got > 0 else { return 0 }
      let kept = compact(UnsafeMutableRawBufferPointer(rebasing: buffer[..<got]))
      if kept > 0 { return kept }
    }
  }

  /// What lies between two of them.
  public func lend() throws -> UnsafeRawBufferPointer? {
    while true {
      if let piece = piece() { return piece }
      guard let lent = try source.lend() else { return nil }
      if lent.isEmpty { return lent }
      rest = lent
    }
  }

  // The next bytes of what was lent, up to the next NUL; nil where only NULs are left.
  private func piece() -> UnsafeRawBufferPointer? {
    let start = rest.firstIndex { $0 != 0 } ?? rest.count
    leftOut += start
    guard start < rest.count, let base = rest.baseAddress else {
      rest = UnsafeRawBufferPointer(start: nil, count: 0)
      return nil
    }
    let most = rest.count - start
    let count = memchr(base + start, 0, most).map { UnsafeRawPointer($0) - (base + start) } ?? most
    rest = UnsafeRawBufferPointer(start: base + start + count, count: most - count)
    return UnsafeRawBufferPointer(start: base + start, count: count)
  }

  private func compact(_ bytes: UnsafeMutableRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress, memchr(base, 0, bytes.count) != nil else { return bytes.count }
    var kept = 0
    for index in bytes.indices where bytes[index] != 0 {
      bytes[kept] = bytes[index]
      kept += 1
    }
    leftOut += bytes.count - kept
    return kept
  }
}

extension UnsafeMutableRawBufferPointer {
  /// Room to read into, from the beginning of a page: some processors copy to 16 bytes behind one, where large rooms lie
  /// otherwise, at half the speed.
  public static func onPage(byteCount: Int) -> UnsafeMutableRawBufferPointer {
    allocate(byteCount: byteCount, alignment: 4096)
  }

  /// Moves a part of the buffer to its beginning.
  public func moveToFront(_ range: Range<Int>) {
    guard let baseAddress else { return }
    memmove(baseAddress, baseAddress + range.lowerBound, range.count)
  }
}
