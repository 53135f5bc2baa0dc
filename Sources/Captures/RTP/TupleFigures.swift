/// What passed of a stream on one pair of addresses.
final class TupleFigures {
  let source: Endpoint
  let destination: Endpoint
  /// When its first packet came.
  let firstNs: Int64
  /// TShark's figures of it.
  @exclusivity(unchecked) var wireshark = WiresharkFigures()
  /// Packets of it when it was asked last where the stream passes.
  var packetsSeen = 0

  init(source: Endpoint, destination: Endpoint, firstNs: Int64) {
    (self.source, self.destination, self.firstNs) = (source, destination, firstNs)
  }
}
