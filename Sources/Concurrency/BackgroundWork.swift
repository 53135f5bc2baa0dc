/// Pieces of work that are done one after the other beside the one that gives them: reading ahead, storing what was read,
/// judging what comes next.
///
/// Used by one thread only, which must not touch what a piece of work uses until `wait` returned, and must `close` it.
public final class BackgroundWork: @unchecked Sendable {
  private let monitor = ConditionMonitor()
  /// What was given and not begun.
  private var waiting: [() throws -> Void] = []
  /// Whether a piece is being done, by whomever.
  private var isBusy = false
  /// Whether a worker was told that something waits, and has not looked yet.
  private var isDue = false
  private let depth: Int
  private let workers: Workers
  private var failure: (any Error)?

  /// Up to `depth` pieces may be given before the first is done: where the work of either side comes in fits and starts, more of
  /// them keep both busy. Work that waits for something else than a core has a thread `ofItsOwn`.
  public convenience init(depth: Int = 1, ofItsOwn: Bool = false) {
    self.init(depth: depth, by: ofItsOwn ? Workers(limit: 1) : .shared)
  }

  init(depth: Int, by workers: Workers) {
    self.depth = depth
    self.workers = workers
  }

  /// Gives a piece of work, once there is room for it; throws what an earlier one threw. What was given after that one is not
  /// done, nor is this.
  public func begin(_ work: @escaping () throws -> Void) throws {
    try monitor.inside {
      finish(leaving: depth - 1)
      // In the same turn: what fails between a look and the giving would not keep this from being done.
      if let failure {
        self.failure = nil
        throw failure
      }
      waiting.append(work)
      callWorker()
    }
  }

  /// Whether somebody else does what was given, or will: false where the system had no thread to give, and only a wait does it.
  public var hasWorker: Bool { monitor.inside { isDue || isBusy || waiting.isEmpty } }

  /// Waits until all is done; throws what a piece threw.
  public func wait() throws { try wait(leaving: 0) }

  /// Waits until no more than so many pieces are still to be done; throws what one threw. What no worker has even begun, for
  /// want of a free core, is done here and now; while one is at it, so is other work that waits for a worker.
  public func wait(leaving count: Int) throws {
    try monitor.inside {
      finish(leaving: count)
      if let failure {
        self.failure = nil
        throw failure
      }
      callWorker()
    }
  }

  /// Waits until what was given is done. Whatever that throws is lost.
  public func close() {
    monitor.inside {
      finish(leaving: 0)
      failure = nil
    }
  }

  /// Whether other work waits for a worker: what goes on and on may stop, and be given again.
  public var isOtherWaiting: Bool { workers.areWanted }

  private func finish(leaving count: Int) {
    while failure == nil, waiting.count + (isBusy ? 1 : 0) > count {
      if !isBusy {
        doNext()
      } else if let other = workers.next() {
        monitor.outside { other.turn() }
      } else {
        monitor.wait()
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

  /// One piece, by a worker; for the next one it is called again, after other work that waits.
  func turn() {
    monitor.inside {
      isDue = false
      guard !isBusy, !waiting.isEmpty else { return }
      doNext()
      callWorker()
    }
  }

  private func callWorker() {
    guard !isDue, !isBusy, !waiting.isEmpty else { return }
    // Where there is none, it is done by the one who waits for it.
    isDue = workers.add(self)
  }
}
