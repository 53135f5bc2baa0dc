/// Runs pieces of work in order, in the background of the thread that submits them: reading ahead, storing records,
/// judging the next call.
///
/// For one thread only, which must not touch what a piece of work uses until `wait` returns, and must call `close`.
public final class BackgroundWork: @unchecked Sendable {
  private let monitor = ConditionMonitor()
  /// Submitted, not yet started.
  private var waiting: [() throws -> Void] = []
  /// Whether a piece is running, on any thread.
  private var isBusy = false
  /// Whether a worker was notified and has not started yet.
  private var isDue = false
  private let depth: Int
  private let workers: Workers
  private var failure: (any Error)?

  /// Up to `depth` pieces can be queued; a deeper queue keeps both threads busy if their work comes in bursts. With
  /// `ofItsOwn` it has its own thread, for work that waits for something other than a core.
  public convenience init(depth: Int = 1, ofItsOwn: Bool = false) {
    self.init(depth: depth, by: ofItsOwn ? Workers(limit: 1) : .shared)
  }

  init(depth: Int, by workers: Workers) {
    self.depth = depth
    self.workers = workers
  }

  /// Submits a piece of work, waiting for room in the queue; throws the error of an earlier piece. Pieces queued behind
  /// a failed one, and this one, are not run.
  public func begin(_ work: @escaping () throws -> Void) throws {
    try monitor.inside {
      finish(leaving: depth - 1)
      // Under one lock: otherwise a failure between the check and the submission would not stop this piece.
      if let failure {
        self.failure = nil
        throw failure
      }
      waiting.append(work)
      callWorker()
    }
  }

  /// Whether a worker runs the submitted work or will; false if the system had no thread to spare, so that only `wait`
  /// runs it.
  public var hasWorker: Bool { monitor.inside { isDue || isBusy || waiting.isEmpty } }

  /// Waits until all pieces are done; throws the error of a piece.
  public func wait() throws { try wait(leaving: 0) }

  /// Waits until at most this many pieces are left; throws the error of a piece. Pieces that no worker has started, as
  /// no core was free, run on this thread. While a worker is busy with one, this thread runs other queued work.
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

  /// Waits until all submitted work is done. Its errors are discarded.
  public func close() {
    monitor.inside {
      finish(leaving: 0)
      failure = nil
    }
  }

  /// Whether other work waits for a worker: a long-running piece may then stop and be submitted again.
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

  /// Runs the oldest piece, outside the monitor; no other piece may be running.
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

  /// Runs one piece on a worker. It queues again behind other waiting work for the next one.
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
    // Without a worker, the waiting thread does it.
    isDue = workers.add(self)
  }
}
