import Glibc
import Synchronization

/// Work on a thread of its own that somebody waits for only so long. A thread cannot be stopped from outside: work that is
/// not waited for any more goes on until it notices.
public enum TimedWork {
  /// The most threads that go on unwatched; beyond that no work is begun.
  private static let mostUnwatched = 3
  private static let threads = Atomic(0)

  /// What became of some work.
  public enum Outcome<Value> {
    case done(Value)
    /// It takes longer.
    case late
    /// Too much earlier work is still going on.
    case refused
  }

  /// Runs work, and waits for it for so long. Throws what it throws.
  public static func run<Value: Sendable>(
    seconds: Double, _ body: @escaping @Sendable () throws -> Value
  ) throws -> Outcome<Value> {
    let desk = Desk(body)
    guard threads.add(1, ordering: .relaxed).newValue <= mostUnwatched, desk.start() else {
      threads.subtract(1, ordering: .relaxed)
      return .refused
    }
    return try desk.wait(seconds: seconds).map { .done(try $0.get()) } ?? .late
  }

  private final class Desk<Value: Sendable>: @unchecked Sendable {
    private let monitor = ConditionMonitor()
    private let body: @Sendable () throws -> Value
    private var result: Result<Value, any Error>?

    init(_ body: @escaping @Sendable () throws -> Value) { self.body = body }

    func start() -> Bool {
      let thread = startThread { [self] in
        let result = Result { try body() }
        monitor.inside { self.result = result }
        monitor.signal()
        TimedWork.threads.subtract(1, ordering: .relaxed)
      }
      if let thread { pthread_detach(thread) }
      return thread != nil
    }

    func wait(seconds: Double) -> Result<Value, any Error>? {
      var until = timespec()
      clock_gettime(CLOCK_REALTIME, &until)
      until.tv_sec += Int(seconds)
      return monitor.inside {
        while result == nil, monitor.wait(until: until) {}
        return result
      }
    }
  }
}
