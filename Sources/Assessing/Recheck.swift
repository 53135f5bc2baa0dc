import CallModel
import CallStore
import Scoring

/// Scores calls again from their samples and holds the result against what is stored.
public struct Recheck {
  private let store: Store
  private let model: ScoreModel

  /// A check of what a model said.
  public init(store: Store, model: ScoreModel = .standard) {
    self.store = store
    self.model = model
  }

  /// The words of the rule it looks at.
  public static let rule = "scores follow from samples"

  /// Ends whose stored windows do not follow from their samples. Calls that were pruned, are not judged, or were judged by
  /// another model are left out.
  public func problems(isInterrupted: () -> Bool = { false }) throws -> [Problem] {
    let calls = try store.query(
      "SELECT call_key, call_id FROM calls WHERE NOT stale AND pruned_ms IS NULL AND model = :model",
      ["model": .text(model.name)])
    let readers = Readers(of: store, most: 1)
    var count = 0
    var example = ""
    for row in calls.rows {
      guard !isInterrupted(), let key = row[0].integer else { break }
      guard let call = try store.call(key) else { continue }
      for end in try CallAssessment(call, from: store, model: model, readers: readers).ends {
        let again = end.windows.filter { !$0.value.isEmpty }.mapValues { Array($0) }
        let stored = try store.windows(ofEndpoint: end.endpoint.key, model: model.name)
        guard again != stored else { continue }
        count += 1
        if example.isEmpty { example = "\(row[1].string ?? ""), \(end.endpoint.name)" }
      }
    }
    return count == 0 ? [] : [Problem(rule: Self.rule, count: count, example: example)]
  }
}
