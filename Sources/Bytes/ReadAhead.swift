/// A file that is read, unpacked and digested on another thread, some pieces ahead of the one who takes it apart.
///
/// Where digesting takes longer than taking apart, who takes apart reads on by itself rather than wait; what nobody packed is
/// digested behind it. Used by one thread only.
public final class ReadAhead: ByteSource, @unchecked Sendable {
  /// Below this size in bytes a thread costs more than it saves.
  public static let smallest: Int64 = 4 << 20

  private let work: ReadAheadWork
  private let thread = BackgroundWork()
  private var present = UnsafeRawBufferPointer(start: nil, count: 0)
  private var taken = 0
  private var isAtEnd = false

  /// Reads a file, which nobody else may read any more.
  public init(_ file: InputFile) throws {
    work = ReadAheadWork(file)
    try readOn()
  }

  deinit {
    work.stop()
    thread.close()
  }

  /// Gives the next bytes, as the file would.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if taken == present.count, !buffer.isEmpty { try turn() }
    let count = min(buffer.count, present.count - taken)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: present[taken..<taken + count]))
    taken += count
    return count
  }

  /// Shows the rest of the piece.
  public func lend() throws -> UnsafeRawBufferPointer? {
    if taken == present.count { try turn() }
    defer { taken = present.count }
    return UnsafeRawBufferPointer(rebasing: present[taken..<present.count])
  }

  /// SHA-256 of the file as it lies on the disk, which is read to its end for it. Nil where the file is not `hashing`.
  public func sha256() throws -> String? {
    isAtEnd = true
    (present, taken) = (UnsafeRawBufferPointer(start: nil, count: 0), 0)
    work.stop()
    try thread.wait()
    return try work.digestAll()
  }

  /// Takes the next piece, and lets others be read.
  private func turn() throws {
    guard !isAtEnd else { return }
    (present, taken) = (UnsafeRawBufferPointer(start: nil, count: 0), 0)
    present = try work.next()
    if present.isEmpty { isAtEnd = true } else { try readOn() }
  }

  private func readOn() throws {
    // Holds the work and not this, which would otherwise be let go of by the thread it waits for.
    if work.begins() { try thread.begin { [work, unowned thread] in work.doSome { thread.isOtherWaiting } } }
  }
}
