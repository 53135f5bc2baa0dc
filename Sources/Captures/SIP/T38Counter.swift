/// Fax over UDPTL (T.38) that passed on a path: it is counted, and not read.
struct T38Counter {
  private(set) var datagrams = 0
  private(set) var firstNs: Int64 = 0
  private(set) var lastNs: Int64 = 0

  /// Takes a datagram to an address that the call gave over to fax.
  mutating func take(_ timeNs: Int64) {
    if datagrams == 0 { firstNs = timeNs }
    datagrams += 1
    lastNs = max(lastNs, timeNs)
  }
}
