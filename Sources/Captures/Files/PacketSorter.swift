/// Puts packets of several interfaces in order of time, looking ahead one second at most.
final class PacketSorter {
  private struct Held {
    var timeNs: Int64
    var bytes: [UInt8]
    var wireLength: Int
    var linkType: Int32
  }

  private var held = Queue<Held>()
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
    guard let first = held.first else { return false }
    return finished || held.count >= Self.most || latestNs &- first.timeNs >= Self.windowNs
  }

  func add(_ packet: Packet) {
    latestNs = max(latestNs, packet.timeNs)
    let item = Held(
      timeNs: packet.timeNs, bytes: packet.bytes.copy(), wireLength: packet.wireLength,
      linkType: packet.linkType)
    // Packets come nearly in order: the place is near the end.
    held.insert(item) { $0.timeNs > item.timeNs }
  }

  /// No more packets will come.
  func finish() { finished = true }

  /// The earliest packet, valid until the next call.
  func next() -> Packet? {
    guard let item = held.popFirst() else { return nil }
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
