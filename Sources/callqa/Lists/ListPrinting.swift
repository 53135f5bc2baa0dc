import ArgumentParser
import CallModel
import CallStore
import Glibc
import Rendering
import Reporting

extension RowOptions {
  /// Prints a listing: all columns for programs, the given ones in a table for people (`column=heading` renames one).
  ///
  /// If a flag is named, people see only the rows in which it is set, and the number of other rows.
  func print(
    _ listing: Listing, _ scope: CallScope, from store: Store, table columns: [String],
    onlyWhere flag: String? = nil
  ) throws {
    var scope = scope
    // Ask for one row more than is shown, to know whether there are more.
    let most = defaultRows
    scope.limit = limit ?? most.map { $0 + 1 }
    if flag != nil { scope.limit = limit }
    var shown = 0
    scope.run = try scope.run.flatMap { try Reports.run($0, in: store).run }
    var printer: RowPrinter?
    var indices: [Int] = []
    var place: Int?
    var hidden = 0
    try store.list(
      listing, scope,
      columns: { names in
        let picked = pick(from: names, table: columns)
        indices = picked.indices
        place = picked.indices.count < names.count ? flag.flatMap { names.firstIndex(of: $0) } : nil
        printer = try self.printer(columns: picked.names)
      },
      row: { cells in
        if let place, cells[place] != .integer(1) {
          hidden += 1
        } else {
          shown += 1
          if shown <= most ?? .max { try printer?.row(indices.map { cells[$0] }) }
        }
      })
    if shown + hidden == 0, limit != 0, isForPeople {
      try EmptyList(listing, scope, in: store, zone: zone).print()
    } else {
      try printer?.finish()
    }
    if !quiet { try UnmatchedFilters(in: store).words(scope).forEach { Entry.warn($0) } }
    if let most, shown > most {
      Entry.warn(
        "only the first \(most) rows are shown: --limit shows more, --json and --csv show all",
        prefixed: false)
    }
    if hidden > 0 {
      Entry.warn(
        "\(Plural.of(hidden, "row")) of other sources left out: --all shows them",
        prefixed: false)
    }
  }
}

extension RowOptions {
  /// Maximum number of rows on a terminal without `--limit`; nil for programs, files and pipes.
  private var defaultRows: Int? { limit == nil && isForPeople ? 60 : nil }

  /// Whether the output is a table on a terminal.
  var isForPeople: Bool { rowFormat == .table && isatty(Surroundings.current.output) == 1 }

  /// The columns to print, by index and heading: all for programs, the given ones for people.
  func pick(from names: [String], table columns: [String]) -> (indices: [Int], names: [String]) {
    guard rowFormat == .table || rowFormat == .markdown else { return (Array(names.indices), names) }
    let wanted = columns.map { $0.split(separator: "=").map(String.init) }
    let known = wanted.compactMap { parts -> (Int, String)? in
      guard let column = parts.first, let heading = parts.last else { return nil }
      return names.firstIndex(of: column).map { ($0, heading) }
    }
    return (known.map(\.0), known.map(\.1))
  }
}

extension Store {
  /// Key of the call that a word refers to; throws an explanatory error if it refers to none or several.
  ///
  /// If calls of several runs have the id, the latest is used and a note printed, provided `latest` is true. Commands
  /// that change a call set it to false.
  func call(named word: String, latest: Bool = true) throws -> Int64 {
    do {
      return try resolve(CallReference(word))
    } catch CallReference.Failure.runs(let word, let names) where latest {
      guard let key = try latestRunCall(word) else { return try resolve(CallReference(word)) }
      Entry.warn(
        VisibleText.visible("\(word) is a call of \(names.count) runs: this is \(key.name), the latest"),
        prefixed: false)
      return key.key
    } catch CallReference.Failure.several(_, let names)
      where latest && Set(names.map(Self.id(of:))).count == 1
    {
      // The word is a prefix of one id, which calls of several runs have.
      return try call(named: Self.id(of: names[0]))
    } catch CallReference.Failure.none(let word) {
      throw Failure(
        .wrongCommandLine,
        "there is no call '\(VisibleText.visible(word))': `callqa calls` lists them, `callqa find` searches")
    } catch CallReference.Failure.runs(let word, let names) {
      throw Failure(
        .wrongCommandLine,
        "'\(VisibleText.visible(word))' is a call of \(names.count) runs: \(Self.list(names)); name one of them"
      )
    } catch CallReference.Failure.several(let word, let names) {
      throw Failure(
        .wrongCommandLine,
        "'\(VisibleText.visible(word))' begins the ids of several calls: \(Self.list(names))")
    }
  }

  private func latestRunCall(_ id: String) throws -> (key: Int64, name: String)? {
    let row = try query(
      """
      SELECT k.call_key, k.run_id || '/' || k.call_id FROM calls AS k JOIN run_starts AS r USING (run_id)
      WHERE k.call_id = :id COLLATE NOCASE ORDER BY r.began_ms DESC, k.run_id DESC, k.call_key LIMIT 1
      """, ["id": .text(id)]
    ).rows.first
    return row.flatMap { row in row[0].integer.map { ($0, row[1].string ?? "") } }
  }

  /// The id in `RUN/ID`.
  private static func id(of name: String) -> String {
    name.split(separator: "/", maxSplits: 1).last.map(String.init) ?? name
  }

  private static func list(_ names: [String]) -> String {
    names.prefix(6).map(VisibleText.visible).joined(separator: ", ") + (names.count > 6 ? ", …" : "")
  }
}

/// Message for people if a list is empty: what was searched for, and what to do.
private struct EmptyList {
  private let listing: Listing
  private let scope: CallScope
  private let store: Store
  private let zone: Zone

  init(_ listing: Listing, _ scope: CallScope, in store: Store, zone: Zone) {
    (self.listing, self.scope, self.store, self.zone) = (listing, scope, store, zone)
  }

  /// What a row is, and what to do if the list is empty without any filter.
  private static let rows: [String: (name: String, remedy: String)] = [
    "calls": ("call", "`callqa runs` lists the runs"),
    "runs": ("run", "`callqa import PATH --run NAME` makes one"),
    "findings": ("finding", "nothing was found wrong beside the score"),
    "streams": ("stream", "only statistics and captures have them; `callqa sources` lists what was read"),
    "score": (
      "scored window", "only statistics and captures have them; `callqa sources` lists what was read"
    ),
    "setup": (
      "setup attempt", "only logs and captures of signalling have them; `callqa sources` lists what was read"
    ),
    "events": (
      "event", "only logs, captures and some statistics have them; `callqa sources` lists what was read"
    ),
    "sessions": (
      "login, registration, token or push",
      "only logs of clients have them; `callqa sources` lists what was read"
    ),
    "sources": ("file", "`callqa import PATH` reads some"),
    "rejects": ("refused line, record or packet", "all that was read was taken"),
  ]

  /// Prints the message to standard output.
  func print() throws {
    let output = Output.standard()
    try output.write(VisibleText.visible(try sentence()) + "\n")
    try output.flush()
  }

  /// The message, e.g. `No call of run 2026-11-21, the latest, with verdict silent: --run all looks in every run.`
  func sentence() throws -> String {
    let row = Self.rows[listing.name] ?? ("row", "`callqa sources` lists what was read")
    if try count("calls") == 0, try count("sources") == 0 {
      return "No \(row.name): the database is empty; `callqa import PATH` reads files into it."
    }
    let (place, filters) = (try place(), self.filters)
    let isOfCalls = listing.name == "calls"
    let words = [isOfCalls || filters.isEmpty ? nil : "in calls", place, filters.isEmpty ? nil : filters]
    let looked = words.compactMap { $0 }.joined(separator: " ")
    let remedy =
      scope.latestRun != nil
      ? "--run all looks in every run" : filters.isEmpty ? row.remedy : "fewer filters find more"
    return "No \(row.name)\(looked.isEmpty ? "" : " " + looked): \(remedy)."
  }

  private func count(_ table: String) throws -> Int64 {
    try store.query("SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT 1)").rows.first?.first?.integer ?? 0
  }

  /// The call, run and time range that were searched.
  private func place() throws -> String? {
    let ids = try (scope.calls ?? []).compactMap { key in
      try store.query("SELECT call_id FROM calls WHERE call_key = :key", ["key": .integer(key)]).rows.first?[
        0
      ].string
    }
    func time(_ ms: Double) -> String {
      "\(zone.dateText(ms) ?? "?") \(zone.clockText(ms)?.prefix(8) ?? "?")\(zone.offsetText(ms))"
    }
    let parts = [
      ids.isEmpty ? nil : "of call \(ids.joined(separator: ", "))",
      scope.run.map { "of run \($0)" } ?? scope.latestRun.map { "of run \($0), the latest," },
      scope.sinceMs.map { "since \(time($0))" }, scope.untilMs.map { "before \(time($0))" },
    ].compactMap { $0 }
    let text = parts.joined(separator: " ")
    return text.isEmpty ? nil : filters.isEmpty && text.hasSuffix(",") ? String(text.dropLast()) : text
  }

  /// The filters in words: `with SDK pexip and verdict silent`; empty if there are none.
  private var filters: String {
    func either(_ words: [String]) -> String { words.joined(separator: " or ") }
    var (with, parts): ([String], [String]) = ([], [])
    if let sdk = scope.sdk { with.append("SDK \(sdk)") }
    if let outcome = scope.outcome { with.append("outcome \(outcome.rawValue)") }
    if !scope.verdicts.isEmpty { with.append("verdict \(either(scope.verdicts.map(\.rawValue)))") }
    if !scope.findings.isEmpty { with.append("finding \(either(scope.findings))") }
    for having in scope.having {
      let names =
        having.attribute
        ?? (having.columns.count > 1 ? "codec" : having.columns.first?.replacing("_", with: " "))
      with.append("\(names ?? "trait") \(having.value)")
    }
    if scope.broken { parts.append("that broke") }
    if let sql = scope.sql { parts.append("where \(sql)") }
    if let source = scope.source { parts.append("from \(source.rawValue)") }
    if let model = scope.model { parts.append("by model \(model)") }
    let list =
      with.count > 1 ? "\(with.dropLast().joined(separator: ", ")) and \(with[with.count - 1])" : with.first
    return ([list.map { "with \($0)" }].compactMap { $0 } + parts).joined(separator: ", ")
  }
}
