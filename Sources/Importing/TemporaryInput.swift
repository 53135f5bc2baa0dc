import Bytes
import CallModel
import Glibc
import IO

/// An archive, unpacked into a temporary folder during its import, so that its files are read like those of a folder.
///
/// Limited in files and bytes; names cannot lead out of the folder; archives inside it are unpacked, but only one level
/// deep.
struct UnpackedArchive {
  /// A file of the archive: its temporary path and its name.
  struct File {
    var lies: RawPath
    var path: RawPath
    var bytes: Int64
  }

  /// The temporary folder; nil if nothing was unpacked.
  private var folder: LockedFolder?
  private(set) var files: [File] = []
  /// Entries that could not be unpacked, with the reason.
  private(set) var failures: [(path: RawPath, error: SourceError)] = []

  private static let maxFiles = Limit.archiveFiles.value
  /// How many bytes may be unpacked, and why no more.
  private let room: Room
  private let isStopped: () -> Bool
  private static let endings = [
    ".zip", ".tar", ".tgz", ".tar.gz", ".tar.zst", ".tar.xz", ".tar.bz2", ".txz", ".tbz2",
  ]

  private var bytes: Int64 = 0
  /// Entries that are not files, or are in hidden folders.
  private(set) var leftOut = 0

  /// Whether a file has the suffix of an archive.
  private static func isCalledSo(_ path: RawPath) -> Bool {
    let name = path.text.lowercased()
    return endings.contains(where: name.hasSuffix)
  }

  /// Whether a file is an archive by its first bytes: a zip, or a tar with any compression, if its name says so.
  static func isOne(_ path: RawPath) -> Bool {
    guard isCalledSo(path), let head = head(of: path) else { return false }
    if path.text.lowercased().hasSuffix(".zip") { return head.starts(with: Array("PK".utf8)) }
    return head.count > 262 && head[257..<262].elementsEqual("ustar".utf8)
      || [[0x1F, 0x8B], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A], [0x42, 0x5A, 0x68]].contains {
        head.starts(with: $0)
      }
  }

  /// The first bytes of a file as it is on disk.
  static func head(of path: RawPath) -> [UInt8]? {
    let file = path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { return nil }
    defer { close(file) }
    var head = [UInt8](repeating: 0, count: 512)
    let got = read(file, &head, head.count)
    return got > 0 ? Array(head.prefix(got)) : nil
  }

  /// Unpacks an archive, unless `isStopped` returns true first.
  init(_ archive: FoundFile, expansion: Expansion, isStopped: @escaping () -> Bool) {
    self.isStopped = isStopped
    room = Room(packed: archive.bytes, expansion)
    let archive = archive.location
    guard let folder = LockedFolder() else {
      failures.append((archive, .system(errno)))
      return
    }
    self.folder = folder
    unpack(archive, called: archive, into: folder.path.appending(Array("0".utf8)), isNested: false)
  }

  /// Deletes the unpacked files.
  func remove() { folder?.remove() }

  /// How many bytes an archive may become.
  private struct Room {
    let most: Int64
    let beyond: SourceError

    init(packed: Int64, _ expansion: Expansion) {
      let (fixed, free) = (Int64(Limit.archive.value), Self.free)
      let expanded = Int64(expansion.most(of: Int(packed)))
      most = min(fixed, expanded, free)
      beyond =
        most == free
        ? SourceError(
          .tooLarge,
          "no room to unpack it in \(UnnamedFile.folder): set TMPDIR to a folder with more, or unpack it")
        : most == fixed
          ? SourceError(.tooLarge, "more than \(fixed >> 30) GB unpacked: unpack it, and import the folder")
          : SourceError(
            .tooLarge, "more than \(expansion.times) times its size unpacked: see --raise expansion")
    }

    /// What may be used of the room on the disk: others need some too.
    private static var free: Int64 {
      var disk = statvfs()
      guard statvfs(UnnamedFile.folder, &disk) == 0 else { return .max }
      return Int64(
        clamping: UInt64(disk.f_bavail).multipliedReportingOverflow(by: UInt64(disk.f_frsize)).partialValue)
        / 10
        * 9
    }
  }

  // Files get numbers as names; their own names are only reported.
  private mutating func unpack(_ archive: RawPath, called name: RawPath, into place: RawPath, isNested: Bool)
  {
    var nested: [File] = []
    do {
      let reader = try ArchiveReader(archive)
      while let entry = try reader.next() {
        guard files.count + nested.count < Self.maxFiles else {
          throw SourceError(.tooLarge, "more than \(Self.maxFiles) files: unpack it, and import the folder")
        }
        let called = entry.path.reduce(name) { $0.appending($1) }
        let lies = RawPath(
          bytes: place.bytes + Array("-\(files.count + nested.count)".utf8) + Self.ending(of: entry.path))
        do {
          let file = File(lies: lies, path: called, bytes: try write(reader, to: lies))
          if Self.isOne(lies) { nested.append(file) } else { files.append(file) }
        } catch let error as BytesError {
          // One bad file; what follows it is read.
          _ = lies.withCString { unlink($0) }
          failures.append((called, SourceError.of(error)))
          if !reader.canGoOn() { break }
        }
        if isStopped() { break }
      }
      leftOut += reader.leftOut
    } catch {
      failures.append((name, SourceError.of(error)))
    }
    for (number, file) in nested.enumerated() {
      defer { _ = file.lies.withCString { unlink($0) } }
      guard !isNested else {
        failures.append(
          (
            file.path,
            SourceError(
              .unsupported, "an archive in an archive in an archive: unpack it, and import the folder")
          ))
        continue
      }
      unpack(
        file.lies, called: file.path, into: RawPath(bytes: place.bytes + Array(".\(number)".utf8)),
        isNested: true)
    }
  }

  // Some formats are recognised by suffix.
  private static func ending(of path: [[UInt8]]) -> [UInt8] {
    guard let name = path.last, let dot = name.firstIndex(of: UInt8(ascii: ".")) else { return [] }
    return Array(name[dot...].suffix(40))
  }

  private mutating func write(_ reader: ArchiveReader, to place: RawPath) throws -> Int64 {
    let file = place.withCString { open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
    guard file >= 0 else { throw SourceError.system(errno) }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var size: Int64 = 0
    while true {
      let got = try buffer.withUnsafeMutableBytes { try reader.read(into: $0) }
      if got == 0 { return size }
      bytes += Int64(got)
      size += Int64(got)
      guard bytes <= room.most else { throw room.beyond }
      guard !isStopped() else { return size }
      var done = 0
      while done < got {
        let wrote = buffer.withUnsafeBytes {
          Glibc.write(file, $0.baseAddress?.advanced(by: done), got - done)
        }
        guard wrote > 0 else { throw SourceError.system(wrote < 0 ? errno : ENOSPC) }
        done += wrote
      }
    }
  }
}

/// A path that can be read twice (first for the digest, then for records): standard input is copied to an unnamed file,
/// which disappears however the process ends.
struct SpooledInput {
  let path: RawPath
  private let spool: Int32?

  init(_ path: RawPath) throws {
    let isInput = path == RawPath("-")
    spool = isInput ? try Self.spool() : nil
    self.path = spool.map { RawPath("/proc/self/fd/\($0)") } ?? path
  }

  func remove() {
    if let spool { close(spool) }
  }

  private static func spool() throws -> Int32 {
    guard let file = UnnamedFile.open() else { throw SourceError.system(errno) }
    do {
      try copyInput(to: file)
      return file
    } catch {
      close(file)
      throw error
    }
  }

  private static func copyInput(to file: Int32) throws {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let got = read(STDIN_FILENO, &buffer, buffer.count)
      if got == 0 { return }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw SourceError.system(errno) }
      var done = 0
      while done < got {
        let wrote = buffer.withUnsafeBytes { write(file, $0.baseAddress?.advanced(by: done), got - done) }
        guard wrote > 0 else { throw SourceError.system(wrote < 0 ? errno : ENOSPC) }
        done += wrote
      }
    }
  }
}
