import Packets

/// Media that bypass a user agent. Its two calls, one with each party, have the same two audio addresses in
/// SDP, so that the audio of both is recorded under only one of them.
extension MediaTransport {
  /// The end whose last audio address is the first of two, if the other end's is the second.
  func end(naming a: Endpoint, to b: Endpoint) -> Int? {
    if ends.0.soundAt == a, ends.1.soundAt == b { return 0 }
    return ends.0.soundAt == b && ends.1.soundAt == a ? 1 : nil
  }
}

extension MediaTransports {
  /// The maximum number of streams examined per pair of addresses.
  private static let maxAsked = 16

  /// Reports, for calls whose pair of audio addresses is used by a stream of another call, which call that
  /// is.
  func reportMediaElsewhere(_ streams: [MediaStream]) {
    var between: [[Endpoint]: [MediaStream]] = [:]
    for stream in streams where stream.role == .media && stream.path.call != nil {
      between[Self.pair(stream.source, stream.destination), default: []].append(stream)
    }
    for path in all where path.call != nil {
      guard let a = path.ends.0.soundAt, let b = path.ends.1.soundAt,
        let known = between[Self.pair(a, b)]?.suffix(Self.maxAsked),
        !known.contains(where: { $0.path === path }),
        let startNs = path.events.first?.timeNs,
        let stream = known.first(where: { $0.lastNs > startNs && $0.firstNs < path.overNs ?? .max }),
        let call = stream.path.call
      else { continue }
      var w = ArgumentWriter()
      w.add(.call, call)
      path.add(note: .mediaElsewhere, at: max(startNs, stream.firstNs), args: w.text)
    }
  }

  private static func pair(_ a: Endpoint, _ b: Endpoint) -> [Endpoint] {
    let key = FlowKey.between(a, b, .udp).key
    return [key.low, key.high]
  }
}
