import Packets

/// What an end reports about audio that it receives but that is not in the capture (RFC 3550 section 6.4.1),
/// as shown by advancing sequence numbers.
struct UncapturedReception {
  private var ssrc: UInt32?
  private var first: UInt32 = 0
  private var last: UInt32 = 0

  /// The number of packets between its first report and its last; nil if it made no such reports.
  var packets: Int? { ssrc == nil || first == last ? nil : Int(last &- first) }

  /// Takes a report block, 24 bytes. Only the first stream reported counts.
  mutating func take(block b: Octets) {
    let (reported, highest) = (b.word(0), b.word(8))
    if ssrc == nil { (ssrc, first, last) = (reported, highest, highest) }
    // A number that falls, or jumps by more than a minute of audio, belongs to another stream.
    if reported == ssrc, highest &- last < 100_000 { last = highest }
  }
}

extension MediaTransport {
  /// Reports that nothing sent to an end of a call was captured, if that can be shown: by the end's own
  /// reports, because its far end sent no message of an established call, or because a relay sends nothing at
  /// all to its host.
  func reportOneDirection() {
    if let end = uncapturedEnd, let first = self[1 - end].firstMediaNs ?? ice.firstNs ?? dtls.clientHelloNs {
      return add(note: .oneDirection, at: first, end: 1 - end)
    }
    guard call != nil, events.contains(where: { $0.event == .callEstablished }) else { return }
    for end in 0...1 {
      let sent = media.filter { $0.sender == end && $0.role == .media }
      let others = media.filter { $0.sender != end && $0.role == .media }
      guard let first = sent.map(\.firstNs).min() else { continue }
      let packets = others.isEmpty ? self[end].unseen.packets : nil
      let isMute = others.isEmpty && !self[1 - end].hasSignalled && self[1 - end].firstRTCPNs == nil
      guard isMute || packets != nil || !others.isEmpty && isUnreached(from: sent, others) else { continue }
      var w = ArgumentWriter()
      if let packets { w.add(.packets, packets) }
      add(note: .oneDirection, at: first, end: end, args: w.text)
    }
  }

  /// Whether nothing, neither media nor signalling, goes to the host that an end sends from.
  private func isUnreached(from sent: [MediaStream], _ others: [MediaStream]) -> Bool {
    let relays = Set(sent.map(\.destination.address))
    let own = Set(sent.map(\.source.address)).subtracting(relays)
    return !own.isEmpty && own.isDisjoint(with: signalledTo.union(others.map(\.destination.address)))
  }
}

extension MediaTransport {
  /// The end of a PeerConnection of which no packet was captured although the other end received some: a tap of one
  /// direction. Nothing can be concluded then from a missing answer.
  var uncapturedEnd: Int? {
    guard isWebRTC else { return nil }
    return [0, 1].first { !isCaptured($0) && hasReceived(1 - $0) }
  }

  /// Whether a packet that an end sent is in the capture.
  private func isCaptured(_ end: Int) -> Bool {
    let (checkNs, answerNs, sentData) =
      end == 0
      ? (ice.firstCheckNs.0, ice.firstAnsweredNs.1, dtls.sentData.0)
      : (ice.firstCheckNs.1, ice.firstAnsweredNs.0, dtls.sentData.1)
    return checkNs != nil || answerNs != nil || sentData || dtls.flights[end].lastNs != nil
      || self[end].firstMediaNs != nil || self[end].firstRTCPNs != nil
  }

  /// Whether an end shows that it received packets, captured or not: it answers checks that are not in the capture, or
  /// sends what it may send only after an answer: the end of the handshake, data, media or reports.
  private func hasReceived(_ end: Int) -> Bool {
    let (strayAnswers, sentData) =
      end == 0 ? (ice.strayAnswers.0, dtls.sentData.0) : (ice.strayAnswers.1, dtls.sentData.1)
    let finishedNs = dtls.client == end ? dtls.clientFinishedNs : dtls.serverFinishedNs
    // In a SIP call, media may be sent before ICE or DTLS is through.
    let sentMedia = call == nil && (self[end].firstMediaNs != nil || self[end].firstRTCPNs != nil)
    return strayAnswers >= Self.minStrayAnswers || finishedNs != nil || sentData || sentMedia
  }

  /// Minimum number of answers to uncaptured checks; one may belong to a check sent just before the capture began.
  private static let minStrayAnswers = 2
}
