import Glibc

/// A thread that does one piece of work at a time, so that a reader goes on while rows are stored.
///
/// Used by one thread only, which must not touch what a piece of work uses until `wait` returned.
final class BackgroundWork: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var work: (() throws -> Void)?
  private var failure: (any Error)?
  private var isClosing = false
  private var thread: pthread_t?

  init() {
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
  func begin(_ work: @escaping () throws -> Void) throws {
    try wait()
    guard start() else { return try work() }
    locked { self.work = work }
  }

  /// Waits until nothing is being done; throws what the work threw.
  func wait() throws {
    let failure = locked { () -> (any Error)? in
      while work != nil { pthread_cond_wait(changed, mutex) }
      defer { self.failure = nil }
      return self.failure
    }
    if let failure { throw failure }
  }

  /// Ends the thread, when what it does is done. Whatever that throws is lost.
  func close() {
    guard let thread else { return }
    locked { isClosing = true }
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
    while let work = next() {
      var thrown: (any Error)?
      do { try work() } catch { thrown = error }
      locked {
        failure = thrown
        self.work = nil
      }
    }
  }

  private func next() -> (() throws -> Void)? {
    locked {
      while work == nil, !isClosing { pthread_cond_wait(changed, mutex) }
      return work
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return body()
  }
}
