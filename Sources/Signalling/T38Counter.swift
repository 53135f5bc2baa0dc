/// Fax over UDPTL (T.38) that passed on a path: it is counted, and not read.
public struct T38Counter {
  public private(set) var datagrams = 0
  public private(set) var firstNs: Int64 = 0
  public private(set) var lastNs: Int64 = 0

  public init() {}

  /// Takes a datagram to an address that the call gave over to fax.
  public mutating func take(_ timeNs: Int64) {
    if datagrams == 0 { firstNs = timeNs }
    datagrams += 1
    lastNs = max(lastNs, timeNs)
  }
}
