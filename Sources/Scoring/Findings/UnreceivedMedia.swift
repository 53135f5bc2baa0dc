import CallModel

/// A medium of which not one packet came, while the reports of its sender (RTCP) count more and more of them.
struct UnreceivedMedia {
  var kind: MediaKind
  /// While it was reported, ms since the Unix epoch.
  var startMs: Double
  var endMs: Double
  /// Packets sent from the first report of the sender to the last.
  var packets: Double

  /// It as a picture that was missing.
  var picture: MissingMedium? {
    kind == .video && endMs > startMs ? MissingMedium(.video, sent: startMs...endMs, reported: packets) : nil
  }
}

/// Finds media that never came, by what statistics have of their senders' reports: a stream without a packet is in no window.
struct UnreceivedMediaDetector {
  /// What is known of one stream without packets.
  private struct Stream {
    var kind: MediaKind
    var startMs: Double
    var endMs: Double
    var first: (timeMs: Double, packets: Double)?
    var last: (timeMs: Double, packets: Double)?
  }

  /// Fewer packets are those on their way when it stopped, or probes; shorter times tell nothing, ms.
  private static let (leastPackets, leastMs) = (25.0, 5000.0)
  /// What lies after the last report of the sender was like what it told of, for so long: those of sound are up to 7.5 s apart, ms.
  private static let longestApartMs = 15_000.0

  private var streams: [Int: Stream] = [:]
  /// Media of which packets came.
  private var came: Set<MediaKind> = []

  /// Takes an instant of a stream.
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
      // A count that fell is another one.
      if seen.last.map({ sent < $0.packets }) ?? true { seen.first = (timeMs, sent) }
      seen.last = (timeMs, sent)
    }
    streams[stream] = seen
  }

  /// Of each medium that never came, the stream of which most was sent.
  var media: [UnreceivedMedia] {
    let sent = streams.values.compactMap { stream -> UnreceivedMedia? in
      guard !came.contains(stream.kind), let first = stream.first, let last = stream.last,
        last.packets - first.packets >= Self.leastPackets, last.timeMs - first.timeMs >= Self.leastMs
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
