/// A file that is read, unpacked and digested on another thread, some pieces ahead of the one who takes it apart.
///
/// Used by one thread only.
public final class ReadAhead: ByteSource, @unchecked Sendable {
  /// Below this size in bytes a thread costs more than it saves.
  public static let smallest: Int64 = 4 << 20

  /// Small enough that one stays in a core's cache from the one who fills to the one who takes apart.
  private static let pieceSize = 256 << 10
  /// So many that either side can be busy with something else for a while.
  private static let pieceCount = 4

  /// Filled by the thread while others are taken.
  private final class Piece {
    let bytes = UnsafeMutableRawBufferPointer.onPage(byteCount: pieceSize)
    var count = 0
    var failure: (any Error)?

    /// Takes the file's next bytes; none behind what could not be read.
    func fill(from file: InputFile, after last: Piece) {
      count = 0
      failure = last.failure
      guard failure == nil else { return }
      do { count = try file.read(into: bytes) } catch { failure = error }
    }

    deinit { bytes.deallocate() }
  }

  private let file: InputFile
  private let thread = BackgroundWork(depth: pieceCount)
  private let pieces = (0..<pieceCount).map { _ in Piece() }
  /// The piece that is taken, of which so many bytes were.
  private var place = 0
  private var taken = 0
  private var present: Piece { pieces[place] }
  /// How it ended, once it did.
  private var end: Result<Void, any Error>?

  /// Reads a file, which nobody else may read any more.
  public init(_ file: InputFile) throws {
    self.file = file
    // The first is as if it had been taken.
    for piece in 1..<Self.pieceCount { try readOn(piece) }
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
    try thread.wait()
    try file.skipRest()
    return file.sha256
  }

  /// Takes the piece that was read meanwhile, and lets the one before it be filled again.
  private func turn() throws {
    if let end { return try end.get() }
    try thread.wait(leaving: Self.pieceCount - 2)
    let before = place
    place = (place + 1) % Self.pieceCount
    taken = 0
    if let failure = present.failure {
      end = .failure(failure)
      throw failure
    }
    if present.count == 0 { end = .success(()) } else { try readOn(before) }
  }

  private func readOn(_ place: Int) throws {
    // Holds the pieces and not this, which would otherwise be let go of by the thread it waits for.
    let last = pieces[(place + Self.pieceCount - 1) % Self.pieceCount]
    try thread.begin { [piece = pieces[place], file] in piece.fill(from: file, after: last) }
  }
}
