import Bytes
import Glibc
import Importing

/// A line on stderr that counts files, on a terminal only.
final class ImportProgress: Sendable {
  private let isShown: Bool
  private let lastShown = Locked(0.0)

  init(isShown: Bool) {
    self.isShown = isShown && isatty(2) == 1
  }

  /// Counts one more file; shown ten times a second at most.
  var tell: @Sendable (Int, Int) -> Void {
    { [self] done, all in
      guard isShown else { return }
      let now = seconds()
      let isDue = lastShown.withLock { last in
        guard now - last > 0.1 || done == all else { return false }
        last = now
        return true
      }
      if isDue { show("\rimporting \(done) of \(all) files") }
    }
  }

  /// Wipes the line.
  func finish() {
    if isShown { show("\r\u{1B}[K") }
  }

  private func show(_ text: String) {
    _ = Array(text.utf8).withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }

  private func seconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}
