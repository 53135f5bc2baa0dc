import Bytes
import Concurrency

/// Reads, decompresses and hashes a file on another thread, some chunks ahead of the consumer.
///
/// If hashing takes longer than parsing, the consumer reads on by itself rather than wait; bytes of uncompressed files
/// are hashed behind it. For one thread only.
public final class ReadAhead: ByteSource, @unchecked Sendable {
  /// Below this size in bytes a thread costs more than it saves.
  public static let smallest: Int64 = 4 << 20

  private let work: ReadAheadWork
  private let thread = BackgroundWork()
  private var present = UnsafeRawBufferPointer(start: nil, count: 0)
  private var taken = 0
  private var isAtEnd = false

  /// Takes over a file, which must not be read elsewhere any more.
  public init(_ file: InputFile) throws {
    work = ReadAheadWork(file)
    try readOn()
  }

  deinit {
    work.stop()
    thread.close()
  }

  /// Returns the next bytes, as the file would.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if taken == present.count, !buffer.isEmpty { try turn() }
    let count = min(buffer.count, present.count - taken)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: present[taken..<taken + count]))
    taken += count
    return count
  }

  /// Lends the rest of the chunk.
  public func lend() throws -> UnsafeRawBufferPointer? {
    if taken == present.count { try turn() }
    defer { taken = present.count }
    return UnsafeRawBufferPointer(rebasing: present[taken..<present.count])
  }

  /// SHA-256 of the file on disk, which is read to its end for it. Nil unless the file is `hashing`.
  public func sha256() throws -> String? {
    isAtEnd = true
    (present, taken) = (UnsafeRawBufferPointer(start: nil, count: 0), 0)
    work.stop()
    try thread.wait()
    return try work.digestAll()
  }

  /// Takes the next chunk, and lets others be read.
  private func turn() throws {
    guard !isAtEnd else { return }
    (present, taken) = (UnsafeRawBufferPointer(start: nil, count: 0), 0)
    present = try work.next()
    if present.isEmpty { isAtEnd = true } else { try readOn() }
  }

  private func readOn() throws {
    // The closure retains the work rather than this object, which would otherwise be released on the thread it waits
    // for.
    if work.begins() { try thread.begin { [work, unowned thread] in work.doSome { thread.isOtherWaiting } } }
  }
}

/// The work of reading a file ahead: chunks to be read, and to be hashed in order. Two threads do it, each taking the
/// next piece that is not in progress.
final class ReadAheadWork: @unchecked Sendable {
  private struct Piece {
    let room = UnsafeMutableRawBufferPointer.onPage(byteCount: size)
    var count = 0
    var isUndigested = false
  }

  /// All chunks fit in the shared cache; hashing one takes longer than waking a thread.
  private static let size = 256 << 10
  private static let most = 8

  private let file: InputFile
  private let monitor = ConditionMonitor()
  private var pieces = (0..<most).map { _ in Piece() }
  /// Number of chunks read, hashed, and requested; the last one requested is in use.
  private var read = 0
  private var digested = 0
  private var asked = 0
  private var isReading = false
  private var isDigesting = false
  /// Whether a thread works on it or was notified.
  private var isBegun = false
  /// Whether nothing more is to be read: at the end of the file, or after `stop`.
  private var isOver = false
  private var failure: (any Error)?

  init(_ file: InputFile) {
    self.file = file
    file.leavesDigest = true
  }

  deinit { for piece in pieces { piece.room.deallocate() } }

  /// Whether there is work and nobody was notified yet; if true, `doSome` must follow.
  func begins() -> Bool {
    monitor.inside {
      guard !isBegun, canDigest || canRead else { return false }
      isBegun = true
      return true
    }
  }

  /// Works until told to stop, hashing first; but no more than a few chunks, as the thread may be one that waits, and
  /// would otherwise be busy for the whole file.
  func doSome(until isEnough: () -> Bool) {
    monitor.inside {
      var left = 2 * Self.most
      repeat {
        if canDigest { digestNext() } else if canRead { readNext() } else { break }
        left -= 1
      } while left > 0 && !isEnough()
      isBegun = false
    }
  }

  /// The next chunk, valid until the next call; empty at the end. Throws the error of reading it.
  func next() throws -> UnsafeRawBufferPointer {
    try monitor.inside {
      asked += 1
      while read < asked {
        if canRead {
          readNext()
        } else if isOver, !isReading {
          if let failure { throw failure }
          return UnsafeRawBufferPointer(start: nil, count: 0)
        } else if canDigest {
          digestNext()
        } else {
          monitor.wait()
        }
      }
      let piece = pieces[(asked - 1) % Self.most]
      return UnsafeRawBufferPointer(rebasing: piece.room[..<piece.count])
    }
  }

  /// Stops reading.
  func stop() { monitor.inside { isOver = true } }

  /// The hash of the whole file, after `stop`, when no other thread works on it.
  func digestAll() throws -> String? {
    monitor.inside { while canDigest { digestNext() } }
    file.leavesDigest = false
    try file.skipRest()
    return file.sha256
  }

  private var canDigest: Bool { !isDigesting && digested < read }

  /// Whether the next chunk can be read: its buffer is hashed, and not in use. A file that may turn out too large is
  /// hashed as it is read.
  private var canRead: Bool {
    !isOver && !isReading && read < Self.most + min(digested, max(0, asked - 1))
      && !(file.isFull && (digested < read || isDigesting))
  }

  private func digestNext() {
    let piece = pieces[digested % Self.most]
    isDigesting = true
    monitor.outside {
      if piece.isUndigested { file.digest(UnsafeRawBufferPointer(rebasing: piece.room[..<piece.count])) }
    }
    isDigesting = false
    digested += 1
  }

  private func readNext() {
    let place = read % Self.most
    let room = pieces[place].room
    isReading = true
    let got = monitor.outside {
      Result { (count: try file.read(into: room), isUndigested: file.isUndigested) }
    }
    isReading = false
    switch got {
    case .success((0, _)): isOver = true
    case .success(let (count, isUndigested)):
      (pieces[place].count, pieces[place].isUndigested) = (count, isUndigested)
      read += 1
    case .failure(let error): (failure, isOver) = (error, true)
    }
  }
}
