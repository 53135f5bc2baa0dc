extension EndAccount {
  /// Whether nobody counted what was made up of the sound that it received: what is told of it is what loss and jitter let expect.
  var isMadeUpEstimated: Bool {
    let heard = ownStreams.filter {
      $0.direction == .inbound && $0.kind == .audio && ($0.number("packets") ?? 0) > 0
    }
    return !heard.isEmpty && !heard.contains(where: \.countsMadeUp)
  }
}

extension StreamAccount {
  /// What counts it: samples, or the gauges and the decoder's calls of legacy statistics.
  private static let counters: Set<Substring> = [
    "concealed_samples", "expand_rate", "speech_expand_rate", "decoding_plc",
  ]

  fileprivate var countsMadeUp: Bool {
    number("concealed_samples") != nil || number("concealed_share") != nil
      || figures["metrics"]?.string?.split(separator: " ").contains(where: Self.counters.contains) ?? false
  }
}
