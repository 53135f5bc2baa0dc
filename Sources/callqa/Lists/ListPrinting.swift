import ArgumentParser
import CallModel
import CallStore
import Reporting

extension RowOptions {
  /// Prints a listing: all its columns for programs, the given ones in a table for people (`column=heading` renames one).
  func print(_ listing: Listing, _ scope: CallScope, from store: Store, table columns: [String]) throws {
    var scope = scope
    scope.limit = limit
    var printer: RowPrinter?
    var picked: [Int]?
    try store.list(
      listing, scope,
      columns: { names in
        guard rowFormat == .table || rowFormat == .markdown else {
          printer = try self.printer(columns: names)
          return
        }
        let wanted = columns.map { $0.split(separator: "=").map(String.init) }
          .filter { names.contains($0.first ?? "") }
        picked = wanted.compactMap { names.firstIndex(of: $0.first ?? "") }
        printer = try self.printer(columns: wanted.compactMap(\.last))
      },
      row: { cells in try printer?.row(picked.map { $0.map { cells[$0] } } ?? cells) })
    try printer?.finish()
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
    } catch CallReference.Failure.several(let word, let names) {
      let list =
        names.prefix(6).map(VisibleText.visible).joined(separator: ", ") + (names.count > 6 ? ", …" : "")
      throw Failure(
        .wrongCommandLine, "'\(VisibleText.visible(word))' begins the ids of several calls: \(list)")
    }
  }
}
