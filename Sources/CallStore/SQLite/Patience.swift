import Glibc

/// Waits for a lock that another process holds: longer and longer naps, one message, and an end.
final class Patience {
  private let seconds: Double
  private let path: String
  private let telling: (@Sendable (String) -> Void)?
  private var waited = 0.0
  private var told = false

  init(seconds: Double, path: String, telling: (@Sendable (String) -> Void)?) {
    self.seconds = seconds
    self.path = path
    self.telling = telling
  }

  static func from(_ context: UnsafeMutableRawPointer?) -> Patience? {
    context.map { Unmanaged<Patience>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Naps, then says whether to try again; `tries` counts the naps for one lock from 0.
  func wait(again tries: Int32) -> Bool {
    if tries == 0 { waited = 0 }
    guard waited < seconds else { return false }
    let nap = min(0.001 * Double(1 &+ min(tries, 49)), 0.05)
    usleep(UInt32(nap * 1_000_000))
    waited += nap
    if waited > 1, !told {
      told = true
      telling?("\(path) is in use by another process; waiting")
    }
    return true
  }
}
