import Glibc

/// Why bytes could not be written.
public enum OutputError: Error, Sendable, Equatable {
  /// The reader closed the pipe (`callqa calls | head`). This is not an error; stop quietly.
  case closed
  /// The disk or device reported an error, so the output is incomplete.
  case failed(path: String, reason: String)
}

/// A buffered byte stream to standard output or a file that reports write errors.
///
/// `print` ignores a full disk; a report that was not written must not look like success.
public final class Output {
  private let descriptor: Int32
  private let path: String
  private let owned: Bool
  private var buffer: [UInt8] = []
  private static let capacity = 1 << 16

  /// Standard output; call `flush` before the process ends.
  public static func standard() -> Output {
    Output(descriptor: Surroundings.current.output, path: "standard output", owned: false)
  }

  /// Creates or truncates a file; `-` is standard output. Throws `OutputError.failed`.
  public static func file(_ path: String, mode: UInt32 = 0o644) throws -> Output {
    if path == "-" { return standard() }
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw OutputError.failed(path: path, reason: Self.reason()) }
    return Output(descriptor: descriptor, path: path, owned: true)
  }

  private init(descriptor: Int32, path: String, owned: Bool) {
    self.descriptor = descriptor
    self.path = path
    self.owned = owned
  }

  deinit { if owned { _ = close(descriptor) } }

  /// Appends bytes to the buffer, which is written when it is full. Throws `OutputError`.
  public func write(_ bytes: some Collection<UInt8>) throws {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.capacity { try flush() }
  }

  /// Adds text as UTF-8. Throws `OutputError`.
  public func write(_ text: String) throws { try write(text.utf8) }

  /// Writes the buffer. Throws `OutputError`; bytes that could not be written are discarded.
  public func flush() throws {
    defer { buffer.removeAll(keepingCapacity: true) }
    try buffer.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let wrote = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if wrote >= 0 {
          rest = rest.dropFirst(wrote)
        } else if errno == EPIPE {
          throw OutputError.closed
        } else if errno != EINTR {
          throw OutputError.failed(path: path, reason: Self.reason())
        }
      }
    }
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}
