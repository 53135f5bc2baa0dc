import CallModel

/// Selects the events of a long call for the table on its page: of events that repeat, only the first ones.
struct ShownEvents {
  let events: [AccountEvent]
  /// Omitted events by kind: `media.resolution-changed (caller)` and their number.
  private(set) var left: [(kind: String, count: Int)] = []
  /// Maximum number of rows of a table that is shown in full.
  private static let few = 500
  /// Maximum number of rows of one kind in a longer table.
  private static let ofAKind = 10
  /// Maximum number of rows in total.
  private static let most = 2000

  init(_ all: [AccountEvent]) {
    guard all.count > Self.few else {
      events = all
      return
    }
    var (counts, missing): ([String: Int], [String: Int]) = ([:], [:])
    var order: [String] = []
    var shown: [AccountEvent] = []
    for event in all {
      let kind = Self.kind(event)
      let count = counts[kind, default: 0]
      if count == 0 { order.append(kind) }
      counts[kind] = count + 1
      if event.record.anomaly != nil || count < Self.ofAKind, shown.count < Self.most {
        shown.append(event)
      } else {
        missing[kind, default: 0] += 1
      }
    }
    left = order.compactMap { kind in missing[kind].map { (kind, $0) } }
    events = shown
  }

  private static func kind(_ event: AccountEvent) -> String {
    EventWords.name(event.record) + (event.end.map { " (\($0))" } ?? "")
  }
}
