import Assessing
import CallStore
import Concurrency
import Importing

/// Turns files into judged calls: finds, recognises, reads, stores and judges. Used by `import`, `show` and `extract`.
public struct Pipeline: Sendable {
  public var request: ImportRequest
  /// Number of threads used for judging.
  public var jobs = Cores.count
  /// Polled between files and between calls. When it returns true, finished work is kept and the rest is skipped.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// Called with the number of files finished, and of files found so far.
  public var progress: @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }

  /// A pipeline that is not interrupted.
  public init(_ request: ImportRequest) { self.request = request }

  /// Imports into a store, and judges the calls that changed.
  /// - Parameters:
  ///   - first: a file that is already open, if any.
  ///   - prepare: called when all calls are stored, before they are judged.
  /// - Throws: `DatabaseError` if the store cannot be written, and what `prepare` throws. Errors in a file are in the
  ///   outcome instead.
  @discardableResult
  public func run(
    into store: Store, first: FirstFile? = nil, prepare: (ImportOutcome) throws -> Void = { _ in }
  ) throws -> ImportOutcome {
    let scores = StreamedScores()
    var outcome = try Importer(
      store: store, request: request, first: first, isInterrupted: isInterrupted, watch: scores.watch,
      progress: progress
    ).run()
    try prepare(outcome)
    outcome.unjudgeable = try Assessor(store: store, jobs: jobs, passed: scores).assessStale(
      isInterrupted: isInterrupted)
    return outcome
  }
}
