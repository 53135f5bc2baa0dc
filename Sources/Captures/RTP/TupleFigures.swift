/// What passed of a stream on one pair of addresses.
struct TupleFigures {
  var source: Endpoint
  var destination: Endpoint
  /// When its first packet came.
  var firstNs: Int64
  /// TShark's figures of it.
  var wireshark = WiresharkFigures()
  /// Packets of it when it was asked last where the stream passes.
  var packetsSeen = 0
}
