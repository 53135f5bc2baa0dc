import Bytes
import Dispatch
import Synchronization

/// Digests a file on another thread while it is read.
final class LateDigest: Sendable {
  /// Below this, a thread costs more than it saves.
  static let smallest: Int64 = 4 << 20

  private let done = DispatchSemaphore(value: 0)
  private let isAbandoned = Atomic<Bool>(false)
  private let result = Mutex<Result<String, any Error>?>(nil)

  init(ofFile path: RawPath) {
    DispatchQueue.global(qos: .userInitiated).async { [self] in
      let digest = Result { try sha256(ofFile: path) { isAbandoned.load(ordering: .relaxed) } }
      result.withLock { $0 = digest }
      done.signal()
    }
  }

  /// Says that nobody waits for it: a file of a hundred gigabytes that is of no known format need not be read.
  func abandon() { isAbandoned.store(true, ordering: .relaxed) }

  /// The digest; waits for it.
  func value() throws -> String {
    done.wait()
    done.signal()
    return try result.withLock { $0 }?.get() ?? ""
  }
}
