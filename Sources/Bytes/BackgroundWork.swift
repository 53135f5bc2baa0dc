import Glibc

/// A thread that does pieces of work, one after the other, beside the one that gives them: reads ahead, stores what was
/// read, judges what comes next.
///
/// Used by one thread only, which must not touch what a piece of work uses until `wait` returned, and must `close` it.
public final class BackgroundWork: @unchecked Sendable {
  private let monitor = Monitor()
  /// What was given and not begun.
  private var waiting: [() throws -> Void] = []
  /// Whether a piece is being done, by whomever.
  private var isBusy = false
  private let depth: Int
  private var failure: (any Error)?
  private var isClosing = false
  private var thread: pthread_t?

  /// Begins no thread yet: that comes with the first work. Up to `depth` pieces may be given before the first is done: where the
  /// work of either side comes in fits and starts, more of them keep both busy.
  public init(depth: Int = 1) { self.depth = depth }

  /// Gives a piece of work, once there is room for it; throws what an earlier one threw. What was given after that one is not
  /// done, nor is this.
  public func begin(_ work: @escaping () throws -> Void) throws {
    try wait(leaving: depth - 1)
    guard start() else {
      // Done here, and told by the next `wait` as if it had been done there.
      do { try work() } catch { failure = error }
      return
    }
    change { waiting.append(work) }
  }

  /// Waits until all is done; throws what a piece threw.
  public func wait() throws { try wait(leaving: 0) }

  /// Waits until no more than so many pieces are still to be done; throws what one threw. What the thread has not even begun,
  /// for want of a free core, is done here and now.
  public func wait(leaving most: Int) throws {
    try monitor.inside {
      while failure == nil, waiting.count + (isBusy ? 1 : 0) > most {
        if isBusy { monitor.wait() } else { doNext() }
      }
      if let failure {
        self.failure = nil
        throw failure
      }
    }
  }

  /// Does what was given first, for a while outside of the monitor; nobody else may be doing anything.
  private func doNext() {
    let work = waiting.removeFirst()
    isBusy = true
    let done = monitor.outside { Result { try work() } }
    isBusy = false
    if case .failure(let error) = done {
      failure = error
      waiting.removeAll()
    }
  }

  /// Whether there is a thread already, so that work given to it costs none.
  public var isStarted: Bool { thread != nil }

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
    monitor.inside {
      while true {
        if !isBusy, !waiting.isEmpty {
          doNext()
        } else if isClosing, waiting.isEmpty {
          return
        } else {
          monitor.wait()
        }
      }
    }
  }

  /// Changes what the other thread waits for, and wakes it once it can go on.
  private func change(_ body: () -> Void) {
    monitor.inside(body)
    monitor.tell()
  }
}
