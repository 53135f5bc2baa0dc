/// A file that is read, unpacked and digested on another thread, a piece ahead of the one who takes it apart.
///
/// Used by one thread only.
public final class ReadAhead: ByteSource, @unchecked Sendable {
  /// Below this size in bytes a thread costs more than it saves.
  public static let smallest: Int64 = 4 << 20

  /// Small enough that two of them stay in the cache that cores share, from the one who fills to the one who takes apart; so large
  /// that it takes longer to be filled than a thread to wake up.
  private static let pieceSize = 1 << 20

  /// Filled by the thread while another piece is taken.
  private final class Piece {
    let bytes = UnsafeMutableRawBufferPointer.onPage(byteCount: pieceSize)
    var count = 0
    deinit { bytes.deallocate() }
  }

  private let file: InputFile
  private let thread = BackgroundWork()
  private var present = Piece()
  private var coming = Piece()
  private var taken = 0
  /// How it ended, once it did.
  private var end: Result<Void, any Error>?

  /// Reads a file, which nobody else may read any more.
  public init(_ file: InputFile) throws {
    self.file = file
    try readOn()
  }

  deinit { thread.close() }

  /// Gives the next bytes, as the file would.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if taken == present.count, !buffer.isEmpty { try turn() }
    let count = min(buffer.count, present.count - taken)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: present.bytes[taken..<taken + count]))
    taken += count
    return count
  }

  /// Shows the rest of the piece.
  public func lend() throws -> UnsafeRawBufferPointer? {
    if taken == present.count { try turn() }
    defer { taken = present.count }
    return UnsafeRawBufferPointer(rebasing: present.bytes[taken..<present.count])
  }

  /// SHA-256 of the file as it lies on the disk, which is read to its end for it. Nil where the file is not `hashing`.
  public func sha256() throws -> String? {
    if end == nil { end = Result { try thread.wait() } }
    try file.skipRest()
    return file.sha256
  }

  /// Takes the piece that was read meanwhile, and lets the next one be read.
  private func turn() throws {
    if let end { return try end.get() }
    do {
      try thread.wait()
    } catch {
      (present.count, taken) = (0, 0)
      end = .failure(error)
      throw error
    }
    swap(&present, &coming)
    taken = 0
    if present.count == 0 { end = .success(()) } else { try readOn() }
  }

  private func readOn() throws {
    // Holds the piece and not this, which would otherwise be let go of by the thread it waits for.
    try thread.begin { [coming, file] in coming.count = try file.read(into: coming.bytes) }
  }
}
