/// Whether the tables and views of a database are those of this version: a flipped bit in their text shows nowhere else.
extension Store {
  static let schemaRule = "tables and views are those of this version"

  /// Every table, column and view that is missing, or cannot be read; nil where all are there.
  func schemaProblem() throws -> Problem? {
    let fresh = try Store(path: ":memory:", access: .memory)
    let wanted = try fresh.connection.rows(
      """
      SELECT m.name, m.type, p.name FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS p
      WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite~_%' ESCAPE '~'
      ORDER BY m.type, m.name, p.cid
      """, body: { (name: $0.text(0), isView: $0.text(1) == "view", column: $0.text(2)) })
    var wrong: [String] = []
    let tables = Dictionary(grouping: wanted.filter { !$0.isView }, by: \.name)
    for (name, columns) in tables.sorted(by: { $0.key < $1.key }) {
      let there = Set(try connection.rows("SELECT name FROM pragma_table_info(?)", name) { $0.text(0) })
      if there.isEmpty {
        wrong.append("table \(name) is not there")
      } else if let column = columns.first(where: { !there.contains($0.column) }) {
        wrong.append("table \(name) has no column \(column.column)")
      }
    }
    for name in Set(wanted.filter(\.isView).map(\.name)).sorted() {
      do {
        _ = try connection.prepare("SELECT * FROM \(name) LIMIT 0")
      } catch let error as StoreError {
        wrong.append("view \(name) cannot be read: \(error.what)")
      }
    }
    return wrong.first.map { Problem(rule: Self.schemaRule, count: wrong.count, example: $0) }
  }

  /// What is wrong with the tables of a database, for an error of SQL that nobody wrote; nil where they are as they should be.
  public static func damage(ofSchemaAt path: String) -> StoreError? {
    guard let store = try? Store(path: path, access: .read), let problem = try? store.schemaProblem() else {
      return nil
    }
    return StoreError(
      .damaged, path: path, "the database is damaged (\(problem.example))",
      remedy: "restore it, or import the sources into a new one")
  }
}
