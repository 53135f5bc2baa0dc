/// When what came in is sorted into calls: at once where little lies around it, later where a call gathers thousands of files.
///
/// Sorting looks at all of a call again. Were that done for each handful of its files, a call of a file a second would cost more by the
/// square of its length; so what comes waits until it is a fourth of what the last look had to gather.
struct SortingPace {
  /// Most views that wait, whatever the call.
  private static let mostWaiting = 8192

  /// Sources that wait.
  private(set) var sources: [Int64] = []
  private var views = 0
  /// Views that were gathered last.
  private var gathered = 0

  /// Whether it is worth while.
  var isDue: Bool { views >= min(gathered / 4, Self.mostWaiting) }

  mutating func add(_ source: Int64, views count: Int) {
    sources.append(source)
    views += count
  }

  mutating func sorted(gathering count: Int) { self = SortingPace(gathered: count) }

  init(gathered: Int = 0) { self.gathered = gathered }
}

extension Store {
  /// Sorts sources into calls, with those that wait; `atOnce` is false where they may wait for others. Part of the transaction
  /// that wrote them.
  func sortIn(_ sources: [(id: Int64, views: Int)], atOnce: Bool) throws {
    try Aliases(connection: connection).settle()
    for source in sources { pace.add(source.id, views: source.views) }
    guard atOnce || pace.isDue else { return }
    pace.sorted(gathering: try Regrouper(connection: connection).sortIn(sources: pace.sources))
  }

  /// Sorts in all that waits, and what an import that was killed left waiting.
  func sortInWaiting() throws {
    try exclusive {
      let left = try connection.rows(
        "SELECT DISTINCT source_id FROM connections WHERE call_key IS NULL", body: { $0.int64(0) })
      let sources = Set(pace.sources + left)
      guard !sources.isEmpty else { return }
      try checkForeignKeys(false)
      try connection.transaction {
        pace.sorted(gathering: try Regrouper(connection: connection).sortIn(sources: sources.sorted()))
      }
    }
  }
}
