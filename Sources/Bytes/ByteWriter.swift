/// Builds text as bytes, fast enough to print millions of rows.
public struct ByteWriter {
  /// The bytes written so far.
  public private(set) var bytes: [UInt8] = []

  /// An empty writer with a reserved capacity.
  public init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// The text written so far.
  public var string: String { String(decoding: bytes, as: UTF8.self) }

  /// Removes all bytes, keeping the capacity.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Writes one byte.
  public mutating func append(byte: UInt8) { bytes.append(byte) }

  /// Writes text unchanged.
  public mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Writes bytes unchanged.
  public mutating func append(bytes more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Writes an integer in decimal.
  public mutating func append(_ value: Int) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    appendDigits(UInt64(value.magnitude), atLeast: 1)
  }

  /// Writes the shortest decimal that parses to the same double, integers without a point; `null` if it is not finite.
  public mutating func append(_ value: Double) {
    guard value.isFinite else { return append("null") }
    if let integer = Int(exactly: value), integer.magnitude < 1 << 53 { return append(integer) }
    append(value.description)
  }

  /// Writes a number with a number of decimals (0–9), rounding halves away from zero; `null` if it is not finite.
  public mutating func append(_ value: Double, decimals: Int) {
    guard value.isFinite else { return append("null") }
    let places = min(max(decimals, 0), 9)
    var scale: UInt64 = 1
    for _ in 0..<places { scale *= 10 }
    let scaled = (value.magnitude * Double(scale)).rounded(.toNearestOrAwayFromZero)
    guard scaled < 9e15 else { return append(value) }
    let digits = UInt64(scaled)
    if value < 0, digits > 0 { bytes.append(UInt8(ascii: "-")) }
    appendDigits(digits / scale, atLeast: 1)
    if places > 0 {
      bytes.append(UInt8(ascii: "."))
      appendDigits(digits % scale, atLeast: places)
    }
  }

  /// Writes a JSON string with its quotes.
  public mutating func append(json text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\r"): append("\\r")
      case UInt8(ascii: "\t"): append("\\t")
      case 0x00..<UInt8(ascii: " "):
        append("\\u00")
        append(String(byte >> 4, radix: 16))
        append(String(byte & 15, radix: 16))
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func appendDigits(_ value: UInt64, atLeast width: Int) {
    var digits: InlineArray<20, UInt8> = .init(repeating: UInt8(ascii: "0"))
    var rest = value
    var count = 0
    while rest > 0 || count < width {
      digits[count] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      count += 1
    }
    while count > 0 {
      count -= 1
      bytes.append(digits[count])
    }
  }
}
