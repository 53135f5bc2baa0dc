import Bytes
import CallModel

/// Rows as JSON objects: dotted names nest, marked names embed (`RowColumn`), numbers keep full precision, unknown is
/// null.
public struct JSONObjects {
  private let columns: [RowColumn]
  /// The bytes before each value (braces, commas and names), which are the same for every row.
  private let before: [[UInt8]]
  private let after: [UInt8]

  /// Objects with one member per column.
  public init(columns names: [String]) { self.init(names.map(RowColumn.init)) }

  package init(_ columns: [RowColumn]) {
    self.columns = columns
    var open: [String] = []
    var before: [[UInt8]] = []
    for (index, column) in columns.enumerated() {
      let outer = Array(column.path.dropLast())
      let shared = zip(open, outer).prefix { $0 == $1 }.count
      var text: [UInt8] = index == 0 ? [UInt8(ascii: "{")] : []
      text += [UInt8](repeating: UInt8(ascii: "}"), count: open.count - shared)
      if index > 0 { text.append(UInt8(ascii: ",")) }
      for name in outer[shared...] {
        JSONBytes.append(name, to: &text)
        text += Array(":{".utf8)
      }
      JSONBytes.append(column.path.last ?? column.name, to: &text)
      text.append(UInt8(ascii: ":"))
      before.append(text)
      open = outer
    }
    self.before = before
    after =
      Array((columns.isEmpty ? "{" : "").utf8) + [UInt8](repeating: UInt8(ascii: "}"), count: open.count + 1)
  }

  /// Appends the object of a row, without a line end.
  public func append(_ cells: [Cell], to bytes: inout [UInt8]) {
    for (index, column) in columns.enumerated() {
      bytes += before[index]
      append(cells.cell(index), column.kind, to: &bytes)
    }
    bytes += after
  }

  /// The object of a row.
  package func bytes(of cells: [Cell]) -> [UInt8] {
    var bytes: [UInt8] = []
    append(cells, to: &bytes)
    return bytes
  }

  private func append(_ cell: Cell, _ kind: RowColumn.Kind, to bytes: inout [UInt8]) {
    switch (kind, cell) {
    case (.flag, .integer(let value)): bytes += Array((value == 0 ? "false" : "true").utf8)
    case (.json, .text(let json)) where Self.isJSON(json):
      // In valid JSON, line ends occur only between tokens. Replace them, because a record must stay on one line.
      bytes += json.utf8.lazy.map {
        $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0
      }
    default: JSONBytes.append(cell, to: &bytes)
    }
  }
}

extension JSONObjects {
  /// Whether a text is one JSON value: a column may be named like one, and hold anything.
  package static func isJSON(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      var scanner = JSONScanner(bytes)
      do {
        _ = try scanner.skip()
        try scanner.finish()
        return true
      } catch {
        return false
      }
    }
  }
}

/// Values as JSON text.
public enum JSONBytes {
  /// Appends a cell: numbers at full precision, unknown and NaN as null, bytes as hexadecimal text.
  public static func append(_ cell: Cell, to bytes: inout [UInt8]) {
    switch cell {
    case .null: bytes += Array("null".utf8)
    case .integer(let value): bytes += Array(String(value).utf8)
    case .real(let value): append(value, to: &bytes)
    case .text(let value): append(value, to: &bytes)
    case .blob(let value): append(CellText.hexadecimal(value), to: &bytes)
    }
  }

  /// Appends a number in the shortest form that reads back as the same number; integers have no decimal point.
  public static func append(_ value: Double, to bytes: inout [UInt8]) {
    bytes += Array((value.isFinite ? CellText.shortest(value) : "null").utf8)
  }

  /// Appends a quoted string. Control and bidirectional characters are escaped, so that neither a terminal nor a page
  /// interprets them.
  public static func append(_ text: some StringProtocol, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      for byte in text.utf8 { append(ascii: byte, to: &bytes) }
    } else {
      for scalar in text.unicodeScalars {
        if scalar.isASCII {
          append(ascii: UInt8(truncatingIfNeeded: scalar.value), to: &bytes)
        } else if VisibleText.substitute(scalar) != nil, let unit = UInt16(exactly: scalar.value) {
          append(escaped: unit, to: &bytes)
        } else {
          bytes += Array(String(scalar).utf8)
        }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func append(ascii byte: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
    case UInt8(ascii: "\r"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
    case UInt8(ascii: "\t"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
    case 0..<UInt8(ascii: " "), 0x7F: append(escaped: UInt16(byte), to: &bytes)
    default: bytes.append(byte)
    }
  }

  private static func append(escaped unit: UInt16, to bytes: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    bytes += [UInt8(ascii: "\\"), UInt8(ascii: "u")]
    for shift in [12, 8, 4, 0] { bytes.append(digits[Int(unit >> UInt16(shift) & 15)]) }
  }
}
