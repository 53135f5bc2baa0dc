import SQLite

/// Regroups the connections of sources, and all views related to them, into calls and ends.
///
/// Only the neighbourhood is read, so an import costs the same in a database of a hundred thousand calls.
struct Regrouper {
  let connection: Connection

  /// Groups the connections of new sources, and returns the number of views read. Part of the transaction that wrote
  /// them.
  @discardableResult
  func sortIn(sources: [Int64]) throws -> Int {
    var seeds: [String?: [Int64]] = [:]
    var gathered = 0
    for source in sources {
      let run = try connection.first("SELECT run_id FROM sources WHERE source_id = ?", source)?.string
      seeds[run, default: []] += try connection.rows(
        "SELECT connection_key FROM source_views WHERE source_id = ?", source, body: { $0.int64(0) })
    }
    for (run, seeds) in seeds.sorted(by: { ($0.value.first ?? 0) < ($1.value.first ?? 0) })
    where !seeds.isEmpty {
      // A table may have the ends of a hundred thousand calls.
      let neighbourhood = Neighbourhood(connection: connection, run: run)
      let parts = (seeds.count + Self.mostTogether - 1) / Self.mostTogether
      // Views of later parts that were sorted in with those of an earlier one, as the ends of one large call are.
      var sorted: Set<Int64> = []
      for part in 0..<parts {
        let own = seeds[(seeds.count * part / parts)..<(seeds.count * (part + 1) / parts)]
        let some = own.filter { !sorted.contains($0) }
        sorted.subtract(own)
        guard !some.isEmpty else { continue }
        let found = try sortIn(some, of: run, in: neighbourhood)
        gathered += found.count
        // Of more than can be gathered some may be left for the next part.
        if parts > 1, found.count < Neighbourhood.largest { sorted.formUnion(Set(found).subtracting(own)) }
      }
    }
    return gathered
  }

  /// The most views that are gathered at once, beside those that are related to them.
  private static let mostTogether = 4096

  /// Sorts in some views and those related to them; returns the keys of all.
  private func sortIn(_ seeds: [Int64], of run: String?, in neighbourhood: Neighbourhood) throws -> [Int64] {
    let corrections = try neighbourhood.corrections()
    let views = try neighbourhood.views(around: seeds, corrections: corrections)
    try settle(views, in: run, corrections: corrections)
    let folders = Set(
      views.map { view in view.path.lastIndex(of: "/").map { String(view.path[..<$0]) } ?? "" })
    for folder in Set(folders.flatMap(withFoldersAbove)).sorted() {
      try renameCallsOf(folder: folder, run: run)
    }
    return views.map(\.key)
  }

  /// Stores the call and end of every view.
  private func settle(_ views: [ConnectionView], in run: String?, corrections: Corrections) throws {
    let assignment = CallAssignment(connection: connection, run: run)
    let byKey = Dictionary(uniqueKeysWithValues: views.map { ($0.key, $0) })
    var taken: Set<Int64> = []
    var new: [GroupedCall] = []
    let groups = groupCalls(views, corrections: corrections).map { group in
      (group: group, members: group.views.compactMap { byKey[$0] })
    }
    // Views of a session only, which were part of a call, may be no call by themselves.
    let grouped = Set(groups.flatMap(\.group.views))
    for view in views where view.previousCall != nil && !grouped.contains(view.key) {
      try assignment.release(view.key)
    }
    for (group, members) in try assignment.inOrderOfNames(groups) {
      guard let call = try assignment.knownRow(for: members, avoiding: taken) else {
        new.append(group)
        continue
      }
      taken.insert(call)
      try assignment.assign(group, to: call)
    }
    // All views of a new call are known here; an existing call may have more.
    var known: [Int64: [ConnectionView]] = [:]
    // In the order of their first views.
    for (first, group) in new.map({ ($0.views.min() ?? 0, $0) }).sorted(by: { $0.0 < $1.0 }) {
      let call = try assignment.newRow(for: first)
      taken.insert(call)
      try assignment.assign(group, to: call)
      let members = group.views.sorted().compactMap { byKey[$0] }
      try assignment.takeExpectation(of: members, to: call)
      known[call] = members
    }
    for call in taken.sorted() { try name(call: call, run: run, views: known[call]) }
    let emptied = Set(views.compactMap(\.previousCall)).subtracting(taken)
    try assignment.keepNames(of: emptied, for: views)
    try assignment.removeEmptied(emptied)
  }

  /// Names a call after its views; two calls of one name in a run are distinguished by their keys.
  ///
  /// A call of an earlier import keeps its id, which users may have noted; only a name given by a person or a manifest
  /// replaces it.
  func name(call: Int64, run: String?, views known: [ConnectionView]? = nil) throws {
    let views = try known ?? Neighbourhood(connection: connection, run: run).views(ofCall: call)
    guard !views.isEmpty else { return }
    let assignment = CallAssignment(connection: connection, run: run)
    let kept = try idOfEarlierImport(call)
    if let kept, views.allSatisfy({ $0.given == nil }) {
      return try assignment.noteSharedName(of: views, named: kept)
    }
    let name = try nameOfCall(
      views,
      holdsOthers: {
        try isWithoutName($0) || holdsOthers($0, than: call, run: run)
      },
      isFree: { id in
        guard try assignment.isTaken(id, by: call) else { return true }
        try ContestedNames(connection: connection).note(id, of: call)
        return false
      })
    if let name, kept == nil || name.origin == .given { try assignment.rename(call, to: name) }
    try assignment.noteSharedName(of: views, named: name?.origin == .given ? name?.id : kept ?? name?.id)
  }

  /// The id that a call has from an earlier import; nil where it is of this one.
  private func idOfEarlierImport(_ call: Int64) throws -> String? {
    guard call <= connection.lastBefore.call else { return nil }
    return try connection.first(
      "SELECT call_id FROM calls WHERE call_key = ? AND named_by IS NOT NULL", call)?.string
  }

  /// Whether no path that was given names the folder: paths were relative to it, or to a folder below it.
  private func isWithoutName(_ folder: String) -> Bool {
    guard let least = connection.folderWithoutNames else { return false }
    return least == folder || least.hasPrefix(folder + "/")
  }

  // The plus keeps SQLite from using the index of the run.
  private func holdsOthers(_ folder: String, than call: Int64, run: String?) throws -> Bool {
    try connection.first(
      """
      SELECT 1 FROM sources AS s JOIN source_views AS c USING (source_id)
      WHERE s.path >= ?1 || '/' AND s.path < ?1 || '0' AND c.call_key <> ?2 AND +s.run_id IS ?3 LIMIT 1
      """, folder, call, run) != nil
  }

  /// A folder that held one call may now hold two: calls of this import named after it get another name; those of
  /// earlier imports keep it, as it may have been written down.
  private func renameCallsOf(folder: String, run: String?) throws {
    let calls = try connection.rows(
      "SELECT call_key FROM calls WHERE folder = ? AND +run_id IS ?", folder, run, body: { $0.int64(0) })
    for call in calls where try call > connection.lastBefore.call && holdsOthers(folder, than: call, run: run)
    { try name(call: call, run: run) }
  }

  private func withFoldersAbove(_ folder: String) -> [String] {
    var folders: [String] = []
    var rest = folder[...]
    while let end = rest.utf8.lastIndex(of: UInt8(ascii: "/")) {
      folders.append(String(rest))
      rest = rest[..<end]
    }
    return folders
  }
}

/// Decides when new views are grouped into calls: at once if few views are related, later if a call has thousands of
/// files.
///
/// Grouping reads all views of a call. Doing that for every batch would cost the square of the length for a call with a
/// file per second, so new views wait until they are a quarter of the number read last time.
struct RegroupingSchedule {
  /// The most views that wait.
  private static let maxWaiting = 8192

  /// Waiting sources.
  private(set) var sources: [Int64] = []
  private var views = 0
  /// Number of views read last time.
  private var gathered = 0

  /// Whether enough views are waiting.
  var isDue: Bool { views >= min(gathered / 4, Self.maxWaiting) }

  mutating func add(_ source: Int64, views count: Int) {
    sources.append(source)
    views += count
  }

  mutating func sorted(gathering count: Int) { self = RegroupingSchedule(gathered: count) }

  init(gathered: Int = 0) { self.gathered = gathered }
}

extension Store {
  /// Groups sources into calls, together with waiting ones; unless `atOnce`, they may wait for others. Part of the
  /// transaction that wrote them.
  func sortIn(_ sources: [(id: Int64, views: Int)], atOnce: Bool) throws {
    try Aliases(connection: connection).settle()
    for source in sources { pace.add(source.id, views: source.views) }
    guard atOnce || pace.isDue else { return }
    pace.sorted(gathering: try Regrouper(connection: connection).sortIn(sources: pace.sources))
  }

  /// Groups all waiting sources, including those left by a killed import.
  func groupQueued() throws {
    try exclusive {
      let left = try connection.rows(
        "SELECT DISTINCT source_id FROM source_views WHERE call_key IS NULL", body: { $0.int64(0) })
      let sources = Set(pace.sources + left)
      guard !sources.isEmpty else { return }
      try checkForeignKeys(false)
      try connection.transaction {
        pace.sorted(gathering: try Regrouper(connection: connection).sortIn(sources: sources.sorted()))
      }
    }
  }
}

/// Ids wanted by several calls of one import: which call gets the id must not depend on the order of the files.
///
/// During the import, the first call takes a free id. At its end, new calls that compete for an id are named again in
/// the order of their content. Calls from before keep their ids.
struct ContestedNames {
  let connection: Connection

  /// Records that a call could not get an id because another has it.
  func note(_ id: String, of call: Int64) throws {
    try connection.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS contested_names (
        call_id TEXT NOT NULL, call_key INTEGER NOT NULL, PRIMARY KEY (call_id, call_key)) WITHOUT ROWID
      """)
    try connection.run("INSERT OR IGNORE INTO contested_names VALUES (?, ?)", id, call)
  }

  /// Renames the calls of this import that compete for an id, including those that have it. Part of a transaction.
  func settle() throws {
    guard
      try connection.first("SELECT 1 FROM sqlite_temp_schema WHERE name = 'contested_names'") != nil
    else { return }
    // Several rounds, as a call that lost its id may compete for another one; few do.
    for _ in 0..<4 {
      let found = try contested()
      guard !found.isEmpty else { break }
      try connection.run("DELETE FROM contested_names")
      try rename(found)
    }
    try connection.run("DELETE FROM contested_names")
  }

  private func contested() throws -> [(call: Int64, run: String?)] {
    try connection.rows(
      """
      SELECT DISTINCT k.call_key, k.run_id FROM calls AS k
      WHERE k.call_key > ?1 AND k.named_by IS NOT 'given' AND (
        k.call_key IN (SELECT call_key FROM contested_names)
        OR k.call_id IN (SELECT call_id FROM contested_names))
      """, connection.lastBefore.call, body: { (call: $0.int64(0), run: $0.isNull(1) ? nil : $0.text(1)) })
  }

  /// Takes the ids from all of them, and assigns them in the order of the calls' content.
  private func rename(_ calls: [(call: Int64, run: String?)]) throws {
    let ranked = try calls.map { call, run in
      let views = try Neighbourhood(connection: connection, run: run).views(ofCall: call)
      return (call: call, run: run, order: partsOfCall(views))
    }
    for entry in ranked {
      try connection.run(
        "UPDATE calls SET call_id = ?2, named_by = NULL WHERE call_key = ?1", entry.call,
        "new-\(entry.call)")
    }
    for entry in ranked.sorted(by: { $0.order < $1.order }) {
      try Regrouper(connection: connection).name(call: entry.call, run: entry.run)
    }
  }
}
