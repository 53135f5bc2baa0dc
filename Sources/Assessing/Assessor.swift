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
  public func assess(_ key: Int64) throws {
    guard let call = try store.call(key) else { return }
    let events = try store.events(ofCall: key)
    let ends = try store.endpoints(ofCall: key).map { endpoint in
      try EndpointAssessment(endpoint, events: events, store: store, model: model)
    }
    let verdict = CallVerdict(call: call, ends: ends, events: events, model: model)
    try store.transaction {
      for end in ends { try end.write(to: store, model: model) }
      try store.updateCall(key, verdict.summary)
    }
  }
}
