import CCSV

/// Reads CSV with libcsv.
public enum CSVReader {
  /// Why bytes are not CSV.
  public struct Failure: Error, Sendable {
    public var reason: String
  }

  /// Rows of fields, unquoted, without a byte order mark. Throws `Failure`.
  public static func rows(of file: [UInt8]) throws -> [[String]] {
    let bytes = Array(file.starts(with: [0xEF, 0xBB, 0xBF]) ? file.dropFirst(3) : file[...])
    var parser = csv_parser()
    guard csv_init(&parser, UInt8(CSV_STRICT)) == 0 else { throw Failure(reason: "libcsv does not start") }
    defer { csv_free(&parser) }
    let table = Table()
    let context = Unmanaged.passUnretained(table).toOpaque()
    let field: @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Void = {
      data, count, context in
      guard let context else { return }
      let text = UnsafeRawBufferPointer(start: data, count: count)
      Unmanaged<Table>.fromOpaque(context).takeUnretainedValue().row.append(
        String(decoding: text, as: UTF8.self))
    }
    let line: @convention(c) (Int32, UnsafeMutableRawPointer?) -> Void = { _, context in
      guard let context else { return }
      let table = Unmanaged<Table>.fromOpaque(context).takeUnretainedValue()
      table.rows.append(table.row)
      table.row = []
    }
    let read = csv_parse(&parser, bytes, bytes.count, field, line, context)
    guard read == bytes.count else {
      // The parser says no more than that it is none: `error parsing data while strict checking enabled`.
      let line = 1 + bytes[..<min(read, bytes.count)].count { $0 == UInt8(ascii: "\n") }
      let isSyntax = csv_error(&parser) == CSV_EPARSE
      throw Failure(
        reason: isSyntax
          ? "line \(line) is not CSV: a quotation mark where RFC 4180 allows none"
          : String(cString: csv_strerror(csv_error(&parser))))
    }
    csv_fini(&parser, field, line, context)
    return table.rows
  }

  private final class Table {
    var rows: [[String]] = []
    var row: [String] = []
  }
}
