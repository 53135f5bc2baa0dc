import Bytes
import CallModel
import Glibc

/// A file or standard input, decompressed from gzip, zstd or brotli.
///
/// gzip and zstd are recognised by their magic numbers, brotli (which has none) by the suffix `.br`.
public final class InputFile: ByteSource {
  /// Bytes read from the file so far, before decompression.
  public private(set) var compressedBytesRead = 0
  /// Bytes returned so far, after decompression.
  public private(set) var bytesGiven = 0
  /// SHA-256 of the bytes read from the file so far: of the whole file once `read` has returned 0.
  public var sha256: String? { hasher?.hexDigest() }

  private let descriptor: Int32
  private let closes: Bool
  private let largest: Int
  private let expansion: Expansion
  private let hasher: SHA256?
  private var input: UnsafeMutableRawBufferPointer
  private var taken = 0
  private var filled = 0
  private var decoder: (any Decoder)?
  private var begun = false
  private let isBrotli: Bool

  /// Opens a file; `-` is standard input.
  ///
  /// `largest` bounds the bytes returned, `expansion` those that a compressed file may become: a decompression bomb
  /// ends as `tooLarge`. `hashing` makes `sha256` available at the end.
  /// Throws `missing`, `unreadable` or, for a regular file of no bytes, `empty`.
  public convenience init(
    path: String, largest: Int = 1 << 40, expansion: Expansion = Expansion(), hashing: Bool = false
  ) throws {
    try self.init(RawPath(word: path), largest: largest, expansion: expansion, hashing: hashing)
  }

  /// The same for a path that need not be UTF-8.
  public init(
    _ path: RawPath, largest: Int = 1 << 40, expansion: Expansion = Expansion(), hashing: Bool = false
  ) throws {
    if path.bytes == [UInt8(ascii: "-")] {
      descriptor = STDIN_FILENO
      closes = false
    } else {
      descriptor = try openForReading(path)
      closes = true
    }
    self.largest = largest
    self.expansion = expansion
    hasher = hashing ? SHA256() : nil
    isBrotli = path.bytes.suffix(3).elementsEqual(".br".utf8)
    input = .onPage(byteCount: 256 << 10)
  }

  deinit {
    if closes { close(descriptor) }
    input.deallocate()
  }

  /// Whether bytes read without decompression are hashed later by `digest`, and whether that applies to the last read.
  var leavesDigest = false
  private(set) var isUndigested = false

  /// Whether the limit is reached, so that the next read must find the end.
  var isFull: Bool { bytesGiven >= largest }

  /// Adds bytes to the SHA-256 that were left out of it, in the order they were read.
  func digest(_ bytes: UnsafeRawBufferPointer) { hasher?.update(bytes) }

  /// Returns the next decompressed bytes.
  public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    isUndigested = false
    guard buffer.count > 0 else { return 0 }
    if !begun { try begin() }
    let most = decoder == nil ? largest : min(largest, expansion.most(of: compressedBytesRead))
    guard bytesGiven < most else { return try refuseMore(than: most) }
    let buffer = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(most - bytesGiven))
    let count = try next(into: buffer)
    bytesGiven += count
    return count
  }

  /// Reads the rest of the file without decompressing, so that `sha256` covers the whole file. Nothing can be read
  /// afterwards.
  func skipRest() throws {
    while try readRaw(into: input) > 0 {}
    (taken, filled) = (0, 0)
  }

  /// The limit is reached: this must be the end.
  private func refuseMore(than most: Int) throws -> Int {
    leavesDigest = false
    var byte: UInt8 = 0
    guard try withUnsafeMutableBytes(of: &byte, { try next(into: $0) }) > 0 else { return 0 }
    let reason =
      most == largest
      ? "more than \(largest) bytes when decompressed; --raise source=SIZE takes more"
      : "it becomes more than \(expansion.times) times as large when decompressed; --raise expansion=NUMBER takes more"
    throw BytesError(.tooLarge, reason, byte: bytesGiven)
  }

  private func next(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if let decoder { return try inflate(with: decoder, into: buffer) }
    guard taken < filled else {
      isUndigested = leavesDigest
      return try readRaw(into: buffer, isDigested: !leavesDigest)
    }
    let count = min(buffer.count, filled - taken)
    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: input[taken..<(taken + count)]))
    taken += count
    return count
  }

  /// Chooses the decoder by the first bytes.
  private func begin() throws {
    begun = true
    while filled < 4 {
      let got = try readRaw(into: UnsafeMutableRawBufferPointer(rebasing: input[filled...]))
      if got == 0 { break }
      filled += got
    }
    if filled >= 2, input[0] == 0x1F, input[1] == 0x8B {
      decoder = try GzipDecoder()
    } else if filled >= 4, ZstdDecoder.begins(input) {
      decoder = try ZstdDecoder()
    } else if isBrotli, filled > 0 {
      decoder = try BrotliDecoder()
    }
  }

  private func inflate(with decoder: any Decoder, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let rest = UnsafeRawBufferPointer(rebasing: input[taken..<filled])
      let step = try located { try decoder.decode(rest, into: buffer) }
      taken += step.consumed
      if step.produced > 0 { return step.produced }
      if taken < filled, step.consumed > 0 { continue }
      // No output: the decoder needs more input.
      if taken == filled {
        taken = 0
        filled = 0
      } else if taken > 0 {
        input.moveToFront(taken..<filled)
        filled -= taken
        taken = 0
      }
      let got = try readRaw(into: UnsafeMutableRawBufferPointer(rebasing: input[filled...]))
      if got == 0 {
        try located { try decoder.finish() }
        return 0
      }
      filled += got
    }
  }

  /// Adds the offset in the compressed file to a decoder's error.
  private func located<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch var error as BytesError {
      error.byte = compressedBytesRead - (filled - taken)
      throw error
    }
  }

  private func readRaw(into buffer: UnsafeMutableRawBufferPointer, isDigested: Bool = true) throws -> Int {
    let got = try readSome(descriptor, into: buffer)
    compressedBytesRead += got
    if isDigested { hasher?.update(UnsafeRawBufferPointer(rebasing: buffer[..<got])) }
    return got
  }
}

/// Limit on the decompressed size. Repetitive logs compress to a hundredth, bombs to a thousandth and less.
public struct Expansion: Sendable {
  /// Factor on the compressed size.
  public var times: Int
  /// Bytes that any compressed file may become.
  public var free: Int

  public init(times: Int = Limit.expansion.value, free: Int = Limit.freeExpansion.value) {
    self.times = times
    self.free = free
  }

  /// The most bytes that so many packed ones may become.
  public func most(of packed: Int) -> Int {
    let (most, isBeyond) = packed.multipliedReportingOverflow(by: times)
    return isBeyond ? .max : max(free, most)
  }
}

/// Opens a file for reading, with errors for users.
func openForReading(_ path: RawPath) throws -> Int32 {
  let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
  guard descriptor >= 0 else {
    throw errno == ENOENT || errno == ENOTDIR
      ? BytesError(.missing, "no such file")
      : BytesError(.unreadable, "cannot be opened: \(errorText(errno))")
  }
  var status = stat()
  guard fstat(descriptor, &status) == 0 else { return descriptor }
  switch status.st_mode & S_IFMT {
  case S_IFDIR:
    close(descriptor)
    throw BytesError(.unreadable, "is a folder, not a file")
  case S_IFREG where status.st_size == 0:
    close(descriptor)
    throw BytesError(.empty, "the file is empty")
  default: return descriptor
  }
}

/// One `read(2)`, retried after signals.
func readSome(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
  while true {
    let got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    if got >= 0 { return got }
    if errno != EINTR { throw BytesError(.unreadable, "cannot be read: \(errorText(errno))") }
  }
}

private func errorText(_ code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}

/// A file in the temporary folder (TMPDIR, otherwise /tmp) without a name, so that it disappears however the process
/// ends.
public enum UnnamedFile {
  /// The folder for such files.
  public static var folder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

  /// Opens a new one for reading and writing; nil, with the reason in `errno`, if that fails. The caller closes it.
  public static func open() -> Int32? {
    // mkstemp replaces the X with an unused name.
    var template = Array((folder + "/callqa-XXXXXX").utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { return nil }
    unlink(template)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    return file
  }
}
