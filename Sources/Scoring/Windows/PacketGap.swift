import CallModel

/// A period in which no packet of a medium arrived, with its classification.
public struct PacketGap: Sendable, Equatable {
  /// Minimum length of a gap, ms.
  static let minMs = 1000.0
  /// Maximum number of streams of one medium that are compared.
  private static let maxStreams = 32

  public var startMs: Double
  public var endMs: Double
  /// Whether it counts as loss: packets were sent, or the far end had vanished altogether.
  public var isLost: Bool
  public var proof: MediaSpan.Proof
  /// Whether nothing arrived afterwards.
  public var isOpen: Bool
  /// Whether nothing shows that packets were sent, nor that none were.
  public var isUnexplained: Bool

  /// Length, ms.
  public var lengthMs: Double { endMs - startMs }

  init(_ part: PacketGapClassifier.Ended, of run: PacketGapClassifier.Ended, isUnsent: Bool) {
    (startMs, endMs) = (part.from, part.to)
    isLost = !part.silent && !part.wasPausing
    isOpen = run.isOpen && part.to >= run.to
    isUnexplained = part.isUnexplained
    if isLost {
      proof =
        part.isRequestedAgain
        ? .signalling : run.silent ? .senderReports : part.missesNumbers ? .sequenceNumbers : .none
    } else {
      proof = run.numbersGoOn ? .sequenceNumbers : isUnsent ? .senderReports : .none
    }
  }

  /// The gaps, in which pieces of one run without packets are one gap if the sender's count shows most of it as lost:
  /// between two words that were lost, nothing was heard either.
  public static func runs(_ gaps: [PacketGap]) -> [PacketGap] {
    var runs: [[PacketGap]] = []
    for gap in gaps {
      if let last = runs.last?.last, gap.startMs - last.endMs < 1 {
        runs[runs.count - 1].append(gap)
      } else {
        runs.append([gap])
      }
    }
    return runs.flatMap { run in
      func isLost(_ gap: PacketGap) -> Bool { gap.isLost && gap.proof == .senderReports }
      guard let first = run.firstIndex(where: isLost), let last = run.lastIndex(where: isLost) else {
        return run
      }
      let pieces = run[first...last]
      let lostMs = pieces.reduce(0) { $0 + (isLost($1) ? $1.lengthMs : 0) }
      guard pieces.count > 1, !pieces.contains(where: { $0.proof == .signalling }),
        lostMs > (run[last].endMs - run[first].startMs) / 2
      else { return run }
      var whole = run[first]
      whole.endMs = run[last].endMs
      whole.isOpen = run[last].isOpen
      return run[..<first] + [whole] + run[(last + 1)...]
    }
  }

  /// Periods in which none of several streams of one medium had a packet.
  static func common(_ streams: [StreamFlow]) -> [PacketGap] {
    guard streams.count > 1 else { return streams.first?.gaps ?? [] }
    guard streams.count <= maxStreams else { return [] }
    // When each of the streams had packets.
    let busy = streams.map(\.flowing)
    let end = streams.map(\.endMs).max() ?? 0
    var common: [PacketGap] = []
    for (place, stream) in streams.enumerated() {
      var gaps = stream.gaps
      // A stream that ended may continue under another SSRC; the other streams show whether it did.
      if let last = gaps.last, last.isOpen, last.endMs < end, busy.count == 1 {
        gaps[gaps.count - 1].endMs = end
      }
      for gap in gaps {
        let others = busy.indices.filter { $0 != place }.map { busy[$0] }
        for free in SpanSet(others.flatMap { $0.clipped(to: gap.startMs, gap.endMs) }).between(
          gap.startMs, gap.endMs)
        where free.end - free.start >= minMs {
          var part = gap
          (part.startMs, part.endMs) = free
          part.isOpen = gap.isOpen && free.end >= end - 1
          common.append(part)
        }
      }
    }
    return common.sorted { ($0.startMs, $0.endMs) < ($1.startMs, $1.endMs) }
  }
}

/// When packets of one received stream arrived.
public struct StreamFlow: Sendable {
  /// Which of the streams of its end.
  public var stream: Int
  public var kind: MediaKind
  /// From its first packet to its last report.
  public var startMs: Double
  public var endMs: Double
  public var gaps: [PacketGap]

  /// The times without its gaps.
  public var flowing: SpanSet {
    SpanSet(SpanSet(gaps.map { ($0.startMs, $0.endMs) }).between(startMs, endMs))
  }
}

extension SpanSet {
  /// The spans clipped to the given period.
  public func clipped(to start: Double, _ end: Double) -> [(start: Double, end: Double)] {
    let inside = between(start, end)
    var at = start
    var spans: [(start: Double, end: Double)] = []
    for hole in inside {
      if hole.start > at { spans.append((at, hole.start)) }
      at = hole.end
    }
    if at < end { spans.append((at, end)) }
    return spans
  }
}
