import ArgumentParser
import CallStore
import Glibc
import Rendering

/// `callqa schema`: prints the tables with their comments.
struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "The tables and views, with what each column means.",
    discussion: """
      Example:
        callqa schema
        callqa schema samples
      """)

  @Argument(help: ArgumentHelp("Only this table or view.", valueName: "table"))
  var table: String?

  @OptionGroup var database: DatabaseOptions

  func run() throws {
    // Without a database, print the schema of a new one.
    let isThere = access(database.resolved, F_OK) == 0
    let store =
      try isThere || database.path != nil ? database.open(.read) : Store(path: "new", access: .memory)
    let schema = try store.schema(of: table)
    guard !schema.isEmpty else {
      let names = try store.schema().map(\.name).joined(separator: ", ")
      throw Failure(.wrongCommandLine, "there is no table '\(table ?? "")': there are \(names)")
    }
    let output = Output.standard()
    try output.write(schema.map { $0.sql + ";\n" }.joined(separator: "\n"))
    try output.flush()
  }
}
