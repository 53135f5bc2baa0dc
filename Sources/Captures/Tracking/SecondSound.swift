import Packets

/// Two sounds at one port.
extension MediaStream {
  /// Both must come for this long, ns: a sender that changes its SSRC may overlap for less.
  private static let leastNs: Int64 = 5_000_000_000

  /// The time for which this sound came to a port beside the one that was described; nil unless it came from an address
  /// that no description names.
  var besideOther: ReceiverRejection.Span? {
    let end = path[sender]
    guard kind == .audio, role == .media, path.call != nil, !path.isWebRTC, !end.describes(source) else {
      return nil
    }
    let spans = path.media.compactMap { other -> (from: Int64, to: Int64)? in
      guard other !== self, other.sender == sender, other.kind == .audio, other.role == .media,
        other.destination == destination, end.describes(other.source)
      else { return nil }
      return (max(firstNs, other.firstNs), min(lastNs, other.lastNs))
    }
    guard let longest = spans.max(by: { $0.to &- $0.from < $1.to &- $1.from }),
      longest.to &- longest.from >= Self.leastNs
    else { return nil }
    return .init(fromNs: longest.from, toNs: longest.to, packets: sequence.unique, number: 0)
  }
}

extension TransportEnd {
  /// Whether its descriptions name an address for sound.
  fileprivate func describes(_ source: Endpoint) -> Bool { soundAt == source || soundWasAt == source }
}
