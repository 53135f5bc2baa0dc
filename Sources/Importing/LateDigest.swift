import Bytes
import Dispatch
import Synchronization

/// Digests a file on another thread while it is read.
final class LateDigest: Sendable {
  /// Below this, a thread costs more than it saves.
  static let smallest: Int64 = 4 << 20

  private let done = DispatchSemaphore(value: 0)
  private let result = Mutex<Result<String, any Error>?>(nil)

  init(ofFile path: RawPath) {
    DispatchQueue.global(qos: .userInitiated).async { [self] in
      let digest = Result { try sha256(ofFile: path) }
      result.withLock { $0 = digest }
      done.signal()
    }
  }

  /// The digest; waits for it.
  func value() throws -> String {
    done.wait()
    done.signal()
    return try result.withLock { $0 }?.get() ?? ""
  }
}
