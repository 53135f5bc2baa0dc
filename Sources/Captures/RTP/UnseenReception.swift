/// What an end reports of sound that came to it and is not in the capture (RFC 3550 section 6.4.1): its numbers go on all the same.
struct UnseenReception {
  private var ssrc: UInt32?
  private var first: UInt32 = 0
  private var last: UInt32 = 0

  /// Packets that came between its first report and its last, nil where it reported nothing of the kind.
  var packets: Int? { ssrc == nil || first == last ? nil : Int(last &- first) }

  /// Takes a report block, 24 bytes; the first stream that is reported is believed.
  mutating func take(block b: Octets) {
    let (reported, highest) = (b.word(0), b.word(8))
    if ssrc == nil { (ssrc, first, last) = (reported, highest, highest) }
    // What falls behind, or leaps further than a minute of sound, counts another stream.
    if reported == ssrc, highest &- last < 100_000 { last = highest }
  }
}

extension Path {
  /// Says of a call's end that nothing of what was sent to it was captured, where that shows: by its own reports; because its
  /// far end has not said one word of a call that stands all the same; or because a relay sends nothing at all to its host.
  func tellOneDirection() {
    guard call != nil, happenings.contains(where: { $0.event == "call.established" }) else { return }
    for end in 0...1 {
      let sent = media.filter { $0.sender == end && $0.role == .media }
      let others = media.filter { $0.sender != end && $0.role == .media }
      guard let first = sent.map(\.firstNs).min() else { continue }
      let packets = others.isEmpty ? self[end].unseen.packets : nil
      let isMute = others.isEmpty && !self[1 - end].hasSignalled && self[1 - end].firstRTCPNs == nil
      guard isMute || packets != nil || !others.isEmpty && isUnreached(from: sent, others) else { continue }
      var w = ArgumentWriter()
      if let packets { w.add("packets", packets) }
      add("unknown", "capture.one-direction", at: first, end: end, args: w.text)
    }
  }

  /// Whether nothing goes to the host that an end sends from, neither media nor signalling.
  private func isUnreached(from sent: [MediaStream], _ others: [MediaStream]) -> Bool {
    let relays = Set(sent.map(\.destination.address))
    let own = Set(sent.map(\.source.address)).subtracting(relays)
    return !own.isEmpty && own.isDisjoint(with: signalledTo.union(others.map(\.destination.address)))
  }
}
