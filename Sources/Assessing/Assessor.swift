import CallModel
import CallStore
import Scoring
import SetupTime

/// Judges calls from what the store has of them, and writes the judgement back: windows, phases, findings, the call's row.
///
/// All of it can be dropped and made again at any time.
public struct Assessor {
  /// Calls that are judged side by side and written together.
  private static let callsTogether = 16

  private let store: Store
  private let model: ScoreModel
  private let readers: Readers

  /// A judge over a store, by one model, on as many cores as `jobs`.
  public init(store: Store, model: ScoreModel = .standard, jobs: Int = 1) {
    self.store = store
    self.model = model
    readers = Readers(of: store, most: jobs)
  }

  /// Judges every call that something came in for since it was judged last.
  ///
  /// - Parameter isInterrupted: asked before each handful of calls; what is left stays marked and is judged by the next
  ///   import.
  public func assessStale(isInterrupted: () -> Bool = { false }) throws {
    var stale = try store.staleCalls()[...]
    store.forgetPages()
    while !stale.isEmpty, !isInterrupted() {
      try assess(Array(stale.prefix(Self.callsTogether)))
      stale = stale.dropFirst(Self.callsTogether)
    }
  }

  /// Judges calls anew.
  ///
  /// The write lock is taken before the first look and kept until all is written: what another import brings meanwhile
  /// makes the call stale again. Other connections read beside it what was committed, which nothing changes meanwhile.
  private func assess(_ keys: [Int64]) throws {
    try store.transaction {
      let judged = try readers.map(keys) { [model, readers] key, store in
        try store.call(key).map { try CallJudgement($0, from: store, model: model, readers: readers) }
      }
      for call in judged { try call?.write(to: store) }
    }
  }

  /// What a call would score by this assessor's model in windows cut in another way; nothing is stored.
  public func rescore(_ key: Int64, cut: WindowCut = .fromFirstMedia) throws -> [RescoredEnd] {
    guard let call = try store.call(key) else { return [] }
    let events = try store.judgingEvents(ofCall: key)
    let scoring = EndpointScoring(
      model: model, cut: cut, references: References(json: call.references))
    return try store.endpoints(ofCall: key).flatMap { endpoint in
      let end = try EndpointAssessment(endpoint, events: events, store: store, scoring: scoring)
      return end.windows.sorted { $0.key.rawValue < $1.key.rawValue }.map { source, windows in
        RescoredEnd(
          call: call.id, endpoint: endpoint.name, source: source, isJudging: source == end.choice.judging,
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
