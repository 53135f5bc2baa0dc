import CallModel

/// Asks a report's questions and keeps the answers.
struct Questions {
  var rows: any RowSource
  var definition: ReportDefinition
  /// Where shipped queries lie.
  var library: String
  var parameters: [String: Cell]
  /// The instant after the last call that is reported; nil where no call has a time.
  var runEndMs: Double?

  /// Every query's answer by its name; a mistake in SQL is thrown with its file.
  func answers(own: [String: Table]) throws -> [String: Table] {
    var answers: [String: Table] = [:]
    for query in definition.queries {
      answers[query.name] = try own[query.source] ?? table(query)
    }
    for query in definition.queries {
      for join in query.joins { answers[query.name] = try joined(query, join, answers) }
    }
    try checkColumns(answers)
    return answers
  }

  private func joined(_ query: QueryPart, _ join: QueryJoin, _ answers: [String: Table]) throws -> Table? {
    guard let table = answers[query.name], let other = answers[join.name] else { return answers[query.name] }
    guard table.index(of: join.key) != nil, other.index(of: join.key) != nil else {
      throw PlacedError(
        definition.file, query.line,
        "the queries '\(query.name)' and '\(join.name)' do not both have a column '\(join.key)'")
    }
    return table.joined(with: join.isList ? other.listed(by: join.key) : other, on: join.key)
  }

  /// A query by its file's name: in the report's folder, else among the shipped ones.
  func table(named name: String) throws -> Table {
    try run(name.hasSuffix(".sql") ? name : name + ".sql", parameters, line: nil)
  }

  private func table(_ query: QueryPart) throws -> Table {
    var given = parameters
    for (name, value) in query.settings {
      given[name] = value == "run-end" ? .of(runEndMs) : Double(value).map { .real($0) } ?? .text(value)
    }
    return try run(
      query.source.hasSuffix(".sql") ? query.source : query.source + ".sql", given, line: query.line)
  }

  private func run(_ file: String, _ parameters: [String: Cell], line: Int?) throws -> Table {
    guard !file.hasPrefix("/"), !file.split(separator: "/").contains("..") else {
      throw PlacedError(definition.file, line, "'\(file)' is not inside the report's folder")
    }
    for folder in [definition.folder, library] {
      guard let bytes = try? FileBytes.read("\(folder)/\(file)", atMost: 1 << 20) else { continue }
      do {
        return try rows.table(String(decoding: bytes, as: UTF8.self), parameters)
      } catch {
        throw PlacedError("\(folder)/\(file)", nil, "\(error)")
      }
    }
    throw PlacedError(definition.file, line, "there is no \(file) in \(definition.folder) nor in \(library)")
  }

  /// Every column that the page names must be in its answer.
  private func checkColumns(_ answers: [String: Table]) throws {
    func check(_ column: String, _ query: String, _ line: Int) throws {
      guard let table = answers[query], table.index(of: column) == nil else { return }
      let near = Spelling.nearest(to: column, among: table.columns).map { "; did you mean '\($0)'?" } ?? "."
      throw PlacedError(
        definition.file, line,
        "query '\(query)' has no column '\(column)'\(near) It has: \(table.columns.joined(separator: ", "))")
    }
    for part in definition.parts {
      switch part {
      case .table(let table), .facts(let table):
        for column in table.columns { try check(column.column, table.query, column.line) }
      case .plot(let plot):
        for column in [plot.x] + plot.y.map(\.column) + [plot.series].compactMap({ $0 }) {
          try check(column, plot.query, plot.line)
        }
      case .verdict, .sentences, .heading, .text: break
      }
    }
  }
}
