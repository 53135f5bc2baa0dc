import CallModel

/// Values as JSON text.
public enum JSONBytes {
  /// Appends a cell: numbers without loss, unknown and not-a-number as null, bytes as hexadecimal text.
  public static func append(_ cell: Cell, to bytes: inout [UInt8]) {
    switch cell {
    case .null: bytes += Array("null".utf8)
    case .integer(let value): bytes += Array(String(value).utf8)
    case .real(let value): append(value, to: &bytes)
    case .text(let value): append(value, to: &bytes)
    case .blob(let value): append(CellText.hexadecimal(value), to: &bytes)
    }
  }

  /// Appends a number in the shortest form that reads back as the same one; whole numbers have no point.
  public static func append(_ value: Double, to bytes: inout [UInt8]) {
    bytes += Array((value.isFinite ? CellText.shortest(value) : "null").utf8)
  }

  /// Appends a quoted text. Control and bidirectional characters are escaped, so that neither a terminal nor a page obeys them.
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
