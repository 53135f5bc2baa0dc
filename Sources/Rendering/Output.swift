import Glibc

/// Why bytes could not be written.
public enum OutputError: Error, Sendable, Equatable {
  /// The reader closed the pipe (`callqa calls | head`). This is not an error; stop quietly.
  case closed
  /// The disk or device reported an error, so the output is incomplete.
  case failed(path: String, reason: String)
}

/// A buffered byte stream to an open descriptor that reports write errors.
///
/// `print` ignores a full disk; a report that was not written must not look like success.
public final class Output {
  private let descriptor: Int32
  private let path: String
  private var buffer: [UInt8] = []
  private static let capacity = 1 << 16

  /// Standard output; call `flush` before the process ends.
  public static func standard() -> Output {
    Output(descriptor: Surroundings.current.output, path: "standard output")
  }

  init(descriptor: Int32, path: String) { (self.descriptor, self.path) = (descriptor, path) }

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
