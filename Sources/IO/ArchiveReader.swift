import Bytes
import CArchive
import Glibc

/// Iterates over the files of a zip or tar archive, compressed or not (libarchive). It writes nothing; names are only
/// reported.
public final class ArchiveReader {
  /// A file of the archive.
  public struct Entry {
    /// Path components, folders first: none is empty, `.`, `..` or hidden.
    public var path: [[UInt8]]
  }

  private let archive: OpaquePointer
  /// Entries that are not regular files, or whose names are hidden or lead out of the archive.
  public private(set) var leftOut = 0

  private static let block = 256 << 10
  /// The kind of a regular file in an entry's mode (`AE_IFREG`).
  private static let regular: UInt32 = 0o100000
  private static let kinds: UInt32 = 0o170000

  /// Throws `BytesError` if it cannot be opened.
  public init(_ path: RawPath) throws {
    guard let archive = archive_read_new() else { throw BytesError(.unreadable, "no memory for an archive") }
    self.archive = archive
    archive_read_support_format_zip(archive)
    archive_read_support_format_tar(archive)
    archive_read_support_filter_gzip(archive)
    archive_read_support_filter_bzip2(archive)
    archive_read_support_filter_xz(archive)
    archive_read_support_filter_zstd(archive)
    guard path.withCString({ archive_read_open_filename(archive, $0, Self.block) }) == ARCHIVE_OK else {
      throw archiveError()
    }
  }

  deinit { archive_read_free(archive) }

  /// The next regular file; nil at the end.
  public func next() throws -> Entry? {
    while true {
      var entry: OpaquePointer?
      let result = archive_read_next_header(archive, &entry)
      if result == ARCHIVE_EOF { return nil }
      guard result == ARCHIVE_OK || result == ARCHIVE_WARN, let entry else { throw archiveError() }
      let kind = UInt32(archive_entry_filetype(entry)) & Self.kinds
      // Folders are implied by their files.
      if kind == 0o040000 { continue }
      guard kind == Self.regular, archive_entry_hardlink(entry) == nil, let path = Self.path(of: entry) else {
        leftOut += 1
        continue
      }
      return Entry(path: path)
    }
  }

  /// Reads the next bytes of the current file.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let got = archive_read_data(archive, buffer.baseAddress, buffer.count)
    guard got >= 0 else { throw archiveError() }
    return got
  }

  private static func path(of entry: OpaquePointer) -> [[UInt8]]? {
    guard let name = archive_entry_pathname_utf8(entry) ?? archive_entry_pathname(entry) else { return nil }
    let bytes = UnsafeRawBufferPointer(start: name, count: strlen(name))
    guard bytes.count <= 4096 else { return nil }
    let parts = bytes.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }).map {
      Array($0)
    }
    .filter { $0 != [UInt8(ascii: ".")] }
    let isHidden = parts.contains {
      $0.first == UInt8(ascii: ".") || $0.count > 255 || $0 == Array("__MACOSX".utf8)
    }
    return parts.isEmpty || isHidden ? nil : parts
  }

  private func archiveError() -> BytesError {
    let words = archive_error_string(archive).map { String(cString: $0) } ?? "damaged"
    return BytesError(.unreadable, "the archive cannot be read: \(words)")
  }
}
