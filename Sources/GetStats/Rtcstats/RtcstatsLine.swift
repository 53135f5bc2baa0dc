import Bytes

/// One event of an rtcstats dump: `[method, connection, argument, …, time]`.
struct RtcstatsLine {
  var method = ""
  var connection: [UInt8]?
  var value: UnsafeBufferPointer<UInt8>?
  /// The last element, if it is a number, and the fourth one: where the time is depends on the dialect.
  var last: Double?
  var fourth: Double?
  var count = 0

  /// Reads an array. Throws `JSONError`; nil if the value is no array.
  init?(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) {
    var scanner = JSONScanner(bytes)
    guard try scanner.peek() == .array else { return nil }
    try scanner.beginArray()
    while try scanner.nextElement() {
      try take(&scanner)
      count += 1
    }
    try scanner.finish()
  }

  private mutating func take(_ scanner: inout JSONScanner) throws(JSONError) {
    let kind = try scanner.peek()
    switch count {
    case 0:
      method =
        kind == .string
        ? try scanner.string().string : String(decoding: try scanner.skip(), as: UTF8.self)
      method = RtcstatsNumbers.method(method)
    case 1:
      if kind == .string {
        connection = try scanner.string().decoded()
      } else {
        let bytes = try scanner.skip()
        if kind == .number { connection = Array(bytes) }
      }
    case 2: value = try scanner.skip()
    default:
      let place = scanner
      try scanner.skip()
      last = nil
      if kind == .number {
        var number = place
        last = try number.number()
        if count == 3 { fourth = last }
      }
    }
  }
}
