import Packets

/// Media that passes a user agent by: its two calls, one with each party, name the same two addresses for sound, so that the
/// sound of both is on record as that of one.
extension MediaTransport {
  /// The end that named the first of two addresses for its sound last, where the other end named the second.
  func end(naming a: Endpoint, to b: Endpoint) -> Int? {
    if ends.0.soundAt == a, ends.1.soundAt == b { return 0 }
    return ends.0.soundAt == b && ends.1.soundAt == a ? 1 : nil
  }
}

extension MediaTransports {
  /// Streams asked of one pair of addresses at most.
  private static let mostAsked = 16

  /// Says of calls that name a pair of addresses whose sound is on record as another call's, whose it is.
  func tellPassedBy(_ streams: [MediaStream]) {
    var between: [[Endpoint]: [MediaStream]] = [:]
    for stream in streams where stream.role == .media && stream.path.call != nil {
      between[Self.pair(stream.source, stream.destination), default: []].append(stream)
    }
    for path in all where path.call != nil {
      guard let a = path.ends.0.soundAt, let b = path.ends.1.soundAt,
        let known = between[Self.pair(a, b)]?.suffix(Self.mostAsked),
        !known.contains(where: { $0.path === path }),
        let startNs = path.happenings.first?.timeNs,
        let stream = known.first(where: { $0.lastNs > startNs && $0.firstNs < path.overNs ?? .max }),
        let call = stream.path.call
      else { continue }
      var w = ArgumentWriter()
      w.add("call", call)
      path.add("unknown", "capture.media-elsewhere", at: max(startNs, stream.firstNs), args: w.text)
    }
  }

  private static func pair(_ a: Endpoint, _ b: Endpoint) -> [Endpoint] {
    let key = FlowKey.between(a, b, .udp).key
    return [key.low, key.high]
  }
}
