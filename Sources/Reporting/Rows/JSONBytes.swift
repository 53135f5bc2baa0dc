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

  /// Appends a quoted text.
  public static func append(_ text: some StringProtocol, to bytes: inout [UInt8]) {
    bytes.append(0x22)
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C: bytes += [0x5C, byte]
      case 0x0A: bytes += [0x5C, UInt8(ascii: "n")]
      case 0x0D: bytes += [0x5C, UInt8(ascii: "r")]
      case 0x09: bytes += [0x5C, UInt8(ascii: "t")]
      case 0..<0x20, 0x7F:
        let hex = Array("0123456789abcdef".utf8)
        bytes += Array("\\u00".utf8) + [hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      default: bytes.append(byte)
      }
    }
    bytes.append(0x22)
  }
}
