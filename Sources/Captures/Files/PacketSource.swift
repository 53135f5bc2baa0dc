import Bytes
import CallModel

/// The packets of a capture in the order of the file, whatever its format, and what the capture says of its own losses.
final class PacketSource {
  /// Counters of the capturing side (pcapng interface statistics), nil where the file has none.
  struct Drops {
    var received: UInt64?
    var droppedByInterface: UInt64?
    var droppedBySystem: UInt64?
  }

  private var handle: PcapHandle?
  private var splitter: PcapngSplitter?
  private let watch: PcapngWatch?
  /// Why reading stopped before the end, if it did.
  private(set) var trouble: String?
  /// Whether libpcap refused the file as a whole and it was read interface by interface.
  private(set) var wasSplit = false

  /// Opens a capture; throws `SourceError` where not even its header can be read.
  init(_ format: SourceFormat, _ source: any ByteSource) throws {
    if format == .pcapng {
      let watch = PcapngWatch(source)
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
  var drops: Drops { (splitter?.statistics ?? watch?.statistics)?.total ?? Drops() }

  /// Hands over every packet, valid until the next one.
  @inline(__always)
  func forEach(_ body: (Packet) throws -> Void) rethrows {
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
      if packet == nil { trouble = splitter.trouble }
      return packet
    }
    if let handle { trouble = handle.trouble }
    return nil
  }
}
