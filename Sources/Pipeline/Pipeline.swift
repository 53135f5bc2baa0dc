import Assessing
import CallStore
import Concurrency
import Importing

/// From files to judged calls: finds, recognises, reads, stores and judges, for `import`, `show` and `extract` alike.
public struct Pipeline: Sendable {
  public var request: ImportRequest
  /// Threads that judge.
  public var jobs = Cores.count
  /// Asked between files and between calls: what is done is kept, the rest is left.
  public var isInterrupted: @Sendable () -> Bool = { false }
  /// Called with the number of files that are done, and of those that were found so far.
  public var progress: @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }

  /// A pipeline for a request, which nobody interrupts.
  public init(_ request: ImportRequest) { self.request = request }

  /// Reads into a store, and judges the calls that changed.
  /// - Parameters:
  ///   - first: the file that was opened already, where there is one.
  ///   - prepare: what is done with the calls once all are stored, before they are judged.
  /// - Throws: `DatabaseError` where nothing can be stored, and what `prepare` throws. What is wrong with a file is in the outcome.
  @discardableResult
  public func run(
    into store: Store, first: FirstFile? = nil, prepare: (ImportOutcome) throws -> Void = { _ in }
  ) throws -> ImportOutcome {
    let scores = StreamedScores()
    let outcome = try Importer(
      store: store, request: request, first: first, isInterrupted: isInterrupted, watch: scores.watch,
      tell: progress
    ).run()
    try prepare(outcome)
    try Assessor(store: store, jobs: jobs, passed: scores).assessStale(isInterrupted: isInterrupted)
    return outcome
  }
}
