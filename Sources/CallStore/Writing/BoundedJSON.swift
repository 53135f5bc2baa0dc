import CallModel

/// Keeps the JSON that is stored within what SQLite's functions can read: they refuse a text that is nested deeper than
/// 1,000 or 2,000 levels, depending on the version, and with it every query that looks into it.
enum BoundedJSON {
  private static let deepest = Limit.nesting.value
  private static let mark = "\"[nested deeper]\""

  /// The text, with what is nested deeper than the limit replaced by a mark.
  static func bounded(_ json: String) -> String {
    // Each level has an opening and a closing bracket.
    guard json.utf8.count > 2 * deepest else { return json }
    var json = json
    return json.withUTF8(cut).map { String(decoding: $0, as: UTF8.self) } ?? json
  }

  /// Nil if nothing is too deep.
  private static func cut(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var out: [UInt8] = []
    var (depth, copied, at) = (0, 0, 0)
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""):
        at += 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
          at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth == deepest + 1 {
          out += bytes[copied..<at]
          out += mark.utf8
        }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == deepest + 1 { copied = at + 1 }
        depth -= 1
      default: break
      }
      at += 1
    }
    guard copied > 0 else { return nil }
    return out + bytes[copied...]
  }
}
