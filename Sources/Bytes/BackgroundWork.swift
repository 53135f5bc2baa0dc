import Glibc

/// A thread that does one piece of work at a time beside the one that gives it: reads ahead, stores what was read,
/// judges what comes next.
///
/// Used by one thread only, which must not touch what a piece of work uses until `wait` returned, and must `close` it.
public final class BackgroundWork: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var work: (() throws -> Void)?
  /// Whether the thread has begun what it was given.
  private var isBegun = false
  private var failure: (any Error)?
  private var isClosing = false
  private var thread: pthread_t?
  /// `SCHED_BATCH` of sched(7), which Glibc does not show to Swift.
  private static let batch: Int32 = 3

  /// Begins no thread yet: that comes with the first work.
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

  /// Begins a piece of work, once the one before is done; throws what that one threw.
  public func begin(_ work: @escaping () throws -> Void) throws {
    try wait()
    guard start() else {
      // Done here, and told by the next `wait` as if it had been done there.
      do { try work() } catch { failure = error }
      return
    }
    change { self.work = work }
  }

  /// Waits until nothing is being done; throws what the work threw. What the thread has not even begun, for want of a
  /// free core, is done here and now.
  public func wait() throws {
    pthread_mutex_lock(mutex)
    if !isBegun, let mine = work {
      work = nil
      pthread_mutex_unlock(mutex)
      return try mine()
    }
    while work != nil { pthread_cond_wait(changed, mutex) }
    let failure = failure
    self.failure = nil
    pthread_mutex_unlock(mutex)
    if let failure { throw failure }
  }

  /// Ends the thread, when what it does is done. Whatever that throws is lost.
  public func close() {
    guard let thread else { return }
    change { isClosing = true }
    pthread_join(thread, nil)
    self.thread = nil
    isClosing = false
    failure = nil
  }

  /// Whether there is a thread; where the system has none to give, the work is done by the caller.
  private func start() -> Bool {
    guard thread == nil else { return true }
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<BackgroundWork>.fromOpaque(context).takeRetainedValue().serve() }
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    if code != 0 {
      Unmanaged.passUnretained(self).release()
      return false
    }
    self.thread = thread
    return true
  }

  private func serve() {
    // On a full machine it must not push aside the thread that it works for; where that may not be said, it may.
    var priority = sched_param()
    _ = sched_setscheduler(0, Self.batch, &priority)
    while let work = next() {
      var thrown: (any Error)?
      do { try work() } catch { thrown = error }
      change {
        failure = thrown
        self.work = nil
        isBegun = false
      }
    }
  }

  private func next() -> (() throws -> Void)? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while work == nil, !isClosing { pthread_cond_wait(changed, mutex) }
    isBegun = work != nil
    return work
  }

  /// Changes what the other thread waits for, and wakes it once it can go on.
  private func change(_ body: () -> Void) {
    pthread_mutex_lock(mutex)
    body()
    pthread_mutex_unlock(mutex)
    pthread_cond_signal(changed)
  }
}
