import Bytes
import Concurrency

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

/// What there is to do for who reads a file ahead: pieces to be read, and to be digested in their order. Two threads do it,
/// each what is next and not being done.
final class ReadAheadWork: @unchecked Sendable {
  private struct Piece {
    let room = UnsafeMutableRawBufferPointer.onPage(byteCount: size)
    var count = 0
    var isUndigested = false
  }

  /// All of them stay in the cache that cores share; one takes longer to be digested than a thread to wake up.
  private static let size = 256 << 10
  private static let most = 8

  private let file: InputFile
  private let monitor = ConditionMonitor()
  private var pieces = (0..<most).map { _ in Piece() }
  /// Pieces that were read, digested, and asked for; the last one asked for is in use.
  private var read = 0
  private var digested = 0
  private var asked = 0
  private var isReading = false
  private var isDigesting = false
  /// Whether a thread does what there is to do, or was told to.
  private var isBegun = false
  /// Whether nothing more is to be read: the end came, or nobody wants more.
  private var isOver = false
  private var failure: (any Error)?

  init(_ file: InputFile) {
    self.file = file
    file.leavesDigest = true
  }

  deinit { for piece in pieces { piece.room.deallocate() } }

  /// Whether there is something to do and nobody was told so, who now is: `doSome` must follow.
  func begins() -> Bool {
    monitor.inside {
      guard !isBegun, canDigest || canRead else { return false }
      isBegun = true
      return true
    }
  }

  /// Does what there is to do, digesting first, until something else is to be done; and no more than a few pieces, for who
  /// does it may be one that waits, and who takes the file apart would keep him for as long as the file is.
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

  /// The next piece, in use until the one after it is asked for; empty at the end. Throws what reading it threw.
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

  /// Lets nothing more be read.
  func stop() { monitor.inside { isOver = true } }

  /// The digest of all, after `stop`, when no other thread is at it any more.
  func digestAll() throws -> String? {
    monitor.inside { while canDigest { digestNext() } }
    file.leavesDigest = false
    try file.skipRest()
    return file.sha256
  }

  private var canDigest: Bool { !isDigesting && digested < read }

  /// Whether the next piece can be read: its room is digested, and not in use. What may find the file to be too large
  /// digests by itself.
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
