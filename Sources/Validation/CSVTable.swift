import Bytes

/// Rows of a CSV file as dictionaries by its header. RFC 4180 but for line breaks within quotes.
struct CSVTable {
  private let rows: [[String]]
  private let header: [String]
  private var at = 0

  /// Reads a file, which may be compressed.
  init(path: String) throws {
    var lines = LineReader(try InputFile(path: path))
    var rows: [[String]] = []
    var more = true
    while more {
      more = try lines.next { bytes, _, _ in rows.append(Self.fields(String(decoding: bytes, as: UTF8.self)))
      }
    }
    header = rows.first ?? []
    self.rows = Array(rows.dropFirst())
  }

  /// The next row; nil at the end. A column that is empty is not in it.
  mutating func next() throws -> [String: String]? {
    guard at < rows.count else { return nil }
    defer { at += 1 }
    var row: [String: String] = [:]
    for (name, value) in zip(header, rows[at]) where !value.isEmpty { row[name] = value }
    return row
  }

  private static func fields(_ line: String) -> [String] {
    var fields: [String] = []
    var field = ""
    var quoted = false
    for character in line {
      switch character {
      case "\"": quoted.toggle()
      case "," where !quoted:
        fields.append(field)
        field = ""
      default: field.append(character)
      }
    }
    return fields + [field]
  }
}
