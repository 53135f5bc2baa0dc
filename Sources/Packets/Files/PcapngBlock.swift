/// Parts of pcapng (draft-ietf-opsawg-pcapng) that libpcap does not expose: block types, byte order, statistics.
public enum PcapngBlock {
  static let section: UInt32 = 0x0A0D_0D0A
  static let interface: UInt32 = 1
  static let oldPacket: UInt32 = 2
  static let simplePacket: UInt32 = 3
  static let statistics: UInt32 = 5
  static let enhancedPacket: UInt32 = 6
  /// Longer blocks are treated as invalid.
  static let longest = 16 << 20

  /// 16 or 32 bits in the byte order of the section.
  static func short(_ b: Octets, _ at: Int, swapped: Bool) -> UInt16 {
    swapped ? b.short(at).byteSwapped : b.short(at)
  }
  static func word(_ b: Octets, _ at: Int, swapped: Bool) -> UInt32 {
    swapped ? b.word(at).byteSwapped : b.word(at)
  }

  /// Whether a section header is little endian; nil if it is invalid.
  public static func isLittle(_ section: Octets) -> Bool? {
    switch section.word(8) {
    case 0x4D3C_2B1A: true
    case 0x1A2B_3C4D: false
    default: nil
    }
  }
}

/// Interface statistics; every block replaces the previous one of its interface, and interfaces are numbered per
/// section.
struct PcapngStatistics {
  private var perInterface: [UInt32: PacketSource.Drops] = [:]
  /// The sum of the previous sections.
  private var before = PacketSource.Drops()

  /// Begins another section; does nothing if the current one has no statistics yet.
  mutating func beginSection() {
    before = total
    perInterface = [:]
  }

  /// Adds an interface statistics block, including its header.
  mutating func take(_ block: Octets, little: Bool) {
    var drops = PacketSource.Drops()
    var at = 20
    while at + 4 <= block.count - 4 {
      let code = PcapngBlock.short(block, at, swapped: little)
      let length = Int(PcapngBlock.short(block, at + 2, swapped: little))
      if code == 0 { break }
      if length == 8, at + 12 <= block.count {
        let raw = block.long(at + 4)
        let value = little ? raw.byteSwapped : raw
        switch code {
        case 4: drops.received = value
        case 5: drops.droppedByInterface = value
        case 7: drops.droppedBySystem = value
        default: break
        }
      }
      at += 4 + (length + 3) & ~3
    }
    let interface = PcapngBlock.word(block, 8, swapped: little)
    guard perInterface.count < 4096 || perInterface[interface] != nil else { return }
    perInterface[interface] = drops
  }

  /// The sum over the interfaces; a counter is nil if no interface has it.
  var total: PacketSource.Drops {
    perInterface.values.reduce(into: before) { sum, one in
      func add(_ a: UInt64?, _ b: UInt64?) -> UInt64? { b.map { (a ?? 0) &+ $0 } ?? a }
      sum.received = add(sum.received, one.received)
      sum.droppedByInterface = add(sum.droppedByInterface, one.droppedByInterface)
      sum.droppedBySystem = add(sum.droppedBySystem, one.droppedBySystem)
    }
  }
}
