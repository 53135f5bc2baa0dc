import Packets

/// Media that bypass a user agent. Its two calls, one with each party, have the same two audio addresses in
/// SDP, so that the audio of both is recorded under only one of them: the older.
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
      guard let startNs = path.events.first?.timeNs else { continue }
      // SDP may take the media back before the call ends.
      for pair in path.soundPairs {
        guard let known = between[pair]?.suffix(Self.maxAsked),
          !known.contains(where: { $0.path === path }),
          let stream = known.first(where: { $0.lastNs > startNs && $0.firstNs < path.overNs ?? .max }),
          let call = stream.path.call
        else { continue }
        var w = ArgumentWriter()
        w.add(.call, call)
        path.add(note: .mediaElsewhere, at: max(startNs, stream.firstNs), args: w.text)
        break
      }
    }
  }

  /// Takes the two addresses that the ends of a call give for audio.
  func take(soundOf path: MediaTransport) {
    guard let a = path.ends.0.soundAt, let b = path.ends.1.soundAt else { return }
    let pair = Self.pair(a, b)
    guard path.note(soundBetween: pair) else { return }
    note(path, naming: pair)
  }

  /// The oldest call that is not over and whose ends named two addresses for audio at the same time, and the end that
  /// named the first.
  func named(_ a: Endpoint, _ b: Endpoint) -> (path: MediaTransport, end: Int)? {
    calls(naming: Self.pair(a, b)).lazy.map { MediaTransport.whole($0, 0).path }.filter { $0.overNs == nil }
      .compactMap { path in path.end(naming: a, to: b).map { (path, $0) } }
      .min { $0.path.number < $1.path.number }
  }

  private static func pair(_ a: Endpoint, _ b: Endpoint) -> [Endpoint] {
    let key = FlowKey.between(a, b, .udp).key
    return [key.low, key.high]
  }
}
