import CallModel

/// A medium of which no packet arrived, while the RTCP reports of its sender count more and more of them.
struct UnreceivedMedia {
  var kind: MediaKind
  /// The period covered by those reports, ms since the Unix epoch.
  var startMs: Double
  var endMs: Double
  /// Packets sent between the sender's first and last report.
  var packets: Double

  /// The same as missing video; nil for audio.
  var picture: MissingMedium? {
    kind == .video && endMs > startMs ? MissingMedium(.video, sent: startMs...endMs, reported: packets) : nil
  }
}

/// Finds media that never arrived from the sender reports in statistics: a stream without a packet is in no window.
struct UnreceivedMediaDetector {
  /// What is known of one stream without packets.
  private struct Stream {
    var kind: MediaKind
    var startMs: Double
    var endMs: Double
    var first: (timeMs: Double, packets: Double)?
    var last: (timeMs: Double, packets: Double)?
  }

  /// Minimum number of packets, since fewer may have been in transit or be probes, and minimum duration, ms.
  private static let (minPackets, minMs) = (25.0, 5000.0)
  /// How long the state shown by the last sender report is assumed to continue, ms: reports on audio are up to 7.5 s
  /// apart.
  private static let longestApartMs = 15_000.0

  private var streams: [Int: Stream] = [:]
  /// Media of which packets arrived.
  private var came: Set<MediaKind> = []

  /// Takes one sample of a stream.
  mutating func see(_ sample: SampleView, of stream: Int, _ role: StreamRole) {
    guard role.source == .stats, role.direction == .inbound, let kind = role.kind, !came.contains(kind),
      let packets = sample[.packets]
    else { return }
    if packets > 0 {
      came.insert(kind)
      return
    }
    var seen = streams[stream] ?? Stream(kind: kind, startMs: sample.timeMs, endMs: sample.timeMs)
    seen.endMs = max(seen.endMs, sample.timeMs)
    if let sent = sample[.farPackets], let timeMs = sample[.farPacketsMs] {
      // A count that decreased belongs to another stream.
      if seen.last.map({ sent < $0.packets }) ?? true { seen.first = (timeMs, sent) }
      seen.last = (timeMs, sent)
    }
    streams[stream] = seen
  }

  /// For each medium that never arrived, the stream with the most packets sent.
  var media: [UnreceivedMedia] {
    let sent = streams.values.compactMap { stream -> UnreceivedMedia? in
      guard !came.contains(stream.kind), let first = stream.first, let last = stream.last,
        last.packets - first.packets >= Self.minPackets, last.timeMs - first.timeMs >= Self.minMs
      else { return nil }
      let isLater = stream.endMs - last.timeMs > Self.longestApartMs
      return UnreceivedMedia(
        kind: stream.kind, startMs: min(stream.startMs, first.timeMs),
        endMs: isLater ? last.timeMs : stream.endMs, packets: last.packets - first.packets)
    }
    return Dictionary(grouping: sent, by: \.kind).values.compactMap { ofKind in
      ofKind.max { ($0.packets, $1.startMs) < ($1.packets, $0.startMs) }
    }.sorted { $0.kind.rawValue < $1.kind.rawValue }
  }
}
