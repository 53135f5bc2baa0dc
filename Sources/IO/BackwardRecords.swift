import Bytes
import Glibc

/// The records of a source from last to first, each in its original form: a line that begins a record, and the
/// continuation lines below it.
///
/// The source is copied to an unnamed file first, so that only a record and a block are in memory.
public final class BackwardRecords: ByteSource {
  private let source: any ByteSource
  private let begins: (UnsafeBufferPointer<UInt8>) -> Bool
  private let block: Int
  private var file: Int32 = -1
  /// The bytes of the file from `base` that were not returned yet.
  private var window: [UInt8] = []
  private var base = 0
  private var ready: [UInt8] = []
  private var given = 0

  /// Longest record kept together; of a longer one, the last lines come first.
  public static let longestRecord = 1 << 20

  /// - Parameter begins: whether a line, without its line end, begins a record.
  public init(
    _ source: any ByteSource, block: Int = 256 << 10, begins: @escaping (UnsafeBufferPointer<UInt8>) -> Bool
  ) {
    self.source = source
    self.begins = begins
    self.block = max(16, block)
  }

  deinit { if file >= 0 { close(file) } }

  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if file < 0 { try spill() }
    while given == ready.count {
      guard try nextRecord() else { return 0 }
    }
    let count = min(buffer.count, ready.count - given)
    ready.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[given..<(given + count)]))
    }
    given += count
    return count
  }

  private func spill() throws {
    guard let opened = UnnamedFile.open() else {
      throw BytesError(.unreadable, "no file can be made in \(UnnamedFile.folder) to read it from its end")
    }
    file = opened
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: block, alignment: 16)
    defer { buffer.deallocate() }
    while case let got = try source.read(into: buffer), got > 0 {
      try write(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
      base += got
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws {
    var done = 0
    while done < bytes.count {
      let wrote = Glibc.write(file, bytes.baseAddress?.advanced(by: done), bytes.count - done)
      if wrote < 0, errno == EINTR { continue }
      guard wrote > 0 else {
        throw BytesError(
          .unreadable,
          "no room in the folder for temporary files to read it from its end: TMPDIR names another")
      }
      done += wrote
    }
  }

  // Prepares the last record that was not returned yet.
  private func nextRecord() throws -> Bool {
    // Lines from `end` begin no record; the search for a line feed goes backwards from `limit`.
    var end = window.count
    var limit = withoutFeed(end)
    while true {
      if let feed = window[..<limit].lastIndex(of: UInt8(ascii: "\n")) {
        if isRecord(from: feed + 1, to: end) { return give(from: feed + 1) }
        end = feed + 1
        limit = feed
        continue
      }
      // The start of the file, or part of a line without an end.
      guard base > 0, window.count < 2 * Self.longestRecord else {
        return window.isEmpty ? false : give(from: 0)
      }
      let added = try prepend(max(block, window.count))
      end += added
      limit = end == added ? withoutFeed(end) : added
    }
  }

  // The offset before the line feed that ends there.
  private func withoutFeed(_ end: Int) -> Int {
    end > 0 && window[end - 1] == UInt8(ascii: "\n") ? end - 1 : end
  }

  private func isRecord(from start: Int, to end: Int) -> Bool {
    if window.count - start > Self.longestRecord { return true }
    var line = window[start..<end]
    if line.last == UInt8(ascii: "\n") { line.removeLast() }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line.withUnsafeBufferPointer(begins)
  }

  private func give(from start: Int) -> Bool {
    ready = Array(window[start...])
    if ready.last != UInt8(ascii: "\n") { ready.append(UInt8(ascii: "\n")) }
    given = 0
    window.removeSubrange(start...)
    return true
  }

  private func prepend(_ most: Int) throws -> Int {
    let count = min(most, base)
    var block = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = block.withUnsafeMutableBytes {
        pread(file, $0.baseAddress?.advanced(by: done), count - done, off_t(base - count + done))
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw BytesError(.unreadable, "cannot be read from its end") }
      done += got
    }
    base -= count
    window = block + window
    return count
  }
}
