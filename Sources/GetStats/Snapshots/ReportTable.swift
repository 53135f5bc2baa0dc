import Bytes

/// Reports in a table, one per row, as written by `pandas.DataFrame(reports).to_csv()` and spreadsheets: the columns
/// are the members.
public enum ReportTable {
  /// The source itself, or one whose lines are the rows of its table as JSON objects, with the same line numbers.
  public static func lines(_ source: any ByteSource) -> any ByteSource {
    let headed = source as? HeadedSource ?? HeadedSource(source, count: 64 << 10)
    guard let separator = headed.head.withUnsafeBufferPointer({ separator(of: $0) }) else { return headed }
    return TableLines(headed, separator)
  }

  /// Whether the first line has the members of every report, and those of streams.
  static func isTable(_ head: UnsafeBufferPointer<UInt8>) -> Bool { separator(of: head) != nil }

  private static let needed: Set = ["id", "type", "timestamp"]
  private static let figures: Set = ["ssrc", "packetsReceived", "packetsSent", "bytesReceived", "bytesSent"]

  private static func separator(of head: UnsafeBufferPointer<UInt8>) -> UInt8? {
    guard head.first != UInt8(ascii: "{"), let end = head.firstIndex(of: UInt8(ascii: "\n")) else {
      return nil
    }
    return ",;\t".utf8.first { separator in
      var row = TableRow(separator)
      for byte in head[...end] where row.take(byte) { break }
      let names = Set(row.fields.map { String(decoding: $0, as: UTF8.self) })
      return names.isSuperset(of: needed) && !names.isDisjoint(with: figures)
    }
  }
}

/// The fields of a row, byte by byte.
private struct TableRow {
  /// Longer rows are rejected: an unclosed quote would swallow the rest.
  private static let longest = 1 << 20

  private(set) var fields: [[UInt8]] = []
  private let separator: UInt8
  private var field: [UInt8] = []
  private var (isQuoted, isBehindQuote, size) = (false, false, 0)

  init(_ separator: UInt8) { self.separator = separator }

  var isEmpty: Bool { size == 0 }
  var isTooLong: Bool { size > Self.longest }

  /// True if the row ends with the byte.
  mutating func take(_ byte: UInt8) -> Bool {
    size += 1
    if isTooLong { return byte == UInt8(ascii: "\n") }
    let quote = UInt8(ascii: "\"")
    if isQuoted, !isBehindQuote {
      if byte == quote { isBehindQuote = true } else { field.append(byte) }
      return false
    }
    if isBehindQuote, byte == quote {
      field.append(quote)
      isBehindQuote = false
      return false
    }
    switch byte {
    case UInt8(ascii: "\n"):
      if field.last == UInt8(ascii: "\r") { field.removeLast() }
      endField()
      return true
    case separator: endField()
    case quote where field.isEmpty: isQuoted = true
    default: field.append(byte)
    }
    return false
  }

  mutating func begin() { self = TableRow(separator) }

  private mutating func endField() {
    fields.append(field)
    field = []
    (isQuoted, isBehindQuote) = (false, false)
  }
}

private final class TableLines: ByteSource {
  private let source: any ByteSource
  private var row: TableRow
  private var names: [String] = []
  private var out: [UInt8] = []
  private var given = 0
  private var isEnded = false
  private let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 1)

  init(_ source: any ByteSource, _ separator: UInt8) {
    self.source = source
    row = TableRow(separator)
  }

  deinit { chunk.deallocate() }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while given == out.count, !isEnded {
      (out, given) = ([], 0)
      let count = try source.read(into: chunk)
      for byte in chunk.prefix(count) where row.take(byte) { endRow() }
      if count == 0 {
        isEnded = true
        // The last line may have no line end.
        if !row.isEmpty, row.take(UInt8(ascii: "\n")) { endRow() }
      }
    }
    let count = min(buffer.count, out.count - given)
    buffer.copyBytes(from: out[given..<(given + count)])
    given += count
    return count
  }

  private func endRow() {
    defer { row.begin() }
    guard !names.isEmpty else {
      // An empty line takes its place, so that later lines keep their numbers.
      names = row.fields.map {
        String(decoding: $0.starts(with: [0xEF, 0xBB, 0xBF]) ? $0.dropFirst(3) : $0[...], as: UTF8.self)
      }
      return out.append(UInt8(ascii: "\n"))
    }
    // Not JSON, so it is rejected with its line number.
    guard !row.isTooLong else {
      out += Array("a row of over 1 MiB\n".utf8)
      return
    }
    var json = ByteWriter()
    for (name, value) in zip(names, row.fields) where !name.isEmpty && !Self.isNothing(value) {
      json.append(byte: UInt8(ascii: json.bytes.isEmpty ? "{" : ","))
      json.append(json: name)
      json.append(byte: UInt8(ascii: ":"))
      Self.append(value, isText: Self.isText(name), to: &json)
    }
    if !json.bytes.isEmpty { json.append(byte: UInt8(ascii: "}")) }
    out += json.bytes
    out.append(UInt8(ascii: "\n"))
  }

  private static func isNothing(_ value: [UInt8]) -> Bool {
    value.isEmpty
      || ["NaN", "nan", "None", "null", "NULL", "undefined"].contains(String(decoding: value, as: UTF8.self))
  }

  /// Members that are text even if they consist of digits.
  private static func isText(_ name: String) -> Bool {
    name == "id" || name.hasSuffix("Id") || ["type", "kind", "mid", "rid"].contains(name)
  }

  private static func append(_ value: [UInt8], isText: Bool, to json: inout ByteWriter) {
    if !isText {
      if value.elementsEqual("True".utf8) { return json.append("true") }
      if value.elementsEqual("False".utf8) { return json.append("false") }
      let isWhole = value.withUnsafeBufferPointer { bytes in
        var scanner = JSONScanner(bytes)
        guard (try? scanner.peek()) != .string, (try? scanner.skip()) != nil else { return false }
        return (try? scanner.finish()) != nil
      }
      if isWhole, !value.contains(UInt8(ascii: "\n")) { return json.append(bytes: value) }
    }
    json.append(json: String(decoding: value, as: UTF8.self))
  }
}
