import CallModel

/// One capture being read: packets in, records out.
final class CaptureReading {
  let sink: any RecordSink
  let options: ReaderOptions
  private let network = NetworkLayer()
  private var flows = FlowTable()
  private let streams: StreamBook
  private var packets = 0
  private var unknownLinks: Set<Int32> = []
  /// Time of the first packet, for figures relative to it.
  private var firstNs: Int64?

  init(sink: any RecordSink, options: ReaderOptions) {
    self.sink = sink
    self.options = options
    streams = StreamBook(options: options)
  }

  /// Takes the next packet of the file.
  func take(_ packet: Packet) throws {
    packets &+= 1
    if firstNs == nil {
      firstNs = packet.timeNs
      streams.startNs = packet.timeNs
    }
    guard let found = LinkLayer.strip(packet) else {
      if !LinkLayer.isKnown(packet.linkType) { try unknownLink(packet.linkType) }
      return
    }
    switch network.content(found, of: packet) {
    case .datagram(let datagram): try take(datagram)
    case .unreachable, .nothing: break
    }
  }

  private func take(_ datagram: Datagram) throws {
    let (key, fromLow) = FlowKey.of(datagram)
    let flow = flows.flow(key)
    guard datagram.transport == .udp else { return }
    demultiplex(datagram, flow, fromLow)
  }

  /// RFC 7983 and RFC 9443: the first byte says what a datagram is.
  private func demultiplex(_ datagram: Datagram, _ flow: Flow, _ fromLow: Bool) {
    let b = datagram.payload
    switch b.byte(0) {
    case 128...191:
      if !RTPPacket.isRTCP(b) {
        streams.take(datagram, flow, fromLow)
      }
    default: break
    }
  }

  /// Reports everything that is known at the end.
  func finish(_ source: PacketSource) throws {
    streams.finish(flows.flows)
    for stream in streams.all {
      try sink.connection(0, ConnectionFacts())
      var facts = StreamFacts()
      facts.source = .capture
      facts.ssrc = stream.ssrc
      facts.local = stream.source.text
      facts.remote = stream.destination.text
      try sink.stream(stream.number, of: 0, facts)
      try sink.totals(stream.totals(), of: stream.number)
    }
    try sink.packets(packets)
  }

  private func unknownLink(_ type: Int32) throws {
    guard unknownLinks.insert(type).inserted else { return }
    try sink.reject(Reject("link type \(type) is not one that carries calls", frame: packets))
  }
}
