/// Follows the times in which a stream got no packet, and tells an outage from a far end that sends nothing on purpose.
///
/// An outage shorter than `WindowCut.lengthMs`, or one in which nothing else arrived either, is a gap; a longer one
/// during which the far end was heard of is silence. So is any after which numbers go on as if nothing had been, where that
/// tells something.
struct DryRun {
  /// Shortest time without a packet that is a gap: Opus in discontinuous transmission sends every 400 ms.
  static let shortestMs = 800.0

  /// How long before its end the far end must have been heard of in a silence: what comes back with the media is no sign.
  static let marginMs = 2000.0

  /// Lost packets that explain less of a run are the usual ones beside it; more media than this in its time came late at once.
  private static let explainedShare = 0.2
  private static let burstShare = 1.2

  /// A finished run without packets.
  struct Ended {
    var from: Double
    var to: Double
    var silent: Bool
  }

  /// Whether that nothing is lost says that nothing was sent: of a codec that sends nothing at all in silence.
  private let numbersTell: Bool
  private var since: Double?
  private var signOfLife: Double?

  init(numbersTell: Bool) { self.numbersTell = numbersTell }

  /// Start of the run that is going on, if any.
  var current: Double? { since }

  /// Whether a run is going on in which the far end has not been heard of.
  var isListening: Bool { since != nil && signOfLife == nil }

  /// The far end, or anything at all, was heard of between two times.
  mutating func heard(from: Double, to: Double) {
    if let since, from >= since, signOfLife == nil { signOfLife = to }
  }

  /// Takes the next segment; gives back the run that ended in it.
  mutating func add(_ segment: Segment) -> Ended? {
    guard let had = segment.hadPackets else { return nil }
    if !had {
      if since == nil { since = segment.lastPacketBefore.map { min($0, segment.from) } ?? segment.from }
      return nil
    }
    let resumed = resumption(segment)
    // With packets at both ends of the segment a gap may still lie between them.
    let start = since ?? segment.lastPacketBefore.map { min($0, segment.from) } ?? segment.from
    let until = max(resumed, since == nil ? start : segment.from)
    return end(from: start, to: until, paused: numbersTell && isPause(until - start, segment))
  }

  /// Whether the sender took up again where it had left off: what was lost explains little of the time, and not more came
  /// than time had passed for.
  private func isPause(_ length: Double, _ segment: Segment) -> Bool {
    guard let lost = segment.growth[.lost], let packets = segment.growth[.packets] else { return false }
    return lost * FirstMedia.packetMs <= Self.explainedShare * length
      && packets * FirstMedia.packetMs <= Self.burstShare * (segment.to - segment.from)
  }

  /// Ends the run, if one is going on, with the recording.
  mutating func finish(at end: Double) -> Ended? {
    since.flatMap { self.end(from: $0, to: end) }
  }

  private mutating func end(from start: Double, to end: Double, paused: Bool = false) -> Ended? {
    let length = end - start
    defer {
      since = nil
      signOfLife = nil
    }
    guard length >= Self.shortestMs else { return nil }
    let heard = signOfLife.map { $0 <= end - Self.marginMs } ?? false
    return Ended(from: start, to: end, silent: paused || heard && length >= WindowCut.lengthMs)
  }

  /// When packets came back: the last one less the time that those before it took, at 20 ms each.
  private func resumption(_ segment: Segment) -> Double {
    guard let last = segment.lastPacketAfter else { return segment.from }
    let packets = segment.growth[.packets] ?? segment.growth[.expected] ?? 0
    return min(segment.to, max(segment.from, last - 20 * packets))
  }
}
