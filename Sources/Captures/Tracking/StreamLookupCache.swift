import Packets

/// Streams by what their packets have in common as they lie in a capture, so that the next one need not be taken apart to find
/// where it belongs.
///
/// Nearly all of a capture of media is packets of streams that are known, in nearly the same order time after time. What is
/// remembered holds until anything else comes: the generation says so.
final class StreamLookupCache {
  /// The bytes that say which stream it is: IPv4 addresses, UDP ports, SSRC, in the order of the packet.
  struct Key {
    fileprivate var addresses: UInt64
    fileprivate var ports: UInt32
    fileprivate var ssrc: UInt32

    /// The key of an IPv4 packet without options that holds UDP, and in it at least a header of RTP.
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
    /// Which one came next the last time.
    var next: Int32
  }

  private static let most = 1024
  private let entries = UnsafeMutablePointer<Entry>.allocate(capacity: most)
  /// Where entries stand by their keys. What another one took is just not found: it costs time and nothing else.
  private let slots = UnsafeMutablePointer<Int32>.allocate(capacity: most)
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var last = 0
  @exclusivity(unchecked) private var generation = 0

  init() { slots.initialize(repeating: 0, count: Self.most) }

  deinit {
    entries.deallocate()
    slots.deallocate()
  }

  /// The stream of a packet, if that was remembered in the same generation.
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

  /// Remembers whose a packet was.
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
