import CallModel
import CallStore
import Scoring

/// Judges calls from what the store has of them, and writes the judgement back: windows, phases, findings, the call's row.
///
/// All of it can be dropped and made again at any time.
public struct Assessor {
  /// Calls that a core may have judged before those in front of them are written.
  private static let callsAhead = 16
  /// Calls that are written in one transaction.
  private static let callsCommitted = 128

  private let store: Store
  private let model: ScoreModel
  private let readers: Readers
  private let passed: StreamedScores?

  /// A judge over a store, by one model, on as many cores as `jobs`; `passed` has what was seen while it was imported.
  public init(store: Store, model: ScoreModel = .standard, jobs: Int = 1, passed: StreamedScores? = nil) {
    self.store = store
    self.model = model
    self.passed = passed?.model.name == model.name ? passed : nil
    readers = Readers(of: store, most: jobs)
  }

  /// Judges every call that something came in for since it was judged last.
  ///
  /// - Parameter isInterrupted: asked before each call; what is left stays marked and is judged by the next
  ///   import.
  public func assessStale(isInterrupted: () -> Bool = { false }) throws {
    var stale = try store.staleCalls()[...]
    let runs = try store.staleRuns()
    try store.keepFewPages()
    try store.applyAttributes(toCalls: stale)
    while !stale.isEmpty, !isInterrupted() {
      try assess(stale.prefix(Self.callsCommitted), isInterrupted: isInterrupted)
      stale = stale.dropFirst(Self.callsCommitted)
    }
    try store.dateRuns(runs)
  }

  /// Judges calls anew.
  ///
  /// The write lock is taken before the first look and kept until all is written: what another import brings meanwhile
  /// makes the call stale again. Other connections read beside it what was committed, which nothing changes meanwhile.
  private func assess(_ keys: ArraySlice<Int64>, isInterrupted: () -> Bool) throws {
    try store.transaction {
      try readers.inOrder(
        keys, ahead: Self.callsAhead, until: isInterrupted,
        { [model, readers, passed] key, store in
          try store.call(key).map {
            try CallJudgement($0, from: store, model: model, readers: readers, passed: passed)
          }
        },
        take: { try $0?.write(to: store) })
    }
  }

  /// What a call would score by this assessor's model in windows cut in another way; nothing is stored.
  public func rescore(_ key: Int64, cut: WindowCut = .fromFirstMedia) throws -> [RescoredEnd] {
    guard let call = try store.call(key) else { return [] }
    return try CallAssessment(call, from: store, model: model, cut: cut, readers: readers).ends.flatMap {
      end in
      end.windows.sorted { $0.key.rawValue < $1.key.rawValue }.map { source, windows in
        RescoredEnd(
          call: call.id, endpoint: end.endpoint.name, source: source,
          isJudging: source == end.choice.judging,
          windows: Array(windows))
      }
    }
  }
}

/// The windows of one end as one kind of source saw it, not stored.
public struct RescoredEnd: Sendable {
  public var call: String
  public var endpoint: String
  public var source: StreamSource
  /// Whether this kind of source is the one that judges the end.
  public var isJudging: Bool
  public var windows: [Window]
}
