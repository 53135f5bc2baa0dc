import Glibc
import Synchronization

/// Ctrl-C, a termination or a terminal that was closed: the call being placed is given up, the browser ends, and what is
/// known is written. The second one ends the program at once.
public enum ProbeInterruption {
  /// The signal, 0 before.
  private static let asked = Atomic<Int32>(0)

  /// The signal that asks for the end; nil if none came.
  public static var signal: Int32? {
    let number = asked.load(ordering: .relaxed)
    return number == 0 ? nil : number
  }

  /// Installs the handlers, in a process of its own. What is ignored, as by `nohup`, stays so.
  public static func listen() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let before = Glibc.signal(number) { number in
        if ProbeInterruption.asked.exchange(number, ordering: .relaxed) != 0 { _exit(128 + number) }
      }
      if number == SIGHUP, unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
        Glibc.signal(SIGHUP, SIG_IGN)
      }
    }
  }
}

/// The program was asked to end.
struct ProbeInterrupted: Error {}
