import CallModel
import CallStore
import Scoring
import SetupTime

/// Judges calls from what the store has of them, and writes the judgement back: windows, phases, findings, the call's row.
///
/// All of it can be dropped and made again at any time.
public struct Assessor {
  private let store: Store
  private let model: ScoreModel

  /// A judge over a store, by one model.
  public init(store: Store, model: ScoreModel = .standard) {
    self.store = store
    self.model = model
  }

  /// Judges every call that something came in for since it was judged last.
  ///
  /// - Parameter isInterrupted: asked before each call; what is left stays marked and is judged by the next import.
  public func assessStale(isInterrupted: () -> Bool = { false }) throws {
    for call in try store.staleCalls() {
      if isInterrupted() { return }
      try assess(call)
    }
  }

  /// Judges one call anew.
  ///
  /// Reading and writing are one transaction: what another import brings meanwhile makes the call stale again.
  public func assess(_ key: Int64) throws {
    try store.transaction {
      guard let call = try store.call(key) else { return }
      let events = try store.judgingEvents(ofCall: key)
      let scoring = EndpointScoring(store: store, model: model, references: References(json: call.references))
      let skews = endSkews(of: events)
      let ends = try store.endpoints(ofCall: key).map { endpoint in
        try EndpointAssessment(
          endpoint, events: events, skew: skews[endpoint.key], store: store, scoring: scoring)
      }
      let verdict = CallVerdict(call: call, ends: ends, events: events, model: model)
      for end in ends { try end.write(to: store, model: model) }
      try store.updateCall(key, verdict.summary)
    }
  }

  /// What a call would score by this assessor's model in windows cut in another way; nothing is stored.
  public func rescore(_ key: Int64, cut: WindowCut = .fromFirstMedia) throws -> [RescoredEnd] {
    guard let call = try store.call(key) else { return [] }
    let events = try store.judgingEvents(ofCall: key)
    let scoring = EndpointScoring(
      store: store, model: model, cut: cut, references: References(json: call.references))
    return try store.endpoints(ofCall: key).flatMap { endpoint in
      let end = try EndpointAssessment(endpoint, events: events, store: store, scoring: scoring)
      return end.windows.sorted { $0.key.rawValue < $1.key.rawValue }.map { source, windows in
        RescoredEnd(
          call: call.id, endpoint: endpoint.name, source: source, isJudging: source == end.choice.judging,
          windows: windows)
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
