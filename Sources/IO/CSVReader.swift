import Bytes
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

/// One row of a table. It is filled again for the next one.
public final class CSVRow {
  /// The number of the row in its source, from 1.
  public fileprivate(set) var number = 0
  /// How many cells were left out because a row has no more than `mostCells`.
  public fileprivate(set) var leftOut = 0
  /// The most cells kept of a row, and the most bytes of one cell.
  public static let mostCells = 2000
  public static let longestCell = 1 << 20

  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  /// The number of cells.
  public var count: Int { ends.count }

  /// The text of a cell, without its quotation marks; nil beyond the last one. What is no UTF-8 is Latin-1, as
  /// spreadsheets write it.
  public func text(_ cell: Int) -> String? {
    guard ends.indices.contains(cell) else { return nil }
    let bytes = bytes[(cell == 0 ? 0 : ends[cell - 1])..<ends[cell]]
    return String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// All cells.
  public var texts: [String] { ends.indices.compactMap(text) }

  /// The cells as bytes, for a copy of the row.
  public var packed: [UInt8] {
    var packed: [UInt8] = []
    packed.reserveCapacity(4 * (ends.count + 1) + bytes.count)
    for number in [ends.count] + ends {
      withUnsafeBytes(of: UInt32(clamping: number).littleEndian) { packed.append(contentsOf: $0) }
    }
    return packed + bytes
  }

  /// A copy of a row from `packed`.
  public init(packed: [UInt8], number: Int) {
    self.number = number
    packed.withUnsafeBytes { raw in
      func word(_ index: Int) -> Int {
        Int(UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)))
      }
      ends = (0..<word(0)).map { word($0 + 1) }
      bytes = Array(raw.dropFirst(4 * (ends.count + 1)))
    }
  }

  fileprivate init() {}

  fileprivate func append(_ cell: UnsafeRawBufferPointer) {
    guard ends.count < Self.mostCells else { return leftOut += 1 }
    bytes.append(contentsOf: cell)
    ends.append(bytes.count)
  }

  fileprivate func clear() {
    leftOut = 0
    bytes.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}

extension CSVReader {
  /// Passes the rows of a table one by one, lenient about quotation marks; the body returns whether to go on. Blank lines
  /// are no rows. Throws `BytesError` for a cell that is too long, as after a quotation mark that is never closed, and
  /// any error of the source and the body.
  public static func forEachRow(
    of source: any ByteSource, separator: UInt8, _ body: @escaping (CSVRow) throws -> Bool
  ) throws {
    var parser = csv_parser()
    guard csv_init(&parser, 0) == 0 else { throw Failure(reason: "libcsv does not start") }
    defer { csv_free(&parser) }
    csv_set_delim(&parser, separator)
    let rows = PassedRows(body)
    let context = Unmanaged.passUnretained(rows).toOpaque()
    let field: @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeMutableRawPointer?) -> Void = {
      data, count, context in
      guard let context else { return }
      Unmanaged<PassedRows>.fromOpaque(context).takeUnretainedValue().row.append(
        UnsafeRawBufferPointer(start: data, count: count))
    }
    let line: @convention(c) (Int32, UnsafeMutableRawPointer?) -> Void = { _, context in
      guard let context else { return }
      Unmanaged<PassedRows>.fromOpaque(context).takeUnretainedValue().pass()
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    var isFirst = true
    while !rows.isOver {
      var count = try source.read(into: buffer)
      guard count > 0 else { break }
      var start = 0
      if isFirst, buffer.prefix(min(3, count)).elementsEqual([0xEF, 0xBB, 0xBF]) {
        start = 3
        count -= 3
      }
      isFirst = false
      _ = csv_parse(&parser, buffer.baseAddress.map { $0 + start }, count, field, line, context)
      if let failure = rows.failure { throw failure }
      guard csv_get_buffer_size(&parser) <= 2 * CSVRow.longestCell else {
        throw BytesError(
          .tooLarge,
          "a cell after row \(rows.row.number) is longer than \(CSVRow.longestCell) bytes: is a quotation mark not closed?"
        )
      }
    }
    if !rows.isOver { csv_fini(&parser, field, line, context) }
    if let failure = rows.failure { throw failure }
  }

  private final class PassedRows {
    let row = CSVRow()
    let body: (CSVRow) throws -> Bool
    var isOver = false
    var failure: (any Error)?

    init(_ body: @escaping (CSVRow) throws -> Bool) { self.body = body }

    func pass() {
      defer { row.clear() }
      guard !isOver else { return }
      row.number += 1
      do { if try !body(row) { isOver = true } } catch { (failure, isOver) = (error, true) }
    }
  }
}
