import Bytes
import CallModel

extension ConnectionFacts {
  /// Takes a member that stands beside snapshots and says whose they are; false if it does not, and nothing was read.
  mutating func take(_ key: JSONText, _ scanner: inout JSONScanner) throws(JSONError) -> Bool {
    switch key {
    case "call", "callId": call = try Self.text(&scanner) ?? call
    case "endpoint": endpoint = try Self.text(&scanner) ?? endpoint
    case "sdk": sdk = try Self.text(&scanner) ?? sdk
    case "userAgent": userAgent = try Self.text(&scanner) ?? userAgent
    default: return false
    }
    return true
  }

  private static func text(_ scanner: inout JSONScanner) throws(JSONError) -> String? {
    guard try scanner.peek() == .string else {
      try scanner.skip()
      return nil
    }
    return try scanner.string().string
  }
}
