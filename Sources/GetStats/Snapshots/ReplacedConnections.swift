/// The connections of one name that took each other's place within a call, by their certificates: one that failed and was made
/// anew, or the next call's, where only another source tells that there was one.
struct ReplacedConnections {
  private struct Key: Hashable {
    var call: Int
    var certificate: [UInt8]
  }

  private var connections: [Key: (connection: PeerConnection, place: Int)] = [:]
  /// How many there are, by the number of the call.
  private var counts: [Int: Int] = [:]

  /// Takes one over; one that is known stays what it is.
  mutating func note(_ connection: PeerConnection, of call: Int, _ certificate: [UInt8]) {
    let key = Key(call: call, certificate: certificate)
    guard connections[key] == nil else { return }
    counts[call, default: 0] += 1
    connections[key] = (connection, count(in: call))
  }

  /// How many a call had.
  func count(in call: Int) -> Int { counts[call] ?? 0 }

  /// The one that a call had with this certificate.
  func known(in call: Int, _ certificate: [UInt8]) -> PeerConnection? {
    connections[Key(call: call, certificate: certificate)]?.connection
  }

  /// Its place among those of a call.
  func place(of connection: PeerConnection, in call: Int) -> Int {
    connections.first { $0.key.call == call && $0.value.connection === connection }?.value.place ?? 1
  }
}
