import CallModel

/// Columns of table `streams` with the W3C member each is taken from.
enum StreamMembers {
  static let all: [(column: String, member: String)] = [
    ("ssrc", "ssrc"), ("mid", "mid"), ("rid", "rid"), ("codec", "codec.mimeType"),
    ("fmtp", "codec.sdpFmtpLine"),
    ("payload_type", "codec.payloadType"), ("clock_rate", "codec.clockRate"), ("channels", "codec.channels"),
    ("packets", "packetsReceived / packetsSent"), ("bytes", "bytesReceived / bytesSent"),
    ("lost", "packetsLost"),
    ("rtx", "retransmittedPackets"), ("fec", "fecPacketsReceived"), ("jitter_mean_ms", "jitter, mean (ms)"),
    ("jitter_max_ms", "jitter, greatest (ms)"), ("rtt_ms", "roundTripTime, mean (ms)"),
    ("concealed_samples", "concealedSamples"), ("silent_concealed_samples", "silentConcealedSamples"),
    ("total_samples", "totalSamplesReceived"), ("freeze_count", "freezeCount"),
    ("freeze_ms", "totalFreezesDuration (ms)"), ("pause_count", "pauseCount"),
    ("pause_ms", "totalPausesDuration (ms)"),
    ("frame_rate_mean", "framesPerSecond, mean"), ("width", "frameWidth"), ("height", "frameHeight"),
    ("nack", "nackCount"), ("pli", "pliCount"), ("fir", "firCount"), ("expected", "expected (capture)"),
    ("duplicates", "duplicates (capture)"), ("reordered", "reordered (capture)"), ("late", "late (capture)"),
    ("max_delta_ms", "longest gap between packets (ms)"),
    ("implementation", "decoder / encoderImplementation"),
    ("local", "local"), ("remote", "remote"), ("extra", "more"),
  ]

  /// A counter as it stands.
  static func text(_ cell: Cell) -> String {
    switch cell {
    case .null: CellText.unknown
    case .integer(let value): String(value)
    case .real(let value): CellText.fixed(value, decimals: 3)
    case .text(let value): value
    case .blob(let value): CellText.hexadecimal(value)
    }
  }
}
