extension EndAccount {
  /// Whether concealment of its audio was not counted but estimated from loss and jitter.
  var isConcealmentEstimated: Bool {
    let heard = ownStreams.filter {
      $0.direction == .inbound && $0.kind == .audio && ($0.number("packets") ?? 0) > 0
    }
    return !heard.isEmpty && !heard.contains(where: \.countsConcealment)
  }
}

extension StreamAccount {
  /// Members that count concealment: samples, or gauges and decoder calls of legacy statistics.
  private static let counters: Set<Substring> = [
    "concealed_samples", "expand_rate", "speech_expand_rate", "decoding_plc",
  ]

  fileprivate var countsConcealment: Bool {
    number("concealed_samples") != nil || number("concealed_share") != nil
      || figures["metrics"]?.string?.split(separator: " ").contains(where: Self.counters.contains) ?? false
  }
}
