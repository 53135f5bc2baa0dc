import CallModel

/// Connections that replaced each other within one call of an end, according to their source.
///
/// They are one end of one call, as failed connections are recreated; unless related views show two calls: a log in
/// which the end hung up and called again.
func joinReplaced(
  _ views: [ConnectionView], _ corrections: Corrections, calls: inout DisjointSets, ends: inout DisjointSets
) {
  var places: [ReplaceableEnd: [(connection: Int, place: Int)]] = [:]
  for (place, view) in views.enumerated() {
    guard !view.isWhole else { continue }
    places[view.replaceable, default: []].append((view.logged.connection, place))
  }
  places = places.filter { _, members in members.contains { $0.connection > 1 } }
  guard !places.isEmpty else { return }
  var loggedCalls: [Int: [LoggedEndOfSource: Set<Int>]] = [:]
  for (place, view) in views.enumerated() {
    guard let end = LoggedEndOfSource(view) else { continue }
    loggedCalls[calls.root(place), default: [:]][end, default: []].insert(view.logged.number)
  }
  for members in places.values.map({ $0.sorted { $0 < $1 } }).sorted(by: { $0[0].place < $1[0].place }) {
    for ((_, before), (_, after)) in zip(members, members.dropFirst()) {
      guard !corrections.haveSplit(views[before].part, views[after].part) else { continue }
      let (one, other) = (calls.root(before), calls.root(after))
      if one != other {
        guard !areTwoCalls(loggedCalls[one] ?? [:], loggedCalls[other] ?? [:]) else { continue }
        let both = (loggedCalls[one] ?? [:]).merging(loggedCalls[other] ?? [:]) { $0.union($1) }
        calls.join(before, after)
        loggedCalls[calls.root(before)] = both
      }
      ends.join(before, after)
    }
  }
}

/// Whether a log that numbers the calls of an end has both, and in different calls.
private func areTwoCalls(
  _ one: [LoggedEndOfSource: Set<Int>], _ other: [LoggedEndOfSource: Set<Int>]
) -> Bool {
  one.contains { end, numbers in other[end].map(numbers.isDisjoint) ?? false }
}

/// The key of connections that may have replaced each other.
struct ReplaceableEnd: Hashable {
  var source: Int64
  var name: LoggedCall
  var endpoint: String?
  var call: String?
}

/// An end of a source.
private struct LoggedEndOfSource: Hashable {
  var source: Int64
  var end: String?
  var endpoint: String?

  init?(_ view: ConnectionView) {
    guard !view.isWhole else { return nil }
    (source, end, endpoint) = (view.source, view.logged.end, view.endpoint)
  }
}

extension ConnectionView {
  /// The end in which it may have replaced, or been replaced by, another.
  var replaceable: ReplaceableEnd {
    ReplaceableEnd(source: source, name: logged.call, endpoint: endpoint, call: call)
  }

  /// Whether two views may have replaced each other.
  func isReplaceable(with other: ConnectionView) -> Bool {
    source == other.source && endpoint == other.endpoint && call == other.call
      && logged.end == other.logged.end && logged.number == other.logged.number
  }
}
