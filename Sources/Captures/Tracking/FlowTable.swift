import Packets

/// All flows of a capture by address, as an open-addressing hash table of at most `most` flows.
struct FlowTable {
  /// The index of a flow, less than 0 if the slot is empty, and the rest of its hash for a quick comparison.
  private struct Slot {
    var index: Int32 = -1
    var tag: UInt32 = 0
  }

  private var slots: [Slot]
  private(set) var flows: [Flow] = []
  private let secret = UInt64.random(in: .min ... .max)
  private var lastIndex = 0

  /// The maximum number of flows. Beyond it, flows without any sign of a call are removed.
  static let most = 50_000
  /// The number of flows removed for lack of space.
  private(set) var forgotten = 0

  init() { slots = [Slot](repeating: Slot(), count: 1024) }

  /// The flow for a key, created if it is new.
  mutating func flow(_ key: FlowKey) -> Flow { place(of: key)._withUnsafeGuaranteedRef { $0 } }

  /// The same for a caller that has finished with the flow before it asks for the next one. The table keeps
  /// the flow alive until then, so that no reference counting is needed per packet.
  @inline(__always)
  mutating func place(of key: FlowKey) -> Unmanaged<Flow> {
    if lastIndex < flows.count, flows[lastIndex].key == key { return .passUnretained(flows[lastIndex]) }
    return find(key)
  }

  /// The flow for a key, if there is one.
  func existing(_ key: FlowKey) -> Flow? { index(of: key, key.hash(secret)).map { flows[$0] } }

  @inline(__always)
  private func index(of key: FlowKey, _ hash: UInt64) -> Int? {
    let tag = UInt32(truncatingIfNeeded: hash >> 32)
    let mask = slots.count - 1
    var place = Int(truncatingIfNeeded: hash) & mask
    return slots.withUnsafeBufferPointer { slots in
      while slots[place].index >= 0 {
        let index = Int(slots[place].index)
        if slots[place].tag == tag, flows[index].key == key { return index }
        place = (place + 1) & mask
      }
      return nil
    }
  }

  private mutating func find(_ key: FlowKey) -> Unmanaged<Flow> {
    guard let index = index(of: key, key.hash(secret)) else { return .passUnretained(add(key)) }
    lastIndex = index
    return .passUnretained(flows[index])
  }

  private mutating func add(_ key: FlowKey) -> Flow {
    if flows.count >= Self.most { sweep() }
    let flow = Flow(key)
    flows.append(flow)
    lastIndex = flows.count - 1
    if flows.count * 2 > slots.count { rehash(slots.count * 2) } else { place(lastIndex) }
    return flow
  }

  private mutating func place(_ index: Int) {
    let mask = slots.count - 1
    let hash = flows[index].key.hash(secret)
    var place = Int(truncatingIfNeeded: hash) & mask
    while slots[place].index >= 0 { place = (place + 1) & mask }
    slots[place] = Slot(index: Int32(truncatingIfNeeded: index), tag: UInt32(truncatingIfNeeded: hash >> 32))
  }

  private mutating func rehash(_ size: Int) {
    slots = [Slot](repeating: Slot(), count: size)
    for index in flows.indices { place(index) }
  }

  /// Removes flows without a sign of a call; if there are none, the older half of all flows.
  private mutating func sweep() {
    let before = flows.count
    flows.removeAll { !$0.showsCall }
    if flows.count > Self.most / 2 { flows.removeFirst(flows.count - Self.most / 2) }
    forgotten += before - flows.count
    lastIndex = 0
    rehash(slots.count)
  }
}

/// Two transport addresses and a protocol, regardless of which of them sent first.
struct FlowKey: Equatable {
  /// The lower and the higher of the two by value.
  var low: Endpoint
  var high: Endpoint
  var transport: TransportProtocol

  /// Compared once per packet: one comparison instead of seven.
  @inline(__always)
  static func == (a: FlowKey, b: FlowKey) -> Bool {
    let addresses =
      (a.low.address.low ^ b.low.address.low) | (a.low.address.high ^ b.low.address.high)
      | (a.high.address.low ^ b.high.address.low) | (a.high.address.high ^ b.high.address.high)
    let rest = (a.low.port ^ b.low.port) | (a.high.port ^ b.high.port)
    return addresses | UInt64(rest) | UInt64(a.transport.rawValue ^ b.transport.rawValue) == 0
  }

  /// The key of a datagram, and whether its source is the lower address.
  @inline(__always)
  static func of(_ datagram: Datagram) -> (key: FlowKey, fromLow: Bool) {
    let (key, fromLow) = between(datagram.source, datagram.destination, datagram.transport)
    return (key, fromLow)
  }

  /// The key of two addresses, and whether the first is the lower one.
  @inline(__always)
  static func between(_ a: Endpoint, _ b: Endpoint, _ transport: TransportProtocol) -> (
    key: FlowKey, firstIsLow: Bool
  ) {
    let isLow =
      a.address.low != b.address.low
      ? a.address.low < b.address.low
      : a.address.high != b.address.high ? a.address.high < b.address.high : a.port <= b.port
    return (FlowKey(low: isLow ? a : b, high: isLow ? b : a, transport: transport), isLow)
  }

  /// A keyed hash, so that collisions cannot be provoked.
  @inline(__always)
  func hash(_ secret: UInt64) -> UInt64 {
    var h = secret ^ low.address.low
    h = (h ^ (h >> 29)) &* 0xBF58_476D_1CE4_E5B9
    h ^= high.address.low &+ (low.address.high ^ high.address.high &* 0x9E37_79B9_7F4A_7C15)
    h = (h ^ (h >> 32)) &* 0x94D0_49BB_1331_11EB
    h ^= UInt64(low.port) << 32 | UInt64(high.port) << 8 | UInt64(transport.rawValue)
    h = (h ^ (h >> 29)) &* 0xBF58_476D_1CE4_E5B9
    return h ^ (h >> 32)
  }
}

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
