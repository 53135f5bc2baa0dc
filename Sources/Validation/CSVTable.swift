import IO

/// Rows of a CSV file as dictionaries keyed by its header.
struct CSVTable {
  private let rows: ArraySlice<[String]>
  private let header: [String]
  private var at: Int

  /// Reads a file, which may be compressed.
  init(path: String) throws {
    let lines = try CSVReader.rows(of: allBytes(of: InputFile(path: path)))
    header = lines.first ?? []
    rows = lines.dropFirst()
    at = rows.startIndex
  }

  /// The next row; nil at the end. Empty columns are left out.
  mutating func next() throws -> [String: String]? {
    guard at < rows.endIndex else { return nil }
    defer { at += 1 }
    var row: [String: String] = [:]
    for (name, value) in zip(header, rows[at]) where !value.isEmpty { row[name] = value }
    return row
  }
}
