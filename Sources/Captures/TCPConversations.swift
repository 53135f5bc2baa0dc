import Packets

/// Reassembles the TCP conversations of a capture and passes on their content as if it had come over UDP.
final class TCPConversations {
  typealias FoundHandler = (TCPReader.Found, TCPSegment) -> Void

  /// Flows with segments that wait for missing bytes.
  private var waiting: [Flow] = []
  /// When one of them has waited long enough, or has to be checked again.
  @exclusivity(unchecked) private(set) var dueNs = Int64.max
  /// The time of the first waiting segment with media. The clock of the capture stops there, because the
  /// content of the segment would otherwise be too late for playout.
  @exclusivity(unchecked) private(set) var heldNs = Int64.max
  /// The number of gaps in captured conversations that carry calls, and the bytes missing in them.
  private(set) var holes = 0
  private(set) var missedBytes = 0

  private static let maxWaiting = 1000
  private static let synchronise: UInt8 = 0x02
  private static let acknowledge: UInt8 = 0x10

  /// Takes a segment of either direction.
  func take(_ datagram: Datagram, _ flow: Flow, _ fromLow: Bool, _ found: FoundHandler) {
    guard let conversation = flow.tcp ?? begin(flow, datagram) else { return }
    let segment = TCPSegment(datagram, flow, fromLow)
    if fromLow {
      advance(&conversation.low, datagram, segment, found)
      acknowledge(&conversation.high, datagram, segment.answered, found)
    } else {
      advance(&conversation.high, datagram, segment, found)
      acknowledge(&conversation.low, datagram, segment.answered, found)
    }
  }

  /// Passes on segments that have waited long enough; at the end of the capture, all of them.
  func release(at timeNs: Int64, isOver: Bool = false, _ found: FoundHandler) {
    let flows = waiting
    waiting = []
    (dueNs, heldNs) = (.max, .max)
    for flow in flows {
      guard let conversation = flow.tcp else { continue }
      conversation.isAwaited = false
      for fromLow in [true, false] {
        let segment = TCPSegment(flow: flow, fromLow: fromLow, timeNs: timeNs)
        if fromLow {
          release(&conversation.low, segment, isOver: isOver, found)
        } else {
          release(&conversation.high, segment, isOver: isOver, found)
        }
      }
    }
  }

  private func begin(_ flow: Flow, _ datagram: Datagram) -> TCPConversation? {
    guard datagram.wireLength > 0 else { return nil }
    flow.tcp = TCPConversation()
    return flow.tcp
  }

  private func advance(
    _ side: inout TCPConversation.Side, _ datagram: Datagram, _ segment: TCPSegment, _ found: FoundHandler
  ) {
    if datagram.tcpFlags & Self.synchronise != 0 {
      // A new connection, regardless of what the previous one carried.
      side = TCPConversation.Side(startingAt: datagram.tcpSequence &+ 1)
      return
    }
    guard datagram.wireLength > 0 else { return }
    if side.framing == .other {
      guard let detected = TCPBeginnings.framing(ofSegment: datagram.payload) else { return }
      side = TCPConversation.Side()
      side.framing = detected
    }
    side.direction = datagram.direction
    side.stream.add(
      datagram.payload, sequence: datagram.tcpSequence, wireLength: datagram.wireLength,
      timeNs: datagram.timeNs)
    read(&side, segment, found)
    if side.stream.isWaiting { release(&side, segment, isOver: false, found) }
  }

  /// Informs a direction what its receiver has acknowledged.
  private func acknowledge(
    _ side: inout TCPConversation.Side, _ datagram: Datagram, _ segment: TCPSegment, _ found: FoundHandler
  ) {
    guard datagram.tcpFlags & Self.acknowledge != 0 else { return }
    side.stream.acknowledge(datagram.tcpAcknowledgement)
    if side.stream.isWaiting { release(&side, segment, isOver: false, found) }
  }

  /// Processes segments that waited for missing bytes, each at its own time, or registers the flow as
  /// waiting.
  private func release(
    _ side: inout TCPConversation.Side, _ latest: TCPSegment, isOver: Bool, _ found: FoundHandler
  ) {
    var segment = latest
    segment.direction = side.direction
    var missed = side.stream.missedBytes
    var hasGoneOn = false
    while let ownNs = side.stream.release(at: latest.timeNs, isOver: isOver) {
      if side.framing.carriesCalls, side.stream.missedBytes > missed {
        holes += 1
        missedBytes += side.stream.missedBytes - missed
      }
      missed = side.stream.missedBytes
      hasGoneOn = true
      segment.timeNs = ownNs
      read(&side, segment, found)
    }
    guard let conversation = segment.flow.tcp else { return }
    guard let since = side.stream.waitingSinceNs else {
      if hasGoneOn, conversation.isAwaited { dueNs = .min }
      return
    }
    if !conversation.isAwaited {
      guard waiting.count < Self.maxWaiting else { return }
      conversation.isAwaited = true
      waiting.append(segment.flow)
    }
    dueNs = min(dueNs, since &+ TCPStream.patienceNs)
    if side.framing.carriesMedia { heldNs = min(heldNs, since) }
  }

  private func read(_ side: inout TCPConversation.Side, _ segment: TCPSegment, _ found: FoundHandler) {
    if side.stream.hasHole { (segment.fromLow ? segment.flow.low : segment.flow.high).passHole() }
    TCPReader.read(&side) { found($0, segment) }
  }
}

/// Where and when a segment arrived from which something was extracted.
struct TCPSegment {
  let flow: Flow
  /// Whether the lower address sent it.
  let fromLow: Bool
  var timeNs: Int64
  var direction = LinkDirection.unknown
  var ipID: UInt16 = 0

  init(flow: Flow, fromLow: Bool, timeNs: Int64) {
    (self.flow, self.fromLow, self.timeNs) = (flow, fromLow, timeNs)
  }

  init(_ datagram: Datagram, _ flow: Flow, _ fromLow: Bool) {
    self.init(flow: flow, fromLow: fromLow, timeNs: datagram.timeNs)
    direction = datagram.direction
    ipID = datagram.ipID
  }

  var source: Endpoint { fromLow ? flow.key.low : flow.key.high }
  var destination: Endpoint { fromLow ? flow.key.high : flow.key.low }

  /// The other direction, at the same time.
  var answered: TCPSegment { TCPSegment(flow: flow, fromLow: !fromLow, timeNs: timeNs) }

  /// A packet from the segment, as if it had come over UDP.
  func datagram(_ payload: Octets, wireLength: Int) -> Datagram {
    var datagram = Datagram(
      source: source, destination: destination, transport: .tcp, payload: payload, wireLength: wireLength,
      timeNs: timeNs)
    datagram.direction = direction
    datagram.ipID = ipID
    return datagram
  }
}
