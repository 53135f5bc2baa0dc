import Bytes

extension LogTime {
  /// Log4j's `{"epochSecond":1795168800,"nanoOfSecond":123000000}` in milliseconds, nil where it is none.
  static func instantMs(_ json: UnsafeBufferPointer<UInt8>) -> String? {
    guard json.first == UInt8(ascii: "{"), json.count <= 128, let members = try? LogArguments(object: json),
      let seconds = members.text("epochSecond").flatMap(Double.init),
      let nanoseconds = members.text("nanoOfSecond").flatMap(Double.init)
    else { return nil }
    var out = ByteWriter()
    out.append(seconds * 1000 + (nanoseconds / 1e6).rounded())
    return out.string
  }
}
