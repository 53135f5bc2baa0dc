/// How far a DTLS handshake has come on a path.
struct DTLSState {
  var clientHelloNs: Int64?
  var serverHelloNs: Int64?
  /// When a handshake last began, the first or another for new keys.
  var lastHelloNs: Int64?
  /// The last encrypted handshake record of the client and of the server before the other showed that it had it: their
  /// Finished, as it arrived.
  var clientFinishedNs: Int64?
  var serverFinishedNs: Int64?
  /// Whether an end sent application data. In DTLS 1.3 acknowledgements go under the same keys, and say less: the server's may
  /// be of the ClientHello.
  var sentData = (false, false)
  /// The end that sent the ClientHello.
  var client: Int?
  var is13 = false
  /// Flights sent again.
  var repeats: [RepeatedFlight] = []
  /// What each end sent of the handshake.
  var flights = [HandshakeFlights(), HandshakeFlights()]
  var alertNs: Int64?
  var alertEnd: Int?
  var alert: UInt8?
  /// Whether its sender never took up the keys, so that it refuses them rather than to hang up.
  var isRefusal = false
  /// A record as long as an alert under the keys of the handshake alone, the last one, and its sender.
  var early: (timeNs: Int64, end: Int)?
  /// What was seen in the clear (end, handshake type, message, fragment offset), to know it again, and the number of the
  /// record that brought it last.
  var seen: [UInt64: UInt64] = [:]
  /// Certificates being put together, one an end.
  var certificates: [Int: CertificateAssembly] = [:]
}

/// A flight of the handshake that was sent again.
struct RepeatedFlight {
  var timeNs: Int64
  var end: Int
  var what: String
  /// How long its sender had waited; nil where the flight before was not captured.
  var waitedNs: Int64?
  /// Whether the other end had sent nothing since, and so had not answered yet.
  var isUnanswered: Bool
  /// What had not come here of the flights before; and whether everything in them was captured, so that nothing else is missing.
  var missing: HandshakePieces.Missing?
  var isFollowed: Bool
}
