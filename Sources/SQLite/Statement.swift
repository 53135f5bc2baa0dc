import CallModel
import CSQLite
import Glibc

/// A compiled statement. As in SQLite, parameters are numbered from 1 and columns from 0.
package final class Statement {
  package let handle: OpaquePointer
  private unowned let connection: Connection

  package init(_ handle: OpaquePointer, of connection: Connection) {
    self.handle = handle
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  /// Whether it was compiled from a text.
  package func isMade(of sql: String) -> Bool {
    guard let own = sqlite3_sql(handle) else { return false }
    return sql.utf8.withContiguousStorageIfAvailable { text in
      strlen(own) == text.count && text.baseAddress.map { memcmp(own, $0, text.count) == 0 } ?? false
    } ?? false
  }

  /// Moves to the next row; false at the end, where the statement is reset.
  package func step() throws -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    if code == SQLITE_DONE {
      sqlite3_reset(handle)
      return false
    }
    let error = connection.error(code, doing: sqlite3_sql(handle).map { String(cString: $0) })
    sqlite3_reset(handle)
    throw error
  }

  /// Runs all steps.
  package func run() throws {
    while try step() {}
  }

  /// Resets the statement and clears its parameters.
  package func clear() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  package func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }
  package func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }
  package func bindNull(_ index: Int32) { sqlite3_bind_null(handle, index) }

  package func bind(_ index: Int32, _ value: String) {
    var value = value
    _ = value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { text in
        // An empty string may have no base address, and a null pointer would bind NULL.
        guard let base = text.baseAddress else { return cqa_bind_text(handle, index, "", 0) }
        return cqa_bind_text(handle, index, base, Int32(clamping: text.count))
      }
    }
  }

  package func bind(_ index: Int32, _ cell: Cell) {
    switch cell {
    case .null: bindNull(index)
    case .integer(let value): bind(index, value)
    case .real(let value): bind(index, value)
    case .text(let value): bind(index, value)
    case .blob(let bytes):
      _ = bytes.withUnsafeBytes { cqa_bind_blob(handle, index, $0.baseAddress, Int32(clamping: $0.count)) }
    }
  }

  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
  package func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  package func optionalInt(_ column: Int32) -> Int? {
    isNull(column) ? nil : cell(column).integer.map { Int($0) }
  }
  package func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }
  package func optionalDouble(_ column: Int32) -> Double? {
    isNull(column) ? nil : Cell.bounded(sqlite3_column_double(handle, column))
  }
  /// The number as it is stored, however large.
  package func storedDouble(_ column: Int32) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(handle, column)
  }
  package func optionalText(_ column: Int32) -> String? {
    guard let bytes = sqlite3_column_text(handle, column) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
  package func text(_ column: Int32) -> String { optionalText(column) ?? "" }

  package func cell(_ column: Int32) -> Cell {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: return .integer(int64(column))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(handle, column))
    case SQLITE_TEXT: return .text(text(column))
    case SQLITE_BLOB:
      let bytes = UnsafeRawBufferPointer(
        start: sqlite3_column_blob(handle, column), count: Int(sqlite3_column_bytes(handle, column)))
      return .blob(Array(bytes))
    default: return .null
    }
  }

  package var columnNames: [String] {
    (0..<sqlite3_column_count(handle)).map { index in
      sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
    }
  }
}
