import Bytes
import CallModel

/// The packets of a capture in file order, whatever its format, and its own loss counters.
public final class PacketSource {
  /// Counters of the capturing side (pcapng interface statistics); nil if the file has none.
  public struct Drops {
    public var received: UInt64?
    public var droppedByInterface: UInt64?
    public var droppedBySystem: UInt64?
  }

  private var handle: PcapHandle?
  private var splitter: PcapngSplitter?
  private let watch: PcapngInterfaceSplitter?
  /// Why reading stopped before the end, if it did.
  public private(set) var readError: String?
  /// Whether libpcap rejected the file as a whole and it was read interface by interface.
  public private(set) var wasSplit = false

  /// Opens a capture; throws `SourceError` if its header cannot be read.
  public init(_ format: SourceFormat, _ source: any ByteSource) throws {
    if format == .pcapng {
      let watch = PcapngInterfaceSplitter(source)
      self.watch = watch
      do {
        handle = try PcapHandle(watch)
      } catch {
        guard watch.refused else { throw error }
      }
    } else {
      watch = nil
      handle = try PcapHandle(classic: source)
    }
  }

  /// Counters summed over the interfaces.
  public var drops: Drops { (splitter?.statistics ?? watch?.statistics)?.total ?? Drops() }

  /// Passes every packet, valid until the next one.
  @inline(__always)
  public func forEach(_ body: (Packet) throws -> Void) rethrows {
    if let handle {
      while let packet = handle.next() { try body(packet) }
    }
    while let packet = nextOther() { try body(packet) }
  }

  private func nextOther() -> Packet? {
    if splitter == nil, let watch, watch.refused {
      handle = nil
      wasSplit = true
      splitter = PcapngSplitter(watch)
    }
    if let splitter {
      let packet = splitter.next()
      if packet == nil { readError = splitter.readError }
      return packet
    }
    if let handle { readError = handle.readError }
    return nil
  }
}

/// Reads a pcapng rejected by libpcap: every interface is passed to libpcap as a small pcapng of its own.
///
/// Blocks are read one at a time, so memory is constant; packets are sorted by time within a second.
final class PcapngSplitter {
  /// The input of libpcap for one interface: the header blocks, then packets.
  private final class BlockQueue: ByteSource {
    var queue: [UInt8]
    var position = 0

    init(section: [UInt8], description: [UInt8]) { queue = section + description }

    func feed(_ block: [UInt8]) {
      if position == queue.count {
        queue.removeAll(keepingCapacity: true)
        position = 0
      }
      queue += block
    }

    /// Discards what was not read.
    func skip() { position = queue.count }

    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
      let count = min(target.count, queue.count - position)
      guard count > 0 else { return 0 }
      queue.withUnsafeBytes {
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<(position + count)]))
      }
      position += count
      return count
    }
  }

  /// One interface. Its reader retains the queue, so the queue must not retain the reader.
  private struct Interface {
    let queue: BlockQueue
    var handle: PcapHandle?
  }

  private let blocks: PcapngBlockReader
  private var section: [UInt8] = []
  private var interfaces: [Interface] = []
  private let sorter = PacketSorter()
  private var finished = false
  private(set) var statistics = PcapngStatistics()
  /// Why reading stopped before the end, if it did.
  var readError: String? { blocks.error }

  init(_ watch: PcapngInterfaceSplitter) {
    let isLittle = watch.isLittle
    blocks = PcapngBlockReader(isLittle: isLittle) { try watch.readRest(into: $0) }
    for block in watch.preamble {
      block.withUnsafeBytes { bytes in
        if let base = bytes.baseAddress { take(Octets(base, count: bytes.count), little: isLittle) }
      }
    }
    // The section continues where the splitter stopped.
    statistics = watch.statistics
  }

  /// The next packet in order of time, valid until the next call.
  func next() -> Packet? {
    while !finished && !sorter.isReady { readBlock() }
    return sorter.next()
  }

  private func readBlock() {
    guard let block = try? blocks.next() else {
      finished = true
      return sorter.finish()
    }
    take(block, little: blocks.isLittle)
  }

  private func take(_ block: Octets, little: Bool) {
    if block.word(0) == PcapngBlock.section {
      section = block.copy()
      interfaces = []
      statistics.beginSection()
      return
    }
    switch PcapngBlock.word(block, 0, swapped: little) {
    case PcapngBlock.interface:
      if interfaces.count < 4096 {
        interfaces.append(Interface(queue: BlockQueue(section: section, description: block.copy())))
      }
    case PcapngBlock.statistics: statistics.take(block, little: little)
    case PcapngBlock.enhancedPacket:
      packet(block, of: Int(PcapngBlock.word(block, 8, swapped: little)), idAt: 8..<12)
    case PcapngBlock.oldPacket:
      packet(block, of: Int(PcapngBlock.short(block, 8, swapped: little)), idAt: 8..<10)
    case PcapngBlock.simplePacket: packet(block, of: 0, idAt: 8..<8)
    default: break
    }
  }

  /// Passes one packet block to libpcap as if its interface were the only one.
  private func packet(_ block: Octets, of id: Int, idAt: Range<Int>) {
    guard interfaces.indices.contains(id) else { return }
    let queue = interfaces[id].queue
    var copy = block.copy()
    for i in idAt where copy.indices.contains(i) { copy[i] = 0 }
    queue.feed(copy)
    if interfaces[id].handle == nil { interfaces[id].handle = try? PcapHandle(queue, buffer: 0) }
    guard let packet = interfaces[id].handle?.next() else {
      queue.skip()
      return
    }
    sorter.add(packet)
  }
}

/// Puts packets of several interfaces in order of time, looking ahead one second at most.
final class PacketSorter {
  private struct QueuedPacket {
    var timeNs: Int64
    var bytes: [UInt8]
    var wireLength: Int
    var linkType: Int32
  }

  private var held = Queue<QueuedPacket>()
  private var latestNs = Int64.min
  private var finished = false
  /// Storage of the packet returned last.
  private var current = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  /// How far to look ahead, and the most packets held for that.
  private static let windowNs: Int64 = 1_000_000_000
  private static let most = 4096

  deinit { current.deallocate() }

  /// Whether the earliest packet can be returned.
  var isReady: Bool {
    guard let first = held.first else { return false }
    return finished || held.count >= Self.most || latestNs &- first.timeNs >= Self.windowNs
  }

  func add(_ packet: Packet) {
    latestNs = max(latestNs, packet.timeNs)
    let item = QueuedPacket(
      timeNs: packet.timeNs, bytes: packet.bytes.copy(), wireLength: packet.wireLength,
      linkType: packet.linkType)
    // Packets are nearly in order, so search from the end.
    held.insert(item) { $0.timeNs > item.timeNs }
  }

  /// Ends the input.
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
