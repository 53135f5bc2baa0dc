import Glibc

/// Threads for background work of the whole program: one fewer than there are cores, as the submitting thread uses one.
///
/// More threads than cores preempt each other, and threads with little work keep being woken, on a virtual machine
/// often on a busy core while another is idle.
final class Workers: Sendable {
  /// The pool shared by the whole program, as cores are shared: separate pools could create more threads than cores.
  /// The threads sleep when idle, and end with the program.
  static let shared = Workers(limit: max(1, Cores.count - 1))

  private let desk: WorkQueue

  /// A pool of at most this many threads, started on demand.
  init(limit: Int) { desk = WorkQueue(limit: limit) }

  deinit { desk.close() }

  /// Queues one piece of some work; false if the system has no thread to spare.
  func add(_ work: BackgroundWork) -> Bool { desk.add(work) }

  /// Work waiting for a thread, to be run by the caller.
  func next() -> BackgroundWork? { desk.takeDue() }

  /// Whether work is waiting for a thread.
  var areWanted: Bool { desk.hasDue }
}

/// The queue of waiting work. The threads retain this rather than the pool, whose deinit stops them.
private final class WorkQueue: @unchecked Sendable {
  private let monitor = ConditionMonitor()
  private let limit: Int
  private var due: [BackgroundWork] = []
  private var threads = 0
  private var resting = 0
  private var isClosing = false

  init(limit: Int) { self.limit = limit }

  var hasDue: Bool { monitor.inside { !due.isEmpty } }

  func takeDue() -> BackgroundWork? { monitor.inside { due.isEmpty ? nil : due.removeFirst() } }

  func add(_ work: BackgroundWork) -> Bool {
    let isTaken = monitor.inside {
      if due.count >= resting, threads < limit, let thread = startThread({ [self] in serve() }) {
        pthread_detach(thread)
        threads += 1
      }
      if threads > 0 { due.append(work) }
      return threads > 0
    }
    monitor.signal()
    return isTaken
  }

  func close() {
    monitor.inside { isClosing = true }
    monitor.broadcast()
  }

  private func serve() {
    while let work = next() { work.turn() }
  }

  private func next() -> BackgroundWork? {
    monitor.inside {
      while due.isEmpty {
        if isClosing { return nil }
        resting += 1
        monitor.wait()
        resting -= 1
      }
      return due.removeFirst()
    }
  }
}

/// The processors of this machine.
public enum Cores {
  /// Number of cores in use, at least 1.
  public static var count: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}

/// A mutex with a condition variable: one thread at a time is inside, and can wait there for a signal.
///
/// Uses pthread, as `Locked` does.
public final class ConditionMonitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// A free monitor.
  public init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    pthread_cond_destroy(changed)
    mutex.deallocate()
    changed.deallocate()
  }

  /// Runs the body with the lock held.
  public func inside<T>(_ body: () throws -> T) rethrows -> T {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Releases the lock while the body runs; afterwards, with the lock held again, the other thread is woken.
  public func outside<T>(_ body: () -> T) -> T {
    pthread_mutex_unlock(mutex)
    defer {
      pthread_mutex_lock(mutex)
      pthread_cond_signal(changed)
    }
    return body()
  }

  /// Wakes one waiting thread, which continues when this one has left.
  public func signal() { pthread_cond_signal(changed) }

  /// Wakes all waiting threads.
  public func broadcast() { pthread_cond_broadcast(changed) }

  /// Releases the lock until a signal, which may be spurious: the caller must check its condition again.
  public func wait() { pthread_cond_wait(changed, mutex) }

  /// The same up to a time of the clock; false once it has passed.
  public func wait(until time: timespec) -> Bool {
    var time = time
    return pthread_cond_timedwait(changed, mutex, &time) != ETIMEDOUT
  }
}
