import CallModel
import CallStore
import Scoring

/// What is concluded of a call, as far as it can be concluded again.
enum CallRule: String, CaseIterable {
  case scores = "scores follow from samples"
  case setups = "setups and their phases follow from events"
  case findings = "findings follow from samples and events"
  case spans = "spans follow from samples and events"
  case verdicts = "the row of a call follows from its ends"
}

/// Judges calls again from what they rest on and holds the result against what is stored.
public struct Recheck {
  private let store: Store
  private let model: ScoreModel

  /// A check of what a model said.
  public init(store: Store, model: ScoreModel = .standard) {
    self.store = store
    self.model = model
  }

  /// What is stored and does not follow. Calls that were pruned, are not judged, or were judged by another model are left out.
  public func problems(isInterrupted: () -> Bool = { false }) throws -> [Problem] {
    let calls = try store.query(
      "SELECT call_key, call_id FROM calls WHERE NOT stale AND pruned_ms IS NULL AND model = :model",
      ["model": .text(model.name)])
    let readers = Readers(of: store, most: 1)
    var found: [CallRule: (count: Int, example: String)] = [:]
    for row in calls.rows {
      guard !isInterrupted(), let key = row[0].integer else { break }
      guard let call = try store.call(key) else { continue }
      let again = try CallJudgement(call, from: store, model: model, readers: readers, passed: nil)
      for (rule, what) in try again.departures(in: store) {
        found[rule, default: (0, "\(row[1].string ?? ""), \(what)")].count += 1
      }
    }
    return CallRule.allCases.compactMap { rule in
      found[rule].map { Problem(rule: rule.rawValue, count: $0.count, example: $0.example) }
    }
  }
}
