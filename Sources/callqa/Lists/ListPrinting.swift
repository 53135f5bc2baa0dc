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
  var isForPeople: Bool { rowFormat == .table && isatty(1) == 1 }

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
