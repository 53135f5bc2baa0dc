import Bytes

/// Tells a HAR, a browser's record of its requests (HAR 1.2): one member `log`, with the members that it has.
enum HARShape {
  static func isHAR(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    var scanner = JSONScanner(head)
    guard (try? scanner.peek()) == .object, (try? scanner.beginObject()) != nil,
      let key = (try? scanner.nextKey()) ?? nil, key == "log", (try? scanner.beginObject()) != nil
    else { return false }
    while let key = (try? scanner.nextKey()) ?? nil {
      switch key {
      case "entries", "pages": return (try? scanner.peek()) == .array
      case "version", "creator", "browser", "comment": if (try? scanner.skip()) == nil { return false }
      default: return false
      }
    }
    return false
  }
}
