import Glibc

/// Files in their turn, each with one whose turn comes a little later, for the system to read it by then.
struct FileQueue {
  /// How many files a later one is behind: as many as are read while a disk looks for one.
  static let ahead = 32

  private var files: EnumeratedSequence<FoundFiles>.Iterator
  private var later: FoundFiles.Iterator

  init(_ files: FoundFiles) {
    self.files = files.enumerated().makeIterator()
    later = files.makeIterator()
    for _ in 0..<Self.ahead { _ = later.next() }
  }

  mutating func next() -> (index: Int, file: FoundFile, later: FoundFile?)? {
    guard let (index, file) = files.next() else { return nil }
    return (index, file, later.next())
  }
}

extension FoundFile {
  /// Files beyond this are read ahead by the system anyway, as they are read.
  private static let largest = 1 << 20

  /// Has the system read the file without waiting for it; whatever is wrong with it is told in its turn.
  func readAhead() {
    guard trouble == nil, bytes > 0, bytes <= Self.largest else { return }
    let descriptor = location.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return }
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_WILLNEED)
    close(descriptor)
  }
}
