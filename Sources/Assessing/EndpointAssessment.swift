import CallModel
import CallStore
import Scoring
import SetupTime

/// What is concluded of one end of a call.
struct EndpointAssessment {
  let endpoint: StoredEndpoint
  /// The chosen streams by kind of source, and the kind that judges.
  let choice: StreamChoice
  /// Windows by kind of source.
  let windows: [StreamSource: [Window]]
  let attempts: [SetupAttempt]
  /// What happened here, told once.
  let account: [EventRecord]
  let statistics: ScoreStatistics
  /// First and last instant of media.
  let media: ClosedRange<Double>?

  init(_ endpoint: StoredEndpoint, events: [StoredEvent], store: Store, scoring: EndpointScoring) throws {
    self.endpoint = endpoint
    choice = StreamChoice(try store.streams(ofEndpoint: endpoint.key))
    account = oneAccount(of: events.filter { $0.endpoint == endpoint.key || $0.endpoint == nil })
    let paths = try store.transports(ofEndpoint: endpoint.key)
    attempts = setupAttempts(of: account, paths: paths)
    var windows: [StreamSource: [Window]] = [:]
    for (source, streams) in choice.chosen {
      windows[source] = try scoring.windows(streams, paths: paths, account: account)
    }
    self.windows = windows
    let judging = choice.judging.flatMap { windows[$0] } ?? []
    statistics = ScoreStatistics(of: judging)
    let streams = choice.chosen.values.flatMap { $0 }
    let first = streams.compactMap(\.totals.firstMs).min()
    let last = streams.compactMap(\.totals.lastMs).max()
    media = first.flatMap { first in last.map { first...max(first, $0) } }
  }

  /// Writes everything concluded of this end.
  func write(to store: Store, model: ScoreModel) throws {
    try store.removeWindows(ofEndpoint: endpoint.key)
    for (source, windows) in windows {
      try store.replaceWindows(
        windows, ofEndpoint: endpoint.key, source: source, model: model.name, chosen: source == choice.judging
      )
    }
    try store.replaceSetupAttempts(attempts, ofEndpoint: endpoint.key)
    let chosen = choice.chosen.values.flatMap { $0.map(\.key) }
    try store.setChosen(Set(chosen), ofEndpoint: endpoint.key)
  }
}
