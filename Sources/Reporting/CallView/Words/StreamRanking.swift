import CallModel

/// Which streams of an end are shown first.
enum StreamRanking {
  /// Received streams of a kind with packets, the worst first: by loss, then freezes, then least packets.
  static func worst(_ end: EndAccount, _ kind: MediaKind) -> [StreamAccount] {
    end.ownStreams.filter { $0.direction == .inbound && $0.kind == kind && ($0.number("packets") ?? 0) > 0 }
      .sorted { harm($0) > harm($1) }
  }

  private static func harm(_ stream: StreamAccount) -> Double {
    let span = max(1, (stream.lastMs ?? 0) - (stream.firstMs ?? 0))
    // Counters of freezes begin with the first frame.
    if isDark(stream) { return 1 + (StreamWords.lossShare(stream) ?? 0) }
    return (StreamWords.lossShare(stream) ?? 0) + (stream.number("freeze_ms") ?? 0) / span
      + (stream.concealedShare ?? 0)
  }

  /// Whether nobody knows what it is, and there is next to nothing in it: padding by which a sender looks for more bandwidth.
  static func isProbe(_ stream: StreamAccount) -> Bool {
    stream.kind == nil && stream.codec == nil && stream.number("bitrate_mean_bps") ?? .infinity < 1000
  }

  /// Whether it is redundancy of another (RFC 8627), no medium.
  static func isRedundancy(_ stream: StreamAccount) -> Bool {
    stream.source == .capture
      && stream.figures["extra"]?.string.flatMap { memberText("role", of: $0) } == "fec"
  }

  /// Whether a picture was received of which not one frame was decoded.
  static func isDark(_ stream: StreamAccount) -> Bool {
    stream.kind == .video && stream.number("frame_rate_mean") == 0 && stream.number("width") ?? 0 == 0
      && stream.number("bytes") ?? 0 >= (stream.number("packets") ?? 1) * leastPicturePayload
  }
}
