import ArgumentParser
import Bytes
import CallModel
import CallStore
import Concurrency
import Glibc
import IO
import Rendering
import SQLite
import Synchronization

/// `callqa query NAME`: runs a query from `queries/`, from a file, or given as SQL.
struct Query: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "Ask a question in SQL: one that ships, a file, or your own.",
    usage: "callqa query [<name>] [<options>]",
    discussion: """
      Without a name: the questions that ship. A parameter that is not given is NULL, which the questions take as `any`.

      Example:
        callqa query
        callqa query worst-calls --param limit=5
        callqa query "SELECT outcome, count(*) FROM calls GROUP BY outcome"
        callqa query mine.sql --param run=2026-11-21 --csv
      """)

  @Argument(help: ArgumentHelp("A name of queries/, a path, or SQL.", valueName: "name"))
  var name: String?

  @Option(
    name: .customLong("param"),
    help: ArgumentHelp("A parameter of the question; may be repeated.", valueName: "key=value"))
  var parameters: [String] = []

  @Option(
    help: ArgumentHelp(
      "End a question of your own after so long (default: \(Limit.question)).", valueName: "n"))
  var seconds: Int?

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var rows: RowOptions

  func validate() throws {
    guard seconds.map({ (1...1_000_000).contains($0) }) ?? true else {
      throw ValidationError("--seconds must be at least 1.")
    }
    for parameter in parameters where !parameter.contains("=") || parameter.hasPrefix("=") {
      throw ValidationError("--param takes key=value, not '\(parameter)'.")
    }
  }

  func run() throws {
    guard let name else { return try list() }
    let question = try QueryText.find(name)
    let store = try database.open(.read, quiet: rows.quiet)
    var printer: RowPrinter?
    var left = rows.limit ?? .max
    try bounded(question, store) {
      try question.placed {
        try store.query(
          question.sql, cells, columns: { printer = try rows.printer(columns: $0) },
          row: { cells in
            guard left > 0 else { return }
            left -= 1
            try printer?.row(cells)
          })
      }
    }
    try printer?.finish()
  }

  /// Asks a question of the user's own within limits of time and memory. Those that ship have none.
  private func bounded(_ question: QueryText, _ store: Store, _ body: () throws -> Void) throws {
    guard !question.isShipped else { return try body() }
    let most = seconds ?? Limit.question.value
    let tooLong = Failure(
      .wrongCommandLine, "the question takes longer than \(most) s: ask for less, or raise --seconds")
    store.limitQuestions(longestValue: Limit.questionValue.value, columns: 2000)
    // SQLite notices between two instructions of its own; one of them can take any time.
    let watchdog = Surroundings.areOfProcess ? Watchdog(seconds: most + 2, tooLong) : nil
    defer { watchdog?.end() }
    do {
      try store.within(seconds: Double(most), body)
    } catch let error as StoreError where error.kind == .interrupted {
      throw tooLong
    }
  }

  /// Values written as canonical numbers are numbers; everything else is text, including `007` and `1.10`. Numeric
  /// columns accept both.
  private var cells: [String: Cell] {
    var cells: [String: Cell] = [:]
    for parameter in parameters {
      let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
        String.init)
      let name = parts[0].hasPrefix(":") ? String(parts[0].dropFirst()) : parts[0]
      cells[name] = Self.cell(parts[1])
    }
    return cells
  }

  private static func cell(_ text: String) -> Cell {
    if let whole = Int64(text), String(whole) == text { return .integer(whole) }
    if let real = Double(text), String(real) == text { return .real(real) }
    return .text(text)
  }

  private func list() throws {
    var printer = try rows.printer(columns: ["query", "question"])
    for (name, question) in QueryText.shipped() { try printer.row([.text(name), .text(question)]) }
    try printer.finish()
  }
}

/// Ends the process after a time, unless it is ended first.
private final class Watchdog: Sendable {
  private let isEnded = Atomic(false)

  init(seconds: Int, _ failure: Failure) {
    _ = try? TimedWork.run(seconds: 0) { [self] in
      for _ in 0..<seconds * 10 where !isEnded.load(ordering: .relaxed) { usleep(100_000) }
      guard !isEnded.load(ordering: .relaxed) else { return }
      Entry.warn(failure.message)
      _exit(failure.status.rawValue)
    }
  }

  func end() { isEnded.store(true, ordering: .relaxed) }
}

/// The SQL of a query, and where it comes from.
struct QueryText {
  let sql: String
  /// The file that contains it; nil if it was given on the command line.
  var file: String?
  /// Whether it comes with callqa.
  var isShipped = false

  /// Names of the shipped queries, with the question each answers.
  static func shipped() -> [(name: String, question: String)] {
    guard let folder = ResourceFolder("queries") else { return [] }
    return folder.files(endingIn: ".sql").map { file in
      let text = (try? folder.contents(of: file)).map { String(decoding: $0, as: UTF8.self) } ?? ""
      let first = text.split(separator: "\n").first.map(String.init) ?? ""
      return (String(file.dropLast(4)), first.hasPrefix("-- ") ? String(first.dropFirst(3)) : first)
    }
  }

  /// A shipped query by name, else a file, else the text itself if it is SQL.
  static func find(_ name: String) throws -> QueryText {
    if let folder = ResourceFolder("queries"), folder.files(endingIn: ".sql").contains("\(name).sql") {
      return QueryText(
        sql: try text(name) { try folder.contents(of: "\(name).sql") }, file: "\(folder.path)/\(name).sql",
        isShipped: true)
    }
    if name == "-" || access(name, F_OK) == 0 {
      return QueryText(
        sql: try text(name) { try allBytes(of: InputFile(path: name, largest: 1 << 20)) },
        file: name == "-" ? "standard input" : name)
    }
    guard name.contains(where: \.isWhitespace) else {
      let names = shipped().map(\.name).joined(separator: ", ")
      throw Failure(
        .wrongCommandLine,
        "there is no question '\(name)' and no such file\(names.isEmpty ? "; no folder 'queries' was found (set CALLQA_HOME)" : ": there are \(names)")"
      )
    }
    return QueryText(sql: name)
  }

  /// Adds file and line to SQL errors in a file.
  func placed<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError where error.kind == .sql {
      guard let file else { throw error }
      let remedy = error.remedy.map { "; \($0)" } ?? ""
      throw Failure(.wrongCommandLine, PlacedError(file, error.line, error.what + remedy).description)
    }
  }

  private static func text(_ name: String, _ read: () throws -> [UInt8]) throws -> String {
    do {
      return String(decoding: try read(), as: UTF8.self)
    } catch let error as BytesError {
      throw Failure(.wrongCommandLine, "\(name): \(error.reason)")
    }
  }
}
