import Bytes
import CArchive
import Glibc

/// Iterates over the files of a zip or tar archive, compressed or not (libarchive). It writes nothing; names are only
/// reported.
public final class ArchiveReader {
  /// A file of the archive.
  public struct Entry {
    /// Path components, folders first: none is empty, `.`, `..` or hidden. Of a name that cannot be read, a number.
    public var path: [[UInt8]]
  }

  private let path: RawPath
  private var archive: OpaquePointer
  /// Number of entries met, of any kind.
  private var met = 0
  /// How often the archive was opened again, which takes it through all earlier entries.
  private var reopened = 0
  private static let mostReopened = 100
  /// Entries that are not regular files, or whose names are hidden or lead out of the archive.
  public private(set) var leftOut = 0

  private static let block = 256 << 10
  /// The kind of a regular file in an entry's mode (`AE_IFREG`).
  private static let regular: UInt32 = 0o100000
  private static let kinds: UInt32 = 0o170000

  /// Throws `BytesError` if it cannot be opened.
  public init(_ path: RawPath) throws {
    self.path = path
    archive = try Self.open(path)
  }

  deinit { archive_read_free(archive) }

  private static func open(_ path: RawPath) throws -> OpaquePointer {
    guard let archive = archive_read_new() else { throw BytesError(.unreadable, "no memory for an archive") }
    archive_read_support_format_zip(archive)
    archive_read_support_format_tar(archive)
    archive_read_support_filter_gzip(archive)
    archive_read_support_filter_bzip2(archive)
    archive_read_support_filter_xz(archive)
    archive_read_support_filter_zstd(archive)
    guard path.withCString({ archive_read_open_filename(archive, $0, block) }) == ARCHIVE_OK else {
      defer { archive_read_free(archive) }
      throw error(of: archive)
    }
    return archive
  }

  /// The next regular file; nil at the end.
  public func next() throws -> Entry? {
    while let entry = try nextHeader() {
      met += 1
      let kind = UInt32(archive_entry_filetype(entry)) & Self.kinds
      // Folders are implied by their files.
      if kind == 0o040000 { continue }
      guard kind == Self.regular, archive_entry_hardlink(entry) == nil, let path = path(of: entry) else {
        leftOut += 1
        continue
      }
      return Entry(path: path)
    }
    return nil
  }

  private func nextHeader() throws -> OpaquePointer? {
    var entry: OpaquePointer?
    let result = Self.inUTF8 { archive_read_next_header(archive, &entry) }
    if result == ARCHIVE_EOF { return nil }
    guard result == ARCHIVE_OK || result == ARCHIVE_WARN, let entry else { throw Self.error(of: archive) }
    return entry
  }

  /// Reads the next bytes of the current file. After an error the next file can be read, if `canGoOn`.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let got = archive_read_data(archive, buffer.baseAddress, buffer.count)
    if got >= 0 { return got }
    isOver = got == Int(ARCHIVE_FATAL)
    throw BytesError(.unreadable, "it cannot be unpacked: \(Self.words(of: archive))")
  }

  /// Whether the last error ended the reading of the archive, as libarchive takes it.
  private var isOver = false

  /// Whether there may be more files after one that could not be read: damaged data end the reading, so the archive is
  /// opened again behind them.
  public func canGoOn() -> Bool {
    guard isOver else { return true }
    guard reopened < Self.mostReopened, let again = try? Self.open(path) else { return false }
    archive_read_free(archive)
    (archive, isOver) = (again, false)
    reopened += 1
    for _ in 0..<met where (try? nextHeader()) == nil { return false }
    return true
  }

  /// libarchive converts names to the encoding of the locale, and gives up names that it lacks.
  private static func inUTF8<Result>(_ body: () -> Result) -> Result {
    guard let locale = utf8 else { return body() }
    let before = uselocale(locale)
    defer { uselocale(before) }
    return body()
  }

  nonisolated(unsafe) private static let utf8 = newlocale(Int32(LC_CTYPE_MASK), "C.UTF-8", nil)

  /// Nil for a hidden name, and one that leads out of the archive.
  private func path(of entry: OpaquePointer) -> [[UInt8]]? {
    let unnamed = [Array("file-\(met)".utf8)]
    let name = Self.inUTF8 { archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry) }
    guard let name else { return unnamed }
    let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
    guard bytes.count <= 4096 else { return unnamed }
    let parts = bytes.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }).map {
      Array($0)
    }
    .filter { $0 != [UInt8(ascii: ".")] }
    guard !parts.isEmpty, parts.allSatisfy({ $0.count <= 255 }) else { return unnamed }
    let isHidden = parts.contains { $0.first == UInt8(ascii: ".") || $0 == Array("__MACOSX".utf8) }
    return isHidden ? nil : parts
  }

  private static func error(of archive: OpaquePointer) -> BytesError {
    BytesError(.unreadable, "the archive cannot be read: \(words(of: archive))")
  }

  private static func words(of archive: OpaquePointer) -> String {
    archive_error_string(archive).map { String(cString: $0) } ?? "it is damaged"
  }
}
