import Packets

/// Audio packets of steady streams, which are processed stream by stream rather than in the order of the
/// capture.
///
/// The state of one stream then stays in the L1 cache for a while; in capture order, each packet of many
/// streams would load it again. Memory is bounded, and a packet waits less than half a second of the
/// capture's time.
final class PacketBatcher {
  private struct Waiting {
    var packet: RTPPacket
    /// The next packet of the same stream, negative after the last.
    var next: Int32
  }

  /// Packets of one stream between one pair of addresses, in order of arrival.
  private struct Chain {
    var lane: FlowSide.TimelineLane
    var first: Int32
    var last: Int32
    /// The time of the last packet processed, and of the newest that waits.
    var sinceNs: Int64
    var newestNs: Int64
  }

  private let packets: UnsafeMutablePointer<Waiting>
  private let most: Int
  @exclusivity(unchecked) private var count = 0
  private let chains: UnsafeMutablePointer<Chain>
  @exclusivity(unchecked) private var chainCount = 0

  /// The maximum time span of a stream's waiting packets. It excludes gaps that other code asks about, and
  /// steps that show that the clock was set back.
  private static let longestNs = MediaTransport.minWaitNs - 50_000_000
  private static let backNs = CaptureClock.minNs / 6

  /// The maximum number of waiting packets. By default they fit into the L2 cache together with their
  /// streams.
  static let usual = 2048

  init(most: Int = usual) {
    self.most = most
    packets = .allocate(capacity: most)
    chains = .allocate(capacity: most)
  }

  deinit {
    packets.deallocate()
    chains.deallocate()
  }

  @inline(__always) var isEmpty: Bool { count == 0 }

  /// Takes a packet; returns false, without taking it, if the waiting packets have to be processed first.
  @inline(__always)
  func take(_ packet: RTPPacket, of stream: MediaStream, _ lane: FlowSide.TimelineLane) -> Bool {
    guard count < most else { return false }
    let number = Int32(truncatingIfNeeded: count)
    if stream.waitingAt < 0 {
      let ahead = packet.timeNs &- stream.lastNs &+ Self.backNs
      guard ahead >= 0, ahead < Self.longestNs else { return false }
      stream.waitingAt = chainCount
      (chains + chainCount).initialize(
        to: Chain(
          lane: lane, first: number, last: number, sinceNs: stream.lastNs,
          newestNs: max(packet.timeNs, stream.lastNs)))
      chainCount &+= 1
    } else {
      let chain = chains + stream.waitingAt
      let ahead = packet.timeNs &- chain.pointee.sinceNs &+ Self.backNs
      guard ahead >= 0, ahead < Self.longestNs, packet.timeNs &+ Self.backNs >= chain.pointee.newestNs,
        chain.pointee.lane.figures.toOpaque() == lane.figures.toOpaque()
      else { return false }
      packets[Int(chain.pointee.last)].next = number
      chain.pointee.last = number
      if packet.timeNs > chain.pointee.newestNs { chain.pointee.newestNs = packet.timeNs }
    }
    (packets + count).initialize(to: Waiting(packet: packet, next: -1))
    count &+= 1
    return true
  }

  /// Passes on all waiting packets, stream by stream in order of their first packet, and removes them. A
  /// packet may be modified.
  @inline(__always)
  func release(_ take: (inout RTPPacket, FlowSide.TimelineLane) -> Void, _ done: (MediaStream) -> Void) {
    for i in 0..<chainCount {
      let chain = chains[i]
      var at = Int(chain.first)
      while at >= 0 {
        take(&packets[at].packet, chain.lane)
        at = Int(packets[at].next)
      }
      chain.lane.stream._withUnsafeGuaranteedRef {
        $0.waitingAt = -1
        done($0)
      }
    }
    (count, chainCount) = (0, 0)
  }
}
