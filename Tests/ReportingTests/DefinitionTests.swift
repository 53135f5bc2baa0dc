import Rendering
import Reporting
import Testing

@Suite("A report is a text that people edit")
struct DefinitionTests {
  static let good = """
    [report]
    title = Mine
    [query calls]
    [table calls]
    title = Calls
      of tonight
    column = call_id | Call | call
    [plot calls]
    shape = lines
    x = started_ms
    y = score_mean | score
    """

  @Test("queries, parts and columns in their order; an indented line goes on")
  func reading() throws {
    let definition = try ReportDefinition(text: Self.good, file: "r", folder: ".")
    #expect(definition.queries.map(\.source) == ["calls.sql"])
    guard case .table(let table) = definition.parts[0] else { return #expect(Bool(false)) }
    #expect(table.title == "Calls of tonight")
    #expect(table.columns.map(\.format) == [.call])
  }

  @Test(
    "a mistake is named with its line, and a near word is offered",
    arguments: [
      ("title = x", "r:1: a section such as [report] must come first"),
      ("[report]\ntitel = x", "r:2: 'titel' is no key of [report]; did you mean 'title'?"),
      ("[report]\ntitle", "r:2: expected 'key = value', found 'title'"), ("[report", "r:1: the closing ]"),
      ("[tabel x]", "r:1: no section is called [tabel]; did you mean [table]?"),
      ("[query a b]", "r:1: the name of a query becomes a file name"),
      ("[report]\ntitle = x\n[table y]\ncolumn = a", "r:3: there is no [query y]"),
      (
        "[query y]\n[table y]\ncolumn = a | A | percnt", "r:3: 'percnt' is no format; did you mean 'percent'?"
      ),
      ("[query y]\n[table y]", "r:2: [table y] needs at least one"),
      ("[query y]\n[plot y]\nshape = pie\nx = a\ny = b", "r:3: 'pie' is no shape"),
      ("[query y]\n[table y]\nlimit = some\ncolumn = a", "r:3: 'some' is no whole number"),
      ("", "r: no [report] section"),
    ])
  func mistakes(_ text: String, _ message: String) {
    let error = #expect(throws: PlacedError.self) { try ReportDefinition(text: text, file: "r", folder: ".") }
    #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
  }
}
