import Glibc

/// A source of bytes, read in chunks.
public protocol ByteSource: AnyObject {
  /// Copies available bytes into the buffer and returns their number; 0 means the end, and every later call returns 0.
  ///
  /// Throws `BytesError`. Bytes returned before the error are valid.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

  /// Returns the next bytes without copying, valid until the next call to the source. Empty at the end; nil if the
  /// source can only copy.
  func lend() throws -> UnsafeRawBufferPointer?
}

extension ByteSource {
  /// By default, sources only copy.
  public func lend() throws -> UnsafeRawBufferPointer? { nil }
}

/// Bytes in memory.
public final class MemoryBytes: ByteSource {
  private let bytes: [UInt8]
  private var position = 0
  private let piece: Int

  /// A source of these bytes in chunks of at most `piece` bytes (to test chunk boundaries).
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

/// A source whose first bytes can be inspected before it is read.
public final class HeadedSource: ByteSource {
  /// The first bytes: as many as requested, fewer if the source is shorter.
  public private(set) var head: [UInt8] = []
  /// The error of reading the head; the next read beyond the head throws it again.
  public private(set) var headError: (any Error)?
  private let source: any ByteSource
  private var given = 0

  /// Bytes needed to recognise a format.
  public static let usual = 64 << 10

  /// Reads up to `count` bytes ahead.
  public init(_ source: any ByteSource, count: Int = usual) {
    self.source = source
    widen(to: count)
  }

  /// Extends the head to `count` bytes or the end of the source.
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

  /// Returns the head first, then the rest.
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

  /// Lends the rest; the head is copied.
  public func lend() throws -> UnsafeRawBufferPointer? {
    guard given == head.count else { return nil }
    if let headError { throw headError }
    return try source.lend()
  }
}

/// Converts UTF-16 to UTF-8: the event viewer of Windows exports UTF-16, and `>` in PowerShell writes it.
public final class UTF16Bytes: ByteSource {
  private let source: any ByteSource
  private let isBigEndian: Bool
  /// Bytes of an incomplete unit or surrogate pair at the end of a chunk.
  private var waiting: [UInt8] = []
  private var isAtStart = true
  private var ready: [UInt8] = []
  private var given = 0
  private static let piece = 32 << 10

  /// Nil unless the first bytes are UTF-16 text.
  public init?(_ source: any ByteSource, head: [UInt8]) {
    guard let isBigEndian = Self.isBigEndian(head) else { return nil }
    (self.source, self.isBigEndian) = (source, isBigEndian)
  }

  /// The byte order: from the byte order mark, or because ASCII has a zero byte in each unit. Nil if it is not UTF-16.
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
      // Keep half of a surrogate pair for the next chunk.
      if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
      waiting = Array(bytes[(units.count * 2)...])
    }
    if isAtStart, let first = units.first {
      if first == 0xFEFF { units.removeFirst() }
      isAtStart = false
    }
    // Unpaired surrogates become U+FFFD.
    ready = Array(String(decoding: units, as: UTF16.self).utf8)
  }
}

/// Removes NUL bytes from a source. A log that was rotated with `copytruncate` while its application went on writing
/// begins with them, and after a power failure they replace the last lines.
public final class NULFreeBytes: ByteSource {
  /// Number of bytes removed so far.
  public private(set) var leftOut = 0
  private let source: any ByteSource
  /// Lent bytes not returned yet.
  private var rest = UnsafeRawBufferPointer(start: nil, count: 0)

  public init(_ source: any ByteSource) { self.source = source }

  /// Whether bytes contain a run of NULs too long for text in any encoding.
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

  /// Lends the bytes up to the next NUL.
  public func lend() throws -> UnsafeRawBufferPointer? {
    while true {
      if let piece = piece() { return piece }
      guard let lent = try source.lend() else { return nil }
      if lent.isEmpty { return lent }
      rest = lent
    }
  }

  // The next lent bytes up to the next NUL; nil if only NULs are left.
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
  /// Allocates a page-aligned buffer: some processors copy at half the speed to 16 bytes after a page boundary, where
  /// large allocations otherwise begin.
  public static func onPage(byteCount: Int) -> UnsafeMutableRawBufferPointer {
    allocate(byteCount: byteCount, alignment: 4096)
  }

  /// Moves a part of the buffer to its beginning.
  public func moveToFront(_ range: Range<Int>) {
    guard let baseAddress else { return }
    memmove(baseAddress, baseAddress + range.lowerBound, range.count)
  }
}
