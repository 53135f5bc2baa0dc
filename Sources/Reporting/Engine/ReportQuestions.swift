import CallModel
import Rendering
import SQLite

/// Results that callqa computes itself instead of querying; the raw value is the name used in a definition.
enum ComputedAnswer: String {
  case verdicts, gates, changes
}

/// Runs the queries of a report and keeps the results.
struct ReportQuestions {
  var rows: any RowSource
  var definition: ReportDefinition
  /// Folder of the shipped queries.
  var library: String
  var parameters: [String: Cell]
  /// The instant after the last reported call, ms since the epoch; nil if no call has a time.
  var runEndMs: Double?

  /// Parameters that depend on the judgement. Queries without any of them can run before it is made.
  private static let judged: Set<String> = ["blocked", "news", "slow", "late"]

  /// A query of the definition that runs in SQL.
  struct Asked: Sendable {
    let name: String
    let path: String
    let question: RowQuestion
    let isOfJudgement: Bool

    /// A copy with the parameters that depend on the judgement.
    func given(_ parameters: [String: Cell]) -> Asked {
      Asked(name: name, path: path, question: question.given(parameters), isOfJudgement: isOfJudgement)
    }
  }

  /// The SQL queries that depend on the judgement, or those that do not. Throws an error in the definition.
  func asked(ofJudgement: Bool) throws -> [Asked] {
    let names = Set(definition.queries.map(\.name))
    return try definition.queries.filter { query in
      ComputedAnswer(rawValue: query.source) == nil
        && (!names.contains(query.source) || query.source == query.name)
    }.map(question).filter { $0.isOfJudgement == ofJudgement }
  }

  /// The results, by query name; throws SQL errors with their file.
  func answers(to asked: [Asked]) throws -> [String: Table] {
    let tables = try rows.tables(asked.map(\.question))
    var answers: [String: Table] = [:]
    for (query, table) in zip(asked, tables) { answers[query.name] = try placed(query.path, table.get) }
    return answers
  }

  /// The result of every query by name, given those of the SQL queries; throws an error in the definition.
  func answers(own: [ComputedAnswer: Table], asked: [String: Table]) throws -> [String: Table] {
    var answers = asked
    for query in definition.queries {
      let table = ComputedAnswer(rawValue: query.source).map { own[$0] } ?? answers[query.source]
      if let table { answers[query.name] = table }
    }
    for query in definition.queries { answers[query.name] = try filtered(query, answers) }
    for query in definition.queries {
      for join in query.joins { answers[query.name] = try joined(query, join, answers) }
    }
    for query in definition.queries { answers[query.name] = try ordered(query, answers) }
    try checkColumns(answers)
    return answers
  }

  private func filtered(_ query: QueryPart, _ answers: [String: Table]) throws -> Table? {
    guard let only = query.only, var table = answers[query.name] else { return answers[query.name] }
    guard table.index(of: only.column) != nil else {
      throw missing(only.column, in: query.name, table, only.line)
    }
    table.rows = table.rows.filter { only.values.contains(table.cell($0, only.column).string ?? "") }
    return table
  }

  private func ordered(_ query: QueryPart, _ answers: [String: Table]) throws -> Table? {
    guard let order = query.order, var table = answers[query.name] else { return answers[query.name] }
    guard table.index(of: order.column) != nil else {
      throw missing(order.column, in: query.name, table, order.line)
    }
    func rank(_ row: [Cell]) -> Int {
      order.values.firstIndex(of: table.cell(row, order.column).string ?? "") ?? order.values.count
    }
    let ranked = table.rows.enumerated().sorted {
      (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
    }
    table.rows = ranked.map(\.element)
    return table
  }

  private func missing(_ column: String, in query: String, _ table: Table, _ line: Int) -> PlacedError {
    let near = Spelling.nearest(to: column, among: table.columns).map { "; did you mean '\($0)'?" } ?? "."
    return PlacedError(
      definition.file, line,
      "query '\(query)' has no column '\(column)'\(near) It has: \(table.columns.joined(separator: ", "))")
  }

  private func joined(_ query: QueryPart, _ join: QueryJoin, _ answers: [String: Table]) throws -> Table? {
    guard let table = answers[query.name], let other = answers[join.name] else { return answers[query.name] }
    guard table.index(of: join.key) != nil, other.index(of: join.key) != nil else {
      throw PlacedError(
        definition.file, join.line,
        "the queries '\(query.name)' and '\(join.name)' do not both have a column '\(join.key)'")
    }
    return table.joined(with: join.isList ? other.listed(by: join.key) : other, on: join.key)
  }

  /// The SQL and parameters of a query, with its file; throws if a parameter is set that the query does not have.
  private func question(_ query: QueryPart) throws -> Asked {
    let file = query.source.hasSuffix(".sql") ? query.source : query.source + ".sql"
    let (path, sql) = try text(file, line: query.sourceLine)
    let known = try placed(path) { try rows.parameters(of: sql) }
    var given = parameters
    for setting in query.settings {
      guard known.contains(setting.name) else {
        let list = known.isEmpty ? "it has none" : "it has: \(known.joined(separator: ", "))"
        throw PlacedError(
          definition.file, setting.line, "\(file) has no parameter ':\(setting.name)'; \(list)")
      }
      given[setting.name] =
        setting.value == "run-end"
        ? .of(runEndMs) : Double(setting.value).map { .real($0) } ?? .text(setting.value)
    }
    let names = Set(given.keys).union(Self.judged)
    for name in known where !names.contains(name) {
      guard let near = Spelling.nearest(to: name, among: names.sorted()) else { continue }
      throw PlacedError(
        path, SQLPlace.line(of: name, in: sql), "nothing gives ':\(name)' a value; did you mean ':\(near)'?")
    }
    return Asked(
      name: query.name, path: path, question: RowQuestion(sql, given),
      isOfJudgement: !Self.judged.isDisjoint(with: known))
  }

  /// Runs a query by its file name, from the report's folder or else from the shipped ones.
  func table(named name: String) throws -> Table {
    let (path, sql) = try text(name, line: nil)
    return try placed(path) { try rows.table(sql, parameters) }
  }

  /// As `table(named:)`, row by row; `columns` is called once, first.
  func forEachRow(
    ofQuery name: String, columns: ([String]) throws -> Void, row: ([Cell]) throws -> Void
  ) throws {
    let (path, sql) = try text(name, line: nil)
    try placed(path) { try rows.forEachRow(sql, parameters, columns: columns, row: row) }
  }

  private func text(_ file: String, line: Int?) throws -> (path: String, sql: String) {
    guard !file.hasPrefix("/"), !file.split(separator: "/").contains("..") else {
      throw PlacedError(definition.file, line, "'\(file)' is not inside the report's folder")
    }
    for folder in [definition.folder, library] {
      guard let bytes = try? FileBytes.read("\(folder)/\(file)", atMost: 1 << 20) else { continue }
      return ("\(folder)/\(file)", String(decoding: bytes, as: UTF8.self))
    }
    throw PlacedError(definition.file, line, "there is no \(file) in \(definition.folder) nor in \(library)")
  }

  /// Adds the file name to SQL errors; other database errors are passed on unchanged.
  private func placed<Result>(_ file: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as StoreError where error.kind == .sql {
      throw PlacedError(file, error.line, error.what + (error.remedy.map { "; \($0)" } ?? ""))
    }
  }

  /// Throws if the page names a column that its query does not return.
  private func checkColumns(_ answers: [String: Table]) throws {
    func check(_ column: String, _ query: String, _ line: Int) throws {
      guard let table = answers[query], table.index(of: column) == nil else { return }
      throw missing(column, in: query, table, line)
    }
    for part in definition.parts {
      switch part {
      case .table(let table), .facts(let table):
        for column in table.columns { try check(column.column, table.query, column.line) }
      case .plot(let plot):
        for (column, line) in zip(plot.columns, plot.columnLines) { try check(column, plot.query, line) }
        try checkNumbers(plot, answers)
      case .verdict, .sentences, .heading, .text: break
      }
    }
  }

  /// Throws if a value drawn as a height or length is not a number.
  private func checkNumbers(_ plot: PlotPart, _ answers: [String: Table]) throws {
    guard let table = answers[plot.query] else { return }
    for (column, line) in zip(plot.columns, plot.columnLines).suffix(plot.y.count) {
      guard let word = table.rows.lazy.compactMap({ table.cell($0, column).string }).first else { continue }
      throw PlacedError(
        definition.file, line,
        "'\(column)' cannot be drawn: it holds words, such as '\(VisibleText.visible(word))', not numbers")
    }
  }
}
