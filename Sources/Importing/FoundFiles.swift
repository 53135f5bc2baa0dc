import IO

/// A compact list of files in the order found: each path is stored as the difference from the one before, so that a
/// night of 200,000 files takes 4.5 MB.
struct FoundFiles: Sequence, Sendable {
  /// Encoded files, in pages, so that the list grows without being copied.
  private var pages: [[UInt8]] = []
  private static let page = 64 << 10
  private var last: [UInt8] = []
  /// The named folders, which are few, and unreadable entries, by index.
  private var folders: [String] = []
  private var unreadable: [Int: Unreadable] = [:]
  /// Temporary paths of files unpacked from archives.
  private var unpacked: [Int: RawPath] = [:]
  private var taps: [Int: Int] = [:]
  private(set) var count = 0
  var underestimatedCount: Int { count }

  mutating func append(_ file: FoundFile) {
    let path = file.location.bytes
    if pages.last.map({ $0.count + path.count + 40 > Self.page }) ?? true {
      pages.append([])
      pages[pages.count - 1].reserveCapacity(Self.page)
      last = []
    }
    let shared = zip(path, last).prefix { $0 == $1 }.count
    let folder = file.folder.map { folder in
      if let known = folders.lastIndex(of: folder) { return known + 1 }
      folders.append(folder)
      return folders.count
    }
    for number in [
      UInt64(shared), UInt64(path.count - shared), UInt64(clamping: file.bytes),
      UInt64(folder ?? 0) << 1 | (file.named ? 1 : 0),
    ] {
      Self.write(number, to: &pages[pages.count - 1])
    }
    pages[pages.count - 1] += path[shared...]
    unreadable[count] = file.unreadable
    unpacked[count] = file.unpacked
    taps[count] = file.tap
    last = path
    count += 1
  }

  func makeIterator() -> AnyIterator<FoundFile> {
    var place = Place()
    return AnyIterator { place.next(in: self) }
  }

  /// A position in the list, which may grow in the meantime.
  struct Place: Sendable {
    /// Number of the next file.
    private(set) var number = 0
    private var page = 0
    private var byte = 0
    private var path: [UInt8] = []

    mutating func next(in files: FoundFiles) -> FoundFile? {
      guard number < files.count else { return nil }
      if byte == files.pages[page].count {
        page += 1
        (byte, path) = (0, [])
      }
      let shared = Int(read(files))
      let count = Int(read(files))
      let bytes = Int64(clamping: read(files))
      let flags = read(files)
      path.removeSubrange(shared...)
      path += files.pages[page][byte..<(byte + count)]
      byte += count
      defer { number += 1 }
      return FoundFile(
        location: RawPath(bytes: path), named: flags & 1 == 1, bytes: bytes,
        folder: flags > 1 ? files.folders[Int(flags >> 1) - 1] : nil, unpacked: files.unpacked[number],
        tap: files.taps[number], unreadable: files.unreadable[number])
    }

    private mutating func read(_ files: FoundFiles) -> UInt64 { FoundFiles.read(files.pages[page], &byte) }
  }

  // Seven bits a byte, the lowest first (LEB128).
  private static func write(_ number: UInt64, to bytes: inout [UInt8]) {
    var number = number
    while number > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
      number >>= 7
    }
    bytes.append(UInt8(number))
  }

  private static func read(_ bytes: [UInt8], _ place: inout Int) -> UInt64 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = bytes[place]
      place += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }
}
