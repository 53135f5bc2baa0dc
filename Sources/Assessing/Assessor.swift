import Bytes
import CallModel
import CallStore
import Scoring
import SetupTime

/// Judges calls from what the store has of them, and writes the judgement back: windows, phases, findings, the call's row.
///
/// All of it can be dropped and made again at any time.
public struct Assessor {
  /// Calls that are judged side by side, while those before them are written.
  private static let callsTogether = 16
  /// Calls that are written in one transaction.
  private static let callsCommitted = 128

  private let store: Store
  private let model: ScoreModel
  private let readers: Readers
  private let passed: PassedScans?

  /// A judge over a store, by one model, on as many cores as `jobs`; `passed` has what was seen while it was imported.
  public init(store: Store, model: ScoreModel = .standard, jobs: Int = 1, passed: PassedScans? = nil) {
    self.store = store
    self.model = model
    self.passed = passed?.model.name == model.name ? passed : nil
    readers = Readers(of: store, most: jobs)
  }

  /// Judges every call that something came in for since it was judged last.
  ///
  /// - Parameter isInterrupted: asked before each handful of calls; what is left stays marked and is judged by the next
  ///   import.
  public func assessStale(isInterrupted: () -> Bool = { false }) throws {
    var stale = try store.staleCalls()[...]
    let runs = try store.staleRuns()
    try store.keepFewPages()
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
      let ahead = BackgroundWork()
      defer { ahead.close() }
      var judged: [CallJudgement?] = []
      for handful in handfuls(of: keys) where !isInterrupted() {
        let next = Judged()
        let judge = { [judge] in next.calls = try judge(handful) }
        if readers.areBeside, !judged.isEmpty { try ahead.begin(judge) } else { try judge() }
        for call in judged { try call?.write(to: store) }
        try ahead.wait()
        judged = next.calls
      }
      for call in judged { try call?.write(to: store) }
    }
  }

  /// Handed from the thread that judges to the one that writes.
  private final class Judged {
    var calls: [CallJudgement?] = []
  }

  /// The calls in parts of about the same size; one alone would be judged by the connection that writes.
  private func handfuls(of keys: ArraySlice<Int64>) -> [[Int64]] {
    let count = max(1, keys.count / Self.callsTogether)
    return (0..<count).map { part in
      let first = keys.startIndex + part * keys.count / count
      let end = keys.startIndex + (part + 1) * keys.count / count
      return Array(keys[first..<end])
    }
  }

  private func judge(_ keys: [Int64]) throws -> [CallJudgement?] {
    try readers.map(keys) { [model, readers, passed] key, store in
      try store.call(key).map {
        try CallJudgement($0, from: store, model: model, readers: readers, passed: passed)
      }
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
