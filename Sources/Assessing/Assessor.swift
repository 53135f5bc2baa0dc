import CallModel
import CallStore
import Scoring
import SQLite

/// Judges calls from the contents of the store and writes the result back: windows, phases, findings, the call's row.
///
/// All of this can be deleted and recomputed at any time.
public struct Assessor {
  /// Maximum number of calls judged ahead of those not yet written, per core.
  private static let callsAhead = 16
  /// Number of calls written per transaction.
  private static let callsCommitted = 128

  private let store: Store
  private let model: ScoreModel
  private let readers: Readers
  private let passed: StreamedScores?

  /// Creates an assessor for one model that uses up to `jobs` cores; `passed` has the scores computed during the
  /// import.
  public init(store: Store, model: ScoreModel = .standard, jobs: Int = 1, passed: StreamedScores? = nil) {
    self.store = store
    self.model = model
    self.passed = passed?.model.name == model.name ? passed : nil
    readers = Readers(of: store, most: jobs)
  }

  /// Judges every call that received new data since it was last judged.
  ///
  /// - Parameter isInterrupted: asked before each call; the remaining calls stay marked and are judged by the next
  ///   import.
  /// - Returns: the calls that cannot be judged, with the reason. They are marked, and the next import tries again.
  @discardableResult
  public func assessStale(isInterrupted: () -> Bool = { false }) throws -> [UnjudgeableCall] {
    var unjudgeable: [UnjudgeableCall] = []
    var stale = try store.staleCalls()[...]
    let runs = try store.staleRuns()
    try store.keepFewPages()
    try store.applyAttributes(toCalls: stale)
    while !stale.isEmpty, !isInterrupted() {
      unjudgeable += try assess(stale.prefix(Self.callsCommitted), isInterrupted: isInterrupted)
      stale = stale.dropFirst(Self.callsCommitted)
    }
    try store.dateRuns(runs)
    return unjudgeable
  }

  /// Judges calls together or, if one of them cannot be judged, one by one.
  private func assess(_ keys: ArraySlice<Int64>, isInterrupted: () -> Bool) throws -> [UnjudgeableCall] {
    do {
      try assessTogether(keys, isInterrupted: isInterrupted)
      return []
    } catch let error as StoreError where error.isOfRows {
      guard let key = keys.first, keys.count == 1 else {
        return try keys.flatMap { isInterrupted() ? [] : try assess([$0], isInterrupted: isInterrupted) }
      }
      return try store.markUnjudgeable(key, reason: error.what).map { [$0] } ?? []
    }
  }

  /// Judges calls again.
  ///
  /// The write lock is taken before the first read and held until everything is written, so data from another import
  /// makes the call stale again. Other connections read the committed state, which does not change meanwhile.
  private func assessTogether(_ keys: ArraySlice<Int64>, isInterrupted: () -> Bool) throws {
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

  /// The scores of a call by this assessor's model for windows cut differently; nothing is stored.
  public func rescore(_ key: Int64, cut: WindowCut = .fromFirstMedia) throws -> [RescoredEnd] {
    guard let call = try store.call(key) else { return [] }
    let ends =
      model.followsFates
      ? try ComparedEnds(call, from: store, model: model, cut: cut, readers: readers).ends
      : try CallAssessment(call, from: store, model: model, cut: cut, readers: readers).ends
    return ends.flatMap { end in
      end.windows.sorted { $0.key.rawValue < $1.key.rawValue }.map { source, windows in
        RescoredEnd(
          call: call.id, endpoint: end.endpoint.name, source: source,
          isJudging: source == end.judging,
          windows: Array(windows.unpacked))
      }
    }
  }
}

/// The windows of one end as seen by one kind of source; not stored.
public struct RescoredEnd: Sendable {
  public var call: String
  public var endpoint: String
  public var source: StreamSource
  /// Whether this is the kind of source that judges the end.
  public var isJudging: Bool
  public var windows: [Window]
}
