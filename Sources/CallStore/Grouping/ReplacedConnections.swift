import CallModel

/// Connections that took each other's place within what one source takes for one call of an end.
///
/// They are one end of one call, for a connection that fails is made anew; unless what they were tied to tells of two calls: a log
/// in which the end hung up and called again.
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
  var told: [Int: [LoggedEndOfSource: Set<Int>]] = [:]
  for (place, view) in views.enumerated() {
    guard let end = LoggedEndOfSource(view) else { continue }
    told[calls.root(place), default: [:]][end, default: []].insert(view.logged.number)
  }
  for members in places.values.map({ $0.sorted { $0 < $1 } }).sorted(by: { $0[0].place < $1[0].place }) {
    for ((_, before), (_, after)) in zip(members, members.dropFirst()) {
      guard !corrections.haveSplit(views[before].part, views[after].part) else { continue }
      let (one, other) = (calls.root(before), calls.root(after))
      if one != other {
        guard !areTwoCalls(told[one] ?? [:], told[other] ?? [:]) else { continue }
        let both = (told[one] ?? [:]).merging(told[other] ?? [:]) { $0.union($1) }
        calls.join(before, after)
        told[calls.root(before)] = both
      }
      ends.join(before, after)
    }
  }
}

/// Whether a log of one end, which tells several calls apart, told of both, and not of one call.
private func areTwoCalls(
  _ one: [LoggedEndOfSource: Set<Int>], _ other: [LoggedEndOfSource: Set<Int>]
) -> Bool {
  one.contains { end, numbers in other[end].map(numbers.isDisjoint) ?? false }
}

/// Whose connections may have taken each other's place.
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
  /// Where it may have taken another one's place, or lost it to one.
  var replaceable: ReplaceableEnd {
    ReplaceableEnd(source: source, name: logged.call, endpoint: endpoint, call: call)
  }

  /// Whether two views are of one such place.
  func isReplaceable(with other: ConnectionView) -> Bool {
    source == other.source && endpoint == other.endpoint && call == other.call
      && logged.end == other.logged.end && logged.number == other.logged.number
  }
}
