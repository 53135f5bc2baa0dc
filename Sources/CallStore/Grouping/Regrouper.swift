import CallModel

/// Sorts the connections of sources, and all that they touch, into calls and ends anew.
///
/// Only the neighbourhood is looked at, so an import costs the same in a database of a hundred thousand calls.
struct Regrouper {
  let connection: Connection

  /// Sorts in what sources brought, and gives how many views had to be looked at. Part of the transaction that wrote them.
  @discardableResult
  func sortIn(sources: [Int64]) throws -> Int {
    var seeds: [String?: [Int64]] = [:]
    var gathered = 0
    for source in sources {
      let run = try connection.first("SELECT run_id FROM sources WHERE source_id = ?", source)?.string
      seeds[run, default: []] += try connection.rows(
        "SELECT connection_key FROM connections WHERE source_id = ?", source, body: { $0.int64(0) })
    }
    for (run, seeds) in seeds.sorted(by: { ($0.value.first ?? 0) < ($1.value.first ?? 0) })
    where !seeds.isEmpty {
      gathered += try sortIn(seeds, of: run)
    }
    return gathered
  }

  private func sortIn(_ seeds: [Int64], of run: String?) throws -> Int {
    let neighbourhood = Neighbourhood(connection: connection, run: run)
    let corrections = try neighbourhood.corrections()
    let views = try neighbourhood.views(around: seeds, corrections: corrections)
    try settle(views, in: run, corrections: corrections)
    let folders = Set(
      views.map { view in view.path.lastIndex(of: "/").map { String(view.path[..<$0]) } ?? "" })
    for folder in Set(folders.flatMap(withFoldersAbove)).sorted() {
      try renameCallsOf(folder: folder, run: run)
    }
    return views.count
  }

  /// Writes down which call and end every view belongs to.
  private func settle(_ views: [ConnectionView], in run: String?, corrections: Corrections) throws {
    let assignment = CallAssignment(connection: connection, run: run)
    let byKey = Dictionary(uniqueKeysWithValues: views.map { ($0.key, $0) })
    var taken: Set<Int64> = []
    var new: [GroupedCall] = []
    let groups = groupCalls(views, corrections: corrections).map { group in
      (group: group, members: group.views.compactMap { byKey[$0] })
    }
    // What was of a call beside others may be none by itself.
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
    // All that a new call has; of one that was there before more may be known than was looked at here.
    var known: [Int64: [ConnectionView]] = [:]
    // In the order in which their first views came.
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

  /// Gives a call the name its views have earned; two calls of one name in a run are told apart by their keys.
  func name(call: Int64, run: String?, views known: [ConnectionView]? = nil) throws {
    let views = try known ?? Neighbourhood(connection: connection, run: run).views(ofCall: call)
    guard !views.isEmpty else { return }
    let assignment = CallAssignment(connection: connection, run: run)
    let name = try nameOfCall(
      views, holdsOthers: { try !keepsFolder(call, $0) && holdsOthers($0, than: call, run: run) },
      isFree: { id in
        guard try assignment.isTaken(id, by: call) else { return true }
        try ContestedNames(connection: connection).note(id, of: call)
        return false
      })
    if let name { try assignment.rename(call, to: name) }
    try assignment.noteNamesakes(of: views, named: name?.id)
  }

  /// Whether a call of an earlier import is named after the folder: it stays so.
  private func keepsFolder(_ call: Int64, _ folder: String) throws -> Bool {
    guard call <= connection.lastCallBefore else { return false }
    return try connection.first(
      "SELECT 1 FROM calls WHERE call_key = ? AND named_by = 'folder' AND folder = ?", call, folder) != nil
  }

  // The plus keeps SQLite from going through all of the run.
  private func holdsOthers(_ folder: String, than call: Int64, run: String?) throws -> Bool {
    try connection.first(
      """
      SELECT 1 FROM sources AS s JOIN connections AS c USING (source_id)
      WHERE s.path >= ?1 || '/' AND s.path < ?1 || '0' AND c.call_key <> ?2 AND +s.run_id IS ?3 LIMIT 1
      """, folder, call, run) != nil
  }

  /// A folder that held one call may now hold two: calls of this import that are named after it need another name; those of
  /// earlier ones keep theirs, for somebody may have written it down.
  private func renameCallsOf(folder: String, run: String?) throws {
    let calls = try connection.rows(
      "SELECT call_key FROM calls WHERE folder = ? AND +run_id IS ?", folder, run, body: { $0.int64(0) })
    for call in calls where try call > connection.lastCallBefore && holdsOthers(folder, than: call, run: run)
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
