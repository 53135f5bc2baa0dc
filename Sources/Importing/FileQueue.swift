import Bytes
import Glibc

/// Files on their way from the walk that finds them to those who import them, each with one whose turn comes a little later,
/// for the system to read it by then.
final class FileQueue: @unchecked Sendable {
  /// How many files a later one is behind: as many as are imported while a disk looks for one.
  static let ahead = 32

  private let monitor = Monitor()
  private var found = FoundFiles()
  private var turn = FoundFiles.Place()
  private var later = FoundFiles.Place()
  private var isOpen = false
  private var isComplete = false

  /// Adds a file that was found.
  func append(_ file: FoundFile) {
    monitor.inside { found.append(file) }
    monitor.tell()
  }

  /// Hands out files from now on, while others are still to be found.
  func open() {
    monitor.inside { isOpen = true }
    monitor.tellAll()
  }

  /// No more will be found; all that were are handed out.
  func complete() {
    monitor.inside { isComplete = true }
    monitor.tellAll()
  }

  /// How many files were found so far.
  var count: Int { monitor.inside { found.count } }

  /// All that was found.
  var files: FoundFiles { monitor.inside { found } }

  /// Waits until there are so many files to hand out, or no more will be; gives how many there are.
  func wait(for count: Int) -> Int {
    monitor.inside {
      while !isComplete, !isOpen || found.count < count { monitor.wait() }
      return found.count
    }
  }

  /// The next file, once there is one; nil at the end.
  func next() -> (index: Int, file: FoundFile, later: FoundFile?)? {
    monitor.inside {
      while !isComplete, !isOpen || turn.number == found.count { monitor.wait() }
      let index = turn.number
      guard let file = turn.next(in: found) else { return nil }
      while later.number < index + Self.ahead, later.next(in: found) != nil {}
      return (index, file, later.next(in: found))
    }
  }
}

extension FoundFile {
  /// Files beyond this are read ahead by the system anyway, as they are read.
  private static let largest = 1 << 20

  /// Has the system read the file without waiting for it; whatever is wrong with it is told in its turn.
  func readAhead() {
    guard trouble == nil, bytes > 0, bytes <= Self.largest else { return }
    let descriptor = location.withCString { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return }
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_WILLNEED)
    close(descriptor)
  }
}
