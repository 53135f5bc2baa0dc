/// Compares the far end's own packet count (RTCP sender reports) with what arrived.
///
/// Sender reports come every second or every few seconds. Between two of them it is known how many packets were sent,
/// and how many are missing beyond those that the receiver itself counts as lost; before the first and after the last,
/// nothing is known.
struct SenderCount {
  /// The packets missing in a period.
  struct Missing {
    var from: Double
    var to: Double
    var packets: Double
    /// Whether no packet arrived between the two reports, so that the number is no estimate.
    var isExact: Bool

    var lengthMs: Double { to - from }
  }

  /// The counts at the time of a sender report.
  private struct Mark {
    var timeMs: Double
    var sent: Double
    var received: Double
    var lost: Double
  }

  /// If reports with packets are further apart than `longestMs`, the number received by the time of a sender report is
  /// estimated only for steady audio, and only if the uncertainty is at most `maxVagueMs`.
  private static let longestMs = 2500.0
  private static let maxVagueMs = 400.0
  /// A sender report that follows another one this soon replaces it, ms, so that a silence keeps about one per second.
  private static let apartMs = 900.0
  /// If two counts that should agree differ by more than this share of the packets sent plus this number, in this many
  /// steady periods in a row, they do not count the same packets: a server in between forwards less than the sender
  /// reports.
  private static let maxApart = (share: 0.1, packets: 30.0, times: 3)

  /// Maximum number of sender reports kept for one silence; of a longer one every second report is dropped.
  private static let maxKept = 1024

  private var marks: [Mark] = []
  private var received = 0.0
  private var lost = 0.0
  private var isWithoutPackets = false
  /// Whether there was a period without packets since the last mark.
  private var wasWithoutPackets = false
  private var disagreements = 0

  /// When the last sender report arrived; nil if there is none, or if they are not credible.
  var lastMs: Double? { isBelieved ? marks.last?.timeMs : nil }

  private var isBelieved: Bool { disagreements < Self.maxApart.times }

  /// Takes the next segment with the packets that arrived in it.
  mutating func add(_ segment: Segment, isSound: Bool) {
    guard let packets = segment.growth[.packets] else { return }
    let isResuming = isWithoutPackets && packets > 0
    // Packets missing when the stream resumes are what is being determined, whether or not the receiver counts them as
    // lost.
    let counted = isResuming ? 0 : segment.growth[.lost] ?? 0
    isWithoutPackets = packets == 0
    if isWithoutPackets { wasWithoutPackets = true }
    func share(at time: Double) -> Double? {
      if isWithoutPackets { return 0 }
      if segment.to - segment.from <= Self.longestMs { return Self.share(of: segment, at: time, isResuming) }
      return isSound ? Self.steadyShare(of: segment, packets: packets + max(0, counted), at: time) : nil
    }
    if let report = segment.senderReport, let share = share(at: report.timeMs) {
      mark(
        Mark(
          timeMs: report.timeMs, sent: report.packets, received: received + packets * share,
          lost: lost + counted * share))
    }
    received += packets
    lost += counted
  }

  /// Forgets what precedes a period without statistics.
  mutating func interrupt() { self = SenderCount() }

  /// Forgets what no later query needs.
  mutating func forget(before time: Double) {
    let first = marks.lastIndex { $0.timeMs <= time } ?? 0
    if first > 8 { marks.removeFirst(first) }
  }

  /// The packets missing in the known parts of a period, in pieces of at least `minMs` if the period is long enough.
  func missing(from: Double, to: Double, minMs: Double) -> [Missing] {
    guard isBelieved, marks.count > 1 else { return [] }
    var parts: [Missing] = []
    for (before, after) in zip(marks, marks.dropFirst()) where after.timeMs > from && before.timeMs < to {
      let missing =
        after.sent - before.sent - (after.received - before.received) - max(0, after.lost - before.lost)
      let part = Missing(
        from: max(from, before.timeMs), to: min(to, after.timeMs), packets: missing,
        isExact: after.received == before.received)
      if let last = parts.last, last.lengthMs < minMs || part.to >= to && part.lengthMs < minMs {
        parts[parts.count - 1].to = part.to
        parts[parts.count - 1].packets += part.packets
        parts[parts.count - 1].isExact = last.isExact && part.isExact
      } else {
        parts.append(part)
      }
    }
    return parts
  }

  private mutating func mark(_ mark: Mark) {
    guard let last = marks.last else { return marks.append(mark) }
    // A count that decreased belongs to another stream.
    guard mark.sent >= last.sent else {
      marks = [mark]
      disagreements = 0
      return
    }
    guard mark.timeMs > last.timeMs else { return }
    if !wasWithoutPackets {
      let sent = mark.sent - last.sent
      let apart = abs(sent - (mark.received - last.received) - (mark.lost - last.lost))
      let isApart = apart > Self.maxApart.share * sent + Self.maxApart.packets
      disagreements = isApart ? min(disagreements + 1, Self.maxApart.times) : 0
    }
    wasWithoutPackets = isWithoutPackets
    if marks.count > 1, mark.timeMs - marks[marks.count - 2].timeMs < Self.apartMs { marks.removeLast() }
    if marks.count >= Self.maxKept {
      marks = marks.enumerated().compactMap { $0.offset % 2 == 0 ? $0.element : nil }
    }
    marks.append(mark)
  }

  /// The same for a long segment of audio, from how many packets fit before and after that time; nil if too uncertain.
  private static func steadyShare(of segment: Segment, packets: Double, at time: Double) -> Double? {
    let end = segment.lastPacketAfter.flatMap { $0 > segment.from ? $0 : nil } ?? segment.to
    let most = min(packets, (time - segment.from) / segment.packetMs)
    let least = max(0, packets - max(0, end - time) / segment.packetMs)
    guard packets > 0, (most - least) * segment.packetMs <= maxVagueMs else { return nil }
    return min(1, max(0, (most + least) / 2 / packets))
  }

  /// The share of a segment's packets that had arrived at a given time.
  private static func share(of segment: Segment, at time: Double, _ isResuming: Bool) -> Double {
    // Padding does not update the time of the last packet.
    let end = segment.lastPacketAfter.flatMap { $0 > segment.from ? $0 : nil } ?? segment.to
    let begin = isResuming ? segment.resumptionMs : segment.from
    guard end > begin else { return time < end ? 0 : 1 }
    return min(1, max(0, (time - begin) / (end - begin)))
  }
}
