import Bytes

extension PcapngBlock {
  /// The interface of a packet block, by its number in the section; nil for other blocks.
  static func interface(of block: Octets, little: Bool) -> Int? {
    switch word(block, 0, swapped: little) {
    case enhancedPacket: Int(word(block, 8, swapped: little))
    case oldPacket: Int(short(block, 8, swapped: little))
    case simplePacket: 0
    default: nil
    }
  }

  /// The name of an interface (option `if_name`); nil if it has none.
  static func name(of interface: Octets, little: Bool) -> String? {
    var at = 16
    while at + 4 <= interface.count - 4 {
      let length = Int(short(interface, at + 2, swapped: little))
      switch short(interface, at, swapped: little) {
      case 0: return nil
      case 2: return interface.from(at + 4).first(length).text()
      default: at += 4 + (length + 3) & ~3
      }
    }
    return nil
  }
}

/// Interfaces of one pcapng that are captures at several points of a path: the same packets were seen on more than one.
public enum PcapngTaps {
  /// Packets that are compared, and the most interfaces.
  private static let (maxCompared, maxInterfaces) = (50_000, 32)
  /// How many packets were seen on more than one interface at least, and their part of all.
  private static let (minShared, minPart) = (50, 0.25)

  /// Whether the first bytes are those of a pcapng.
  public static func isPcapng(_ head: [UInt8]) -> Bool { head.starts(with: [0x0A, 0x0D, 0x0D, 0x0A]) }

  /// The names of the interfaces, by their numbers, if each is a capture of its own; nil for those without a packet. Empty
  /// if all of them are one capture.
  public static func names(_ source: any ByteSource) -> [String?] {
    let blocks = PcapngBlockReader { try source.read(into: $0) }
    var (names, links, packets): ([String], [Int32], [Int]) = ([], [], [])
    var seen: [UInt64: UInt32] = [:]
    while let block = try? blocks.next() {
      let little = blocks.isLittle
      switch PcapngBlock.word(block, 0, swapped: little) {
      case PcapngBlock.section:
        // Of several sections each counts its interfaces anew: they are one capture after another.
        if !names.isEmpty { return [] }
      case PcapngBlock.interface:
        guard names.count < maxInterfaces else { return [] }
        names.append(PcapngBlock.name(of: block, little: little) ?? "interface-\(names.count)")
        links.append(Int32(PcapngBlock.short(block, 8, swapped: little)))
        packets.append(0)
      default:
        guard let interface = PcapngBlock.interface(of: block, little: little) else { continue }
        guard names.count > 1 else { return [] }
        guard names.indices.contains(interface) else { continue }
        packets[interface] += 1
        guard seen.count < maxCompared, let mark = mark(of: block, links[interface]) else { continue }
        seen[mark, default: 0] |= 1 << UInt32(interface)
      }
    }
    let shared = seen.values.count { $0.nonzeroBitCount > 1 }
    guard shared >= minShared, Double(shared) >= minPart * Double(seen.count) else { return [] }
    return names.indices.map { packets[$0] > 0 ? distinct($0, names) : nil }
  }

  private static func distinct(_ index: Int, _ names: [String]) -> String {
    let name = names[index].replacing("/", with: "-")
    return names.count { $0 == names[index] } > 1 || name.isEmpty ? "\(name)-\(index)" : name
  }

  /// What is the same of a UDP datagram wherever it is seen between two hosts; nil for other packets.
  private static func mark(of block: Octets, _ link: Int32) -> UInt64? {
    let packet = Packet(bytes: block.from(28), wireLength: block.count, timeNs: 0, linkType: link)
    guard let ip = LinkLayer.strip(packet)?.payload else { return nil }
    let isV4 = ip.byte(0) >> 4 == 4
    guard ip.byte(isV4 ? 9 : 6) == TransportProtocol.udp.rawValue else { return nil }
    let header = isV4 ? Int(ip.byte(0) & 15) * 4 : 40
    var hash = isV4 ? UInt64(ip.word(2) >> 16 | ip.word(4) & 0xFFFF_0000) : UInt64(ip.short(4))
    // Addresses, then ports, length, checksum and the beginning of the payload.
    for at in stride(from: isV4 ? 12 : 8, to: isV4 ? 20 : 40, by: 4) { mix(&hash, ip.word(at)) }
    for at in stride(from: header, to: header + 24, by: 4) { mix(&hash, ip.word(at)) }
    return hash
  }

  private static func mix(_ hash: inout UInt64, _ word: UInt32) {
    hash = (hash ^ UInt64(word)) &* 0x9E37_79B9_7F4A_7C15
    hash ^= hash &>> 32
  }
}

/// One interface of a pcapng, as if it were a file of its own. A packet of another interface is one without a byte, so that
/// frames keep their numbers.
public final class PcapngTap: ByteSource {
  private let blocks: PcapngBlockReader
  private let interface: Int
  private var described = 0
  private var bytes: [UInt8] = []
  private var position = 0

  /// - Parameter interface: its number in the file.
  public init(_ source: any ByteSource, interface: Int) {
    blocks = PcapngBlockReader { try source.read(into: $0) }
    self.interface = interface
  }

  public func read(into target: UnsafeMutableRawBufferPointer) throws -> Int {
    while position == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      position = 0
      guard let block = try blocks.next() else {
        if let error = blocks.error { throw BytesError(.truncated, error) }
        return 0
      }
      take(block, little: blocks.isLittle)
    }
    let count = min(target.count, bytes.count - position)
    target.copyBytes(from: bytes[position..<position + count])
    position += count
    return count
  }

  private func take(_ block: Octets, little: Bool) {
    let type = PcapngBlock.word(block, 0, swapped: little)
    switch type {
    case PcapngBlock.interface:
      if described == interface { bytes += block.copy() }
      described += 1
    case PcapngBlock.statistics:
      if Int(PcapngBlock.word(block, 8, swapped: little)) == interface {
        bytes += renumbered(block, 8..<12)
      }
    case PcapngBlock.enhancedPacket, PcapngBlock.oldPacket, PcapngBlock.simplePacket:
      guard described > interface else { return }
      let isLong = type == PcapngBlock.enhancedPacket
      if PcapngBlock.interface(of: block, little: little) == interface {
        bytes += type == PcapngBlock.simplePacket ? block.copy() : renumbered(block, isLong ? 8..<12 : 8..<10)
      } else if type != PcapngBlock.simplePacket {
        bytes += empty(at: block.from(12).first(8), little: little)
      }
    default: bytes += block.copy()
    }
  }

  private func renumbered(_ block: Octets, _ number: Range<Int>) -> [UInt8] {
    var copy = block.copy()
    for place in number { copy[place] = 0 }
    return copy
  }

  /// A packet block without a byte of a packet.
  private func empty(at time: Octets, little: Bool) -> [UInt8] {
    func word(_ value: UInt32) -> [UInt8] {
      withUnsafeBytes(of: little ? value.littleEndian : value.bigEndian) { Array($0) }
    }
    return word(PcapngBlock.enhancedPacket) + word(32) + word(0) + time.copy() + word(0) + word(0) + word(32)
  }
}
