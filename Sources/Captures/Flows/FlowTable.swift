/// All flows of a capture by their addresses: open addressing, at most `most` of them.
struct FlowTable {
  private var slots: [Int32]
  private(set) var flows: [Flow] = []
  private let secret = UInt64.random(in: .min ... .max)
  private var lastIndex = 0

  /// Flows kept; beyond it, flows that never showed a sign of a call are forgotten.
  static let most = 50_000
  /// Flows forgotten for want of room.
  private(set) var forgotten = 0

  init() { slots = [Int32](repeating: -1, count: 1024) }

  /// The flow of a key, made if new.
  @inline(__always)
  mutating func flow(_ key: FlowKey) -> Flow {
    if lastIndex < flows.count, flows[lastIndex].key == key { return flows[lastIndex] }
    return find(key)
  }

  /// The flow of a key, if there is one.
  func existing(_ key: FlowKey) -> Flow? {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: key.hash(secret)) & mask
    while slots[slot] >= 0 {
      let flow = flows[Int(slots[slot])]
      if flow.key == key { return flow }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private mutating func find(_ key: FlowKey) -> Flow {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: key.hash(secret)) & mask
    while true {
      let index = Int(slots[slot])
      if index < 0 { break }
      if flows[index].key == key {
        lastIndex = index
        return flows[index]
      }
      slot = (slot + 1) & mask
    }
    return add(key)
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
    var slot = Int(truncatingIfNeeded: flows[index].key.hash(secret)) & mask
    while slots[slot] >= 0 { slot = (slot + 1) & mask }
    slots[slot] = Int32(truncatingIfNeeded: index)
  }

  private mutating func rehash(_ size: Int) {
    slots = [Int32](repeating: -1, count: size)
    for index in flows.indices { place(index) }
  }

  /// Forgets flows without a sign of a call; if all have one, the older half of them.
  private mutating func sweep() {
    let before = flows.count
    flows.removeAll { !$0.showsCall }
    if flows.count > Self.most / 2 { flows.removeFirst(flows.count - Self.most / 2) }
    forgotten += before - flows.count
    lastIndex = 0
    rehash(slots.count)
  }
}
