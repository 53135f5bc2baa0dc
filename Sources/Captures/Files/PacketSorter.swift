/// Puts packets of several interfaces in order of time, looking ahead one second at most.
final class PacketSorter {
  private struct Held {
    var timeNs: Int64
    var order: Int
    var bytes: [UInt8]
    var wireLength: Int
    var linkType: Int32
  }

  /// Sorted, the earliest last.
  private var held: [Held] = []
  private var arrivals = 0
  private var latestNs = Int64.min
  private var finished = false
  /// Where the packet last handed out stands.
  private var current = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  /// How far ahead to look, and how many packets to hold for that.
  private static let windowNs: Int64 = 1_000_000_000
  private static let most = 4096

  deinit { current.deallocate() }

  /// Whether the earliest packet may go.
  var isReady: Bool {
    guard let first = held.last else { return false }
    return finished || held.count >= Self.most || latestNs &- first.timeNs >= Self.windowNs
  }

  func add(_ packet: Packet) {
    latestNs = max(latestNs, packet.timeNs)
    let item = Held(
      timeNs: packet.timeNs, order: arrivals, bytes: packet.bytes.copy(), wireLength: packet.wireLength,
      linkType: packet.linkType)
    arrivals += 1
    // Packets come nearly in order: the place is near the front, where the latest are.
    var at = 0
    while at < held.count && (held[at].timeNs, held[at].order) > (item.timeNs, item.order) { at += 1 }
    held.insert(item, at: at)
  }

  /// No more packets will come.
  func finish() { finished = true }

  /// The earliest packet, valid until the next call.
  func next() -> Packet? {
    guard let item = held.popLast() else { return nil }
    if item.bytes.count > current.count {
      current.deallocate()
      current = .allocate(byteCount: item.bytes.count, alignment: 16)
    }
    current.copyBytes(from: item.bytes)
    guard let base = current.baseAddress else { return nil }
    return Packet(
      bytes: Octets(base, count: item.bytes.count), wireLength: item.wireLength, timeNs: item.timeNs,
      linkType: item.linkType)
  }
}
