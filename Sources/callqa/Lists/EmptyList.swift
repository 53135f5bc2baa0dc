import CallModel
import CallStore
import Rendering

/// Message for people if a list is empty: what was searched for, and what to do.
struct EmptyList {
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
