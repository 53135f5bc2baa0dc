import CallModel

/// The events of a call, in their order. It is asked for those of each of thousands of ends.
struct EventsByEnd: Sendable {
  let all: [StoredEvent]
  private let places: [Int64?: [Int]]

  init(_ all: [StoredEvent]) {
    self.all = all
    places = Dictionary(grouping: all.indices) { all[$0].endpoint }
  }

  /// The events of an end, and those of no end.
  subscript(_ end: Int64) -> [StoredEvent] {
    let own = places[end] ?? []
    let ofCall = places[nil] ?? []
    return (ofCall.isEmpty ? own : (own + ofCall).sorted()).map { all[$0] }
  }
}
