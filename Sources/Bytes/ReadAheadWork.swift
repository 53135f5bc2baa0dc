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
  private let monitor = Monitor()
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
