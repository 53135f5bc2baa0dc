/// A stream that passes on several pairs of addresses: ICE moved it, or some of its packets took another way.
extension MediaStream {
  private static let betweenTicksNs: Int64 = 1_000_000_000

  /// Whether a packet of its SSRC on another flow of its path is one that has not come: what came already is seen on its way
  /// once more, on another leg.
  func lacks(_ packet: RTPPacket) -> Bool {
    let ahead = Int64(Int16(bitPattern: packet.sequence &- UInt16(truncatingIfNeeded: sequence.highest)))
    // Of numbers so long ago nothing is known; after a silence they are those of the next round.
    if ahead <= -Int64(SequenceState.window) { return packet.timeNs &- lastNs > Self.betweenTicksNs }
    return ahead > 0 || !sequence.has(sequence.highest + ahead)
  }

  /// Finds the pair of addresses on which most of it passed of late, and tells its path where that changed.
  func followRoute(at timeNs: Int64) {
    var (busiest, most) = (route, 0)
    for index in figures.indices {
      let count = figures[index].wireshark.packets
      let new = count - figures[index].packetsSeen
      figures[index].packetsSeen = count
      if new > most { (busiest, most) = (index, new) }
    }
    guard busiest != route else { return }
    let before = figures[route]
    route = busiest
    source = figures[busiest].source
    destination = figures[busiest].destination
    guard role == .media, path.isWebRTC else { return }
    path.moved(
      from: Path.Route(from: before.source, to: before.destination, sender: sender, sinceNs: .min),
      to: Path.Route(
        from: source, to: destination, sender: sender,
        sinceNs: max(figures[busiest].firstNs, timeNs &- Self.betweenTicksNs)))
  }
}
