import CallModel
import CallStore

/// The other end of a call of two, as seen from one of them.
struct OtherEnd {
  /// What it tells, on its own clock.
  let account: [EventRecord]
  /// What has to be added to its times to read them on this end's clock, ms; nil where the clocks contradict each other.
  let behindMs: Double?

  init?(of endpoint: Int64, events: [StoredEvent]) {
    let ends = Set(events.compactMap(\.endpoint))
    guard ends.count == 2, ends.contains(endpoint), let other = ends.first(where: { $0 != endpoint }) else {
      return nil
    }
    account = events.filter { $0.endpoint == other }.map(\.record)
    let clocks = endClocks(of: events)
    let isSure = clocks[other]?.apartMs == nil && clocks[endpoint]?.apartMs == nil
    behindMs =
      isSure ? (clocks[other]?.skew?.offsetMs ?? 0) - (clocks[endpoint]?.skew?.offsetMs ?? 0) : nil
  }
}

/// When the far end had the answers of this end, by its own log, on this end's clock; nil where nobody can tell.
func answersHeard(from endpoint: Int64, events: [StoredEvent]) -> [Double]? {
  guard let other = OtherEnd(of: endpoint, events: events), let behindMs = other.behindMs else { return nil }
  let heard = other.account.filter { $0.event == "sdp.answer-received" }.compactMap(\.timeMs)
  return heard.isEmpty ? nil : heard.map { $0 + behindMs }
}
