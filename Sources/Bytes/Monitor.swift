import Glibc

/// What threads share who work for each other: one of them at a time is in it, and can wait there for another.
///
/// Of pthread, as `Locked` is.
public final class Monitor: @unchecked Sendable {
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
  func outside<T>(_ body: () -> T) -> T {
    pthread_mutex_unlock(mutex)
    defer {
      pthread_mutex_lock(mutex)
      pthread_cond_signal(changed)
    }
    return body()
  }

  /// Wakes one that waits, who goes on once this one left.
  public func tell() { pthread_cond_signal(changed) }

  /// Wakes all that wait.
  public func tellAll() { pthread_cond_broadcast(changed) }

  /// Leaves it until another tells something, which may be nothing: asked again, inside.
  public func wait() { pthread_cond_wait(changed, mutex) }
}
