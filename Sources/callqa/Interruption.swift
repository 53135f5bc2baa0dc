import Glibc
import Rendering
import Synchronization

/// Ctrl-C, a termination or a terminal that was closed: the first one requests a stop at the next file boundary, the second one stops at once.
enum Interruption {
  private static let asked = Atomic<Bool>(false)

  /// Whether a stop was requested.
  static var isAsked: Bool { asked.load(ordering: .relaxed) }

  /// Installs the signal handler, in a process of its own.
  static func listen() {
    guard Surroundings.areOfProcess else { return }
    signal(SIGINT) { _ in
      if Interruption.asked.exchange(true, ordering: .relaxed) { _exit(130) }
    }
    signal(SIGTERM) { _ in
      if Interruption.asked.exchange(true, ordering: .relaxed) { _exit(143) }
    }
    // `nohup` ignores it.
    let before = signal(SIGHUP) { _ in
      if Interruption.asked.exchange(true, ordering: .relaxed) { _exit(129) }
    }
    if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(SIGHUP, SIG_IGN) }
  }
}
