/// Where and when a segment came from which something was taken.
struct TCPSegment {
  let flow: Flow
  /// Whether the lesser address sent it.
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

  /// A packet that came in it, as if it had come over UDP.
  func datagram(_ payload: Octets, wireLength: Int) -> Datagram {
    var datagram = Datagram(
      source: source, destination: destination, transport: .tcp, payload: payload, wireLength: wireLength,
      timeNs: timeNs)
    datagram.direction = direction
    datagram.ipID = ipID
    return datagram
  }
}
