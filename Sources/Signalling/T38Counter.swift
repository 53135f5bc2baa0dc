/// Fax over UDPTL (T.38) on a path, which is counted but not decoded.
public struct T38Counter {
  public private(set) var datagrams = 0
  public private(set) var firstNs: Int64 = 0
  public private(set) var lastNs: Int64 = 0

  public init() {}

  /// Takes a datagram to an address that the call switched to fax.
  public mutating func take(_ timeNs: Int64) {
    if datagrams == 0 { firstNs = timeNs }
    datagrams += 1
    lastNs = max(lastNs, timeNs)
  }
}
