/// Sound that goes to the private address that SDP named, while the far end is behind a translator (NAT): its own comes from a
/// public address, and nothing from the private one.
extension MediaStream {
  /// Shorter, the sender waits for the first packet of the far end, to answer where that comes from (symmetric RTP), ns.
  private static let leastNs: Int64 = 5_000_000_000

  /// Where it went and where the far end is, as a JSON object; nil where it may have arrived.
  var astray: String? {
    guard role == .media, path.call != nil, !path.isWebRTC, destination.address.isPrivate,
      route < figures.count, lastNs &- figures[route].firstNs >= Self.leastNs
    else { return nil }
    let others = path.media.filter { $0.sender != sender && $0.role == .media && $0.kind == kind }
    guard let far = others.max(by: { $0.payloadBytes < $1.payloadBytes }),
      far.destination.address == source.address,
      others.allSatisfy({ !$0.source.address.isPrivate }),
      min(far.lastNs, lastNs) &- max(far.firstNs, figures[route].firstNs) >= Self.leastNs
    else { return nil }
    var w = ArgumentWriter()
    w.add("to", destination.text)
    w.add("far_end", far.source.text)
    w.add("from_ms", figures[route].firstNs.unixMs)
    w.add("until_ms", lastNs.unixMs)
    return w.text
  }
}
