import Glibc

/// Runs the body on this thread and on up to `threads` − 1 others, and returns when all have returned.
///
/// The body takes its work from a shared queue, so fewer threads can do it as well: if the system has no more threads
/// (a limit on processes, no memory for a stack), this thread does the rest. In that case libdispatch would wait
/// forever, and it traps if it gets no descriptor.
public func concurrently(_ threads: Int, _ body: @Sendable () -> Void) {
  withoutActuallyEscaping(body) { body in
    var started: [pthread_t] = []
    for _ in 1..<max(1, threads) {
      guard let thread = startThread(body) else { break }
      started.append(thread)
    }
    body()
    for thread in started { pthread_join(thread, nil) }
  }
}

/// Runs two closures at the same time if a thread is available, and returns both results; if both fail, throws the
/// first error.
public func together<First: Sendable, Second: Sendable>(
  _ first: @Sendable () throws -> First, _ second: @Sendable () throws -> Second
) throws -> (First, Second) {
  let next = Locked(0)
  let results = Locked<(Result<First, any Error>?, Result<Second, any Error>?)>((nil, nil))
  concurrently(2) {
    while true {
      switch next.withLock({ place in
        defer { place += 1 }
        return place
      }) {
      case 0:
        let result = Result { try first() }
        results.withLock { $0.0 = result }
      case 1:
        let result = Result { try second() }
        results.withLock { $0.1 = result }
      default: return
      }
    }
  }
  let (one, other) = results.withLock { $0 }
  return (try one?.get() ?? first(), try other?.get() ?? second())
}

/// Starts a thread, to be joined or detached; nil, with `errno`, if the system has none to spare.
public func startThread(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
  final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let work = Unmanaged.passRetained(Work(body))
  let code = pthread_create(
    &thread, nil,
    { context in
      if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
      return nil
    }, work.toOpaque())
  guard code == 0 else {
    work.release()
    errno = code
    return nil
  }
  return thread
}
