/// TShark's figures of a stream on one pair of addresses.
struct TupleFigures {
  var source: Endpoint
  var destination: Endpoint
  var wireshark = WiresharkFigures()
}
