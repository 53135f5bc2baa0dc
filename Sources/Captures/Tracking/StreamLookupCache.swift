import Packets

/// Finds the stream of a packet from bytes at fixed positions in the frame, so that the packet need not be
/// parsed first.
///
/// Nearly all packets in a capture of media belong to known streams, in nearly the same order each time.
/// Entries are valid until anything else is captured, which changes the generation.
final class StreamLookupCache {
  /// The bytes that identify the stream: IPv4 addresses, UDP ports and SSRC, in the order of the packet.
  struct Key {
    fileprivate var addresses: UInt64
    fileprivate var ports: UInt32
    fileprivate var ssrc: UInt32

    /// The key of an IPv4 packet without options that holds UDP and at least an RTP header.
    @inline(__always)
    init(_ plain: PlainUDP) {
      addresses = plain.ip.base.loadUnaligned(fromByteOffset: 12, as: UInt64.self)
      ports = plain.ip.base.loadUnaligned(fromByteOffset: 20, as: UInt32.self)
      ssrc = plain.ip.base.loadUnaligned(fromByteOffset: 36, as: UInt32.self)
    }

    @inline(__always)
    fileprivate func isSame(_ other: Key) -> Bool {
      (addresses ^ other.addresses) | UInt64(ports ^ other.ports) | UInt64(ssrc ^ other.ssrc) == 0
    }

    @inline(__always)
    fileprivate var slot: Int {
      let mixed = (addresses ^ UInt64(ports) << 32 ^ UInt64(ssrc)) &* 0x9E37_79B9_7F4A_7C15
      return Int(truncatingIfNeeded: mixed >> 54)
    }
  }

  private struct Entry {
    var key: Key
    var lane: FlowSide.TimelineLane
    /// The entry that followed the last time.
    var next: Int32
  }

  private static let most = 1024
  private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: most)
  /// The indices of entries by key. An entry that was displaced is not found, which only costs time.
  private let slots = UnsafeMutablePointer<Int32>.allocate(capacity: most)
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var last = 0
  @exclusivity(unchecked) private var generation = 0

  init() { slots.initialize(repeating: 0, count: Self.most) }

  deinit {
    entries.deallocate()
    slots.deallocate()
  }

  /// The stream of a packet, if it was stored in the same generation.
  @inline(__always)
  func lane(of key: Key, in generation: Int) -> FlowSide.TimelineLane? {
    guard generation == self.generation, count > 0 else { return nil }
    let guess = Int(entries[last].next)
    if entries[guess].key.isSame(key) {
      last = guess
      return entries[guess].lane
    }
    let index = Int(slots[key.slot])
    guard index < count, entries[index].key.isSame(key) else { return nil }
    entries[last].next = Int32(truncatingIfNeeded: index)
    last = index
    return entries[index].lane
  }

  /// Stores the stream of a packet.
  func add(_ key: Key, _ lane: FlowSide.TimelineLane, in generation: Int) {
    if generation != self.generation || count == Self.most {
      (self.generation, count, last) = (generation, 0, 0)
    }
    (entries + count).initialize(to: Entry(key: key, lane: lane, next: 0))
    slots[key.slot] = Int32(truncatingIfNeeded: count)
    if count > 0 { entries[last].next = Int32(truncatingIfNeeded: count) }
    last = count
    count += 1
  }
}
