import CallModel

/// A medium, or one stream of several, of which no packet arrived, while the RTCP reports of its sender count more and
/// more of them.
struct UnreceivedMedia {
  var kind: MediaKind
  /// Number of streams of the same medium whose packets did arrive, as those of other participants.
  var others = 0
  /// The period covered by those reports, ms since the Unix epoch.
  var startMs: Double
  var endMs: Double
  /// Packets sent between the sender's first and last report.
  var packets: Double

  /// Whether nothing of the medium arrived.
  var isWhole: Bool { others == 0 }

  /// The same as missing video; nil for audio, and if other video arrived.
  var picture: MissingMedium? {
    guard kind == .video, isWhole, endMs > startMs else { return nil }
    return MissingMedium(.video, sent: startMs...endMs, reported: packets)
  }
}

extension UnreceivedMedia {
  /// The finding on one stream of several; nil if nothing of the medium arrived, or if it was not to be received.
  func finding(_ context: FindingContext) -> Finding? {
    let endMs = min(endMs, context.overMs ?? endMs)
    guard !isWhole, endMs - startMs >= Threshold.missingMedium.value,
      !context.quietTimes.hasMost(of: (start: startMs, end: endMs))
    else { return nil }
    let (name, seen) = kind == .audio ? ("voices", "hear") : ("pictures", "see")
    return Finding(
      .streamNotReceived, kind == .audio ? .error : .warning, from: startMs, to: endMs,
      Evidence().with("without_packets_ms", endMs - startMs).with("sent_packets", packets).with(
        "streams", Double(others + 1)
      ).with("kind", kind.rawValue),
      "One of \(others + 1) \(name) is missing: its sender reports (RTCP) \(Int(min(packets, 1e12))) packets, and not one came for \(seconds(endMs - startMs)). This end does not \(seen) it."
    )
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

  /// How long the state shown by the last sender report is assumed to continue, ms: reports on audio are up to 7.5 s
  /// apart.
  private static let longestApartMs = 15_000.0

  /// Maximum number of streams of a medium that are reported one by one.
  private static let maxStreams = 8

  private var streams: [Int: Stream] = [:]
  /// The streams of which packets arrived.
  private var received: [Int: MediaKind] = [:]

  /// Takes one sample of a stream.
  mutating func see(_ sample: SampleView, of stream: Int, _ role: StreamRole) {
    guard role.source == .stats, role.direction == .inbound, let kind = role.kind, received[stream] == nil,
      let packets = sample[.packets]
    else { return }
    if packets > 0 {
      received[stream] = kind
      streams[stream] = nil
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

  /// The streams that never arrived; of a medium of which nothing arrived, only the one with the most packets sent.
  var media: [UnreceivedMedia] {
    let arrived = Dictionary(grouping: received.values) { $0 }.mapValues(\.count)
    let sent = streams.values.compactMap { stream -> UnreceivedMedia? in
      guard let first = stream.first, let last = stream.last,
        last.packets - first.packets >= Threshold.sentPackets.value,
        last.timeMs - first.timeMs >= Threshold.missingMedium.value
      else { return nil }
      let isLater = stream.endMs - last.timeMs > Self.longestApartMs
      return UnreceivedMedia(
        kind: stream.kind, others: arrived[stream.kind] ?? 0, startMs: min(stream.startMs, first.timeMs),
        endMs: isLater ? last.timeMs : stream.endMs, packets: last.packets - first.packets)
    }
    return Dictionary(grouping: sent, by: \.kind).values.flatMap { ofKind in
      let ranked = ofKind.sorted { ($0.packets, $1.startMs, $1.endMs) > ($1.packets, $0.startMs, $0.endMs) }
      return ranked.prefix(ranked.allSatisfy(\.isWhole) ? 1 : Self.maxStreams)
    }.sorted { ($0.kind.rawValue, $0.startMs) < ($1.kind.rawValue, $1.startMs) }
  }
}
