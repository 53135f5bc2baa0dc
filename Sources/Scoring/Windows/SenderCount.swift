/// Holds what the far end says it has sent (the packet count of its RTCP sender reports) against what came.
///
/// Sender reports come every second or every few. Between two of them it is known how many packets were sent, and how many
/// of those are missing beyond what the receiver counts as lost itself; before the first and after the last, nothing.
struct SenderCount {
  /// What is missing of a time.
  struct Missing {
    var from: Double
    var to: Double
    var packets: Double
    /// Whether no packet came between the two reports, so that no estimate is in it.
    var isExact: Bool

    var lengthMs: Double { to - from }
  }

  /// How things stood when a sender report came.
  private struct Mark {
    var timeMs: Double
    var sent: Double
    var came: Double
    var lost: Double
  }

  /// Where reports of statistics with packets are further apart, how many had come when a sender report did is told by steady
  /// sound alone, if at that pace it can have been but so much more or less, ms.
  private static let longestMs = 2500.0
  private static let mostVagueMs = 400.0
  /// Sender reports that follow so soon on another one take its place, ms: a long silence has no more of them than seconds.
  private static let apartMs = 900.0
  /// Two counts that should agree and differ by more than this, of the packets sent and beyond, in so many steady times in a row
  /// are not of the same packets: a server in between passes on less than the sender says.
  private static let mostApart = (share: 0.1, packets: 30.0, times: 3)

  /// Most sender reports of one silence that are kept; of a longer one every second is left out.
  private static let mostKept = 1024

  private var marks: [Mark] = []
  private var came = 0.0
  private var lost = 0.0
  private var isDry = false
  /// Whether there was a time without packets since the last mark.
  private var wasDry = false
  private var disagreements = 0

  /// When the last sender report came; nil where none is known, or none is to be believed.
  var lastMs: Double? { isBelieved ? marks.last?.timeMs : nil }

  private var isBelieved: Bool { disagreements < Self.mostApart.times }

  /// Takes the next segment, with the packets that came in it.
  mutating func add(_ segment: Segment, isSound: Bool) {
    guard let packets = segment.growth[.packets] else { return }
    let isResuming = isDry && packets > 0
    // What is missing where packets come again is what is looked for, whoever else counts it.
    let counted = isResuming ? 0 : segment.growth[.lost] ?? 0
    isDry = packets == 0
    if isDry { wasDry = true }
    func share(at time: Double) -> Double? {
      if isDry { return 0 }
      if segment.to - segment.from <= Self.longestMs { return Self.share(of: segment, at: time, isResuming) }
      return isSound ? Self.steadyShare(of: segment, packets: packets + max(0, counted), at: time) : nil
    }
    if let report = segment.senderReport, let share = share(at: report.timeMs) {
      mark(
        Mark(
          timeMs: report.timeMs, sent: report.packets, came: came + packets * share,
          lost: lost + counted * share))
    }
    came += packets
    lost += counted
  }

  /// Forgets what is before a time without reports of statistics.
  mutating func interrupt() { self = SenderCount() }

  /// Forgets what no question will be asked about.
  mutating func forget(before time: Double) {
    let first = marks.lastIndex { $0.timeMs <= time } ?? 0
    if first > 8 { marks.removeFirst(first) }
  }

  /// What is missing, by the parts of a time of which it is known; each at least so long, where the time is.
  func missing(from: Double, to: Double, leastMs: Double) -> [Missing] {
    guard isBelieved, marks.count > 1 else { return [] }
    var parts: [Missing] = []
    for (before, after) in zip(marks, marks.dropFirst()) where after.timeMs > from && before.timeMs < to {
      let missing = after.sent - before.sent - (after.came - before.came) - max(0, after.lost - before.lost)
      let part = Missing(
        from: max(from, before.timeMs), to: min(to, after.timeMs), packets: missing,
        isExact: after.came == before.came)
      if let last = parts.last, last.lengthMs < leastMs || part.to >= to && part.lengthMs < leastMs {
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
    // A count that fell is another one.
    guard mark.sent >= last.sent else {
      marks = [mark]
      disagreements = 0
      return
    }
    guard mark.timeMs > last.timeMs else { return }
    if !wasDry {
      let sent = mark.sent - last.sent
      let apart = abs(sent - (mark.came - last.came) - (mark.lost - last.lost))
      let isApart = apart > Self.mostApart.share * sent + Self.mostApart.packets
      disagreements = isApart ? min(disagreements + 1, Self.mostApart.times) : 0
    }
    wasDry = isDry
    if marks.count > 1, mark.timeMs - marks[marks.count - 2].timeMs < Self.apartMs { marks.removeLast() }
    if marks.count >= Self.mostKept {
      marks = marks.enumerated().compactMap { $0.offset % 2 == 0 ? $0.element : nil }
    }
    marks.append(mark)
  }

  /// The same of a long segment of sound, by how many packets have room before the instant, and after it; nil if it is too vague.
  private static func steadyShare(of segment: Segment, packets: Double, at time: Double) -> Double? {
    let end = segment.lastPacketAfter.flatMap { $0 > segment.from ? $0 : nil } ?? segment.to
    let most = min(packets, (time - segment.from) / segment.packetMs)
    let least = max(0, packets - max(0, end - time) / segment.packetMs)
    guard packets > 0, (most - least) * segment.packetMs <= mostVagueMs else { return nil }
    return min(1, max(0, (most + least) / 2 / packets))
  }

  /// Which part of a segment's packets had come at an instant.
  private static func share(of segment: Segment, at time: Double, _ isResuming: Bool) -> Double {
    // Padding moves no last packet.
    let end = segment.lastPacketAfter.flatMap { $0 > segment.from ? $0 : nil } ?? segment.to
    let begin = isResuming ? segment.resumptionMs : segment.from
    guard end > begin else { return time < end ? 0 : 1 }
    return min(1, max(0, (time - begin) / (end - begin)))
  }
}
