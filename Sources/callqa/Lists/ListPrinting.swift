import ArgumentParser
import CallStore
import Reporting

extension RowOptions {
  /// Prints a listing: all its columns for programs, the given ones in a table for people (`column=heading` renames one).
  ///
  /// People see only the rows in which the flag holds, if one is named, and how many others there are.
  func print(
    _ listing: Listing, _ scope: CallScope, from store: Store, table columns: [String],
    onlyWhere flag: String? = nil
  ) throws {
    var scope = scope
    scope.limit = limit
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
          try printer?.row(indices.map { cells[$0] })
        }
      })
    try printer?.finish()
    if !quiet, let trouble = try scope.sdk.flatMap({ try Reports.trouble(withSDK: $0, in: store) }) {
      Entry.complain(trouble)
    }
    if hidden > 0 {
      Entry.complain(
        "\(hidden) \(hidden == 1 ? "row" : "rows") of other sources left out: --all shows them",
        prefixed: false)
    }
  }
}

extension RowOptions {
  /// The columns that are printed, by place and heading: all for programs, the given ones for people.
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
  /// The call that a word of the user's means, as an error that explains itself where it means none or several.
  func call(named word: String) throws -> Int64 {
    do {
      return try resolve(CallReference(word))
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

  private static func list(_ names: [String]) -> String {
    names.prefix(6).map(VisibleText.visible).joined(separator: ", ") + (names.count > 6 ? ", …" : "")
  }
}
