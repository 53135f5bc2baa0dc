/// Fax over UDPTL (T.38) on a path, which is counted but not decoded.
public struct T38Counter {
  /// How many each end sent.
  public private(set) var sent = [0, 0]
  public private(set) var firstNs: Int64 = 0
  public private(set) var lastNs: Int64 = 0

  public init() {}

  public var datagrams: Int { sent[0] + sent[1] }

  /// Takes a datagram of an end to an address that the call switched to fax.
  public mutating func take(from end: Int, at timeNs: Int64) {
    if datagrams == 0 { firstNs = timeNs }
    sent[end] += 1
    lastNs = max(lastNs, timeNs)
  }
}
