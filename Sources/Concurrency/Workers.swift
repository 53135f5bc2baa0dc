import Glibc

/// Threads that do background work, whosever it is: one less than there are cores, for who gives the work has one.
///
/// More threads than cores interrupt each other, and threads that each do little are woken all the time, on a virtual
/// machine often on a core that is busy while another one rests.
final class Workers: Sendable {
  /// Those of the program, for cores are shared by all of it: handed from room to room, each hand could make more of them.
  /// They rest when there is nothing to do, and end with it.
  static let shared = Workers(limit: max(1, Cores.count - 1))

  private let desk: WorkQueue

  /// As many threads at most; each begins when it is wanted.
  init(limit: Int) { desk = WorkQueue(limit: limit) }

  deinit { desk.close() }

  /// Has one piece of some work done soon; false where the system has no thread to give.
  func add(_ work: BackgroundWork) -> Bool { desk.add(work) }

  /// Work that waits for a thread, for one who has time for it.
  func next() -> BackgroundWork? { desk.takeDue() }

  /// Whether some work waits for a thread.
  var areWanted: Bool { desk.hasDue }
}

/// Where work lies until a thread takes it. Threads hold this, and not the workers, who end them when they are let go.
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
      if due.count >= resting, threads < limit, startThread() { threads += 1 }
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

  private func startThread() -> Bool {
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<WorkQueue>.fromOpaque(context).takeRetainedValue().serve() }
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    guard code == 0 else {
      Unmanaged.passUnretained(self).release()
      return false
    }
    pthread_detach(thread)
    return true
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
  /// How many are at work, at least 1.
  public static var count: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}

/// What threads share who work for each other: one of them at a time is in it, and can wait there for another.
///
/// Of pthread, as `Locked` is.
public final class ConditionMonitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  /// Nobody is in it.
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

  /// Is in it while the body runs.
  public func inside<T>(_ body: () throws -> T) rethrows -> T {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Leaves it for something long, and comes back to tell what came of it: once inside, the other is woken.
  public func outside<T>(_ body: () -> T) -> T {
    pthread_mutex_unlock(mutex)
    defer {
      pthread_mutex_lock(mutex)
      pthread_cond_signal(changed)
    }
    return body()
  }

  /// Wakes one that waits, who goes on once this one left.
  public func signal() { pthread_cond_signal(changed) }

  /// Wakes all that wait.
  public func broadcast() { pthread_cond_broadcast(changed) }

  /// Leaves it until another tells something, which may be nothing: asked again, inside.
  public func wait() { pthread_cond_wait(changed, mutex) }
}
