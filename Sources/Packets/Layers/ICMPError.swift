/// An error with which a network or host reports that a datagram was not delivered (RFC 792, RFC 1812 section 5.2.7.1,
/// RFC 4443).
public enum ICMPError: String {
  // In the wording of the standards.
  case noRoute = "network unreachable"
  case hostUnreachable = "host unreachable"
  case protocolUnreachable = "protocol unreachable"
  case portUnreachable = "port unreachable"
  case prohibited = "communication administratively prohibited"
  case other = "destination unreachable"

  /// Nil for other messages, such as that a datagram is too long.
  init?(type: UInt8, code: UInt8, isV6: Bool) {
    switch (isV6, type, code) {
    case (false, 3, 4): return nil
    case (false, 3, 0), (false, 3, 6), (false, 3, 11), (true, 1, 0), (true, 1, 6): self = .noRoute
    case (false, 3, 1), (false, 3, 7), (false, 3, 12), (true, 1, 3): self = .hostUnreachable
    case (false, 3, 2): self = .protocolUnreachable
    case (false, 3, 3), (true, 1, 4): self = .portUnreachable
    case (false, 3, 9), (false, 3, 10), (false, 3, 13), (true, 1, 1), (true, 1, 5): self = .prohibited
    case (false, 3, _), (true, 1, _): self = .other
    default: return nil
    }
  }
}
