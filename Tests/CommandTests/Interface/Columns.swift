import Foundation
import Testing

/// Columns that others ask for by name: of lists as CSV, of the questions that ship, of the views of the database.
enum ColumnListing {
  static func make(_ fixture: InterfaceFixture) throws -> Listing {
    var listing = Listing()
    for (list, words) in [
      ("calls", ["calls"]), ("streams", ["streams"]), ("score", ["score"]), ("setup", ["setup"]),
      ("events", ["events"]), ("findings", ["findings"]), ("sessions", ["sessions"]), ("turns", ["turns"]),
      ("runs", ["runs"]), ("sources", ["sources"]), ("rejects", ["rejects"]), ("check", ["check"]),
      ("formats", ["formats"]), ("query", ["query"]), ("find", ["find", "bad"]),
      ("diff", ["diff", "demo/healthy-call", "demo/bad-call"]), ("compare", ["compare", "demo", "tests"]),
      ("packets", ["packets", InterfaceFixture.capture]),
      ("packets --stream", ["packets", InterfaceFixture.capture, "--stream", "8738"]),
    ] {
      for column in try columns(of: words, fixture) { listing.add("list \(list), column \(column)") }
    }
    let queries = Tool.root.path + "/queries"
    for file in try FileManager.default.contentsOfDirectory(atPath: queries) where file.hasSuffix(".sql") {
      let name = String(file.dropLast(4))
      for parameter in parameters(of: try String(contentsOfFile: "\(queries)/\(file)", encoding: .utf8)) {
        listing.add("query \(name), parameter \(parameter)")
      }
      for column in try columns(of: ["query", name], fixture) {
        listing.add("query \(name), column \(column)")
      }
    }
    for view in try views() {
      let asked = try fixture.run("query", "SELECT name FROM pragma_table_info('\(view)')", "--json")
      let columns = try asked.objects().compactMap { $0["name"] as? String }
      #expect(!columns.isEmpty, "docs/stability.md promises view \(view), and there is none")
      for column in columns where !callqasOwn.contains(column) {
        listing.add("view \(view), column \(column)")
      }
    }
    return listing
  }

  /// Columns of views that docs/stability.md keeps out of the promise.
  private static let callqasOwn = ["stale", "pruned_ms"]

  /// The views that docs/stability.md names.
  static func views() throws -> [String] {
    let text = try String(contentsOfFile: Tool.root.path + "/docs/stability.md", encoding: .utf8)
    let begin = try #require(text.range(of: "<!-- views -->\n"))
    let end = try #require(text.range(of: "<!-- /views -->"))
    return text[begin.upperBound..<end.lowerBound].split { $0.isWhitespace }.map(String.init)
  }

  /// Names behind a colon, such as `:run`; a time of day in a format has no small letter there.
  private static func parameters(of sql: String) -> [String] {
    sql.split(separator: ":").dropFirst().compactMap { part in
      let name = part.prefix { $0.isLowercase || $0 == "_" }
      return name.isEmpty ? nil : String(name)
    }
  }

  private static func columns(of words: [String], _ fixture: InterfaceFixture) throws -> [String] {
    let result = try fixture.run(words + ["--csv"])
    // Lines of CSV end in CR LF, which is one character.
    let lines = result.output.split(whereSeparator: \.isNewline)
    let head = try #require(lines.first, "\(words) prints no head: \(result.errors)")
    return head.split(separator: ",").map { $0.trimmingCharacters(in: ["\""]) }
  }
}
