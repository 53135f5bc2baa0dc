import CallModel

/// Which events of a long call stand in the table of its page: of what an end did again and again, the first.
struct ShownEvents {
  let events: [AccountEvent]
  /// What was left out: `media.resolution-changed (caller)`, how many.
  private(set) var left: [(kind: String, count: Int)] = []
  /// A table of so many rows is shown whole.
  private static let few = 500
  /// So many rows of a kind are shown where there are more.
  private static let ofAKind = 10
  /// Rows of all kinds together.
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
