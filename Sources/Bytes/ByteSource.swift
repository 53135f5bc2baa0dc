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
