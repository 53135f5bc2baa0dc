import CallModel

/// A period in which one of two people spoke, as seen from one end of their call.
public struct Utterance: Sendable, Equatable {
  /// Whether the person at this end spoke.
  public var isLocal: Bool
  /// Ms since the Unix epoch: local speech when it was spoken, remote speech when it was heard.
  public var fromMs: Double
  public var untilMs: Double

  public init(isLocal: Bool, fromMs: Double, untilMs: Double) {
    (self.isLocal, self.fromMs, self.untilMs) = (isLocal, fromMs, untilMs)
  }

  /// The utterance of an event `media.spoke`; nil for any other event.
  public init?(_ event: EventRecord) {
    guard event.event == .mediaSpoke, let from = event.timeMs,
      let until = event[.untilMs], until > from, let by = event[.by]
    else { return nil }
    self.init(isLocal: by == "local", fromMs: from, untilMs: until)
  }
}

/// A change of speaker, or a pause in which nobody spoke.
public struct Turn: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    /// The second speaker began after the first had finished.
    case gap
    /// The second speaker began in the last moments of the first, too early to be a reaction to the end.
    case overlap
    /// The second speaker began while the first went on speaking, and the first gave way.
    case bargeIn = "barge-in"
    /// Nobody spoke for a long time, whoever continued.
    case deadAir = "dead-air"
  }

  public var kind: Kind
  /// Whether the previous speaker, and the next one, was at this end.
  public var isFromLocal: Bool
  public var isToLocal: Bool
  /// When the previous speaker finished, ms since the Unix epoch.
  public var atMs: Double
  /// Time from then until the next speaker began, ms; negative if they overlapped.
  public var gapMs: Double
}

/// Derives turns from the utterances of two speakers, with the floor-transfer offset of Heldner and Edlund (J.
/// Phonetics 38, 2010), measured from the end of one speaker to the start of the other. Speech that starts and ends
/// while the other speaks is no turn.
public enum TurnTaking {
  /// Minimum reaction time of people, ms: whoever begins earlier anticipated the end.
  public static let reactionMs = 200.0
  /// Minimum length of dead air, ms.
  public static let deadAirMs = 3000.0

  /// The turns of a call in time order.
  public static func turns(_ utterances: [Utterance]) -> [Turn] {
    let inOrder = utterances.sorted { ($0.fromMs, $0.untilMs) < ($1.fromMs, $1.untilMs) }
    guard var holder = inOrder.first else { return [] }
    var turns: [Turn] = []
    // When the last utterance of anybody ended.
    var silentSince = holder.untilMs
    for next in inOrder.dropFirst() {
      let pause = next.fromMs - silentSince
      if pause >= deadAirMs {
        turns.append(
          Turn(
            kind: .deadAir, isFromLocal: holder.isLocal, isToLocal: next.isLocal, atMs: silentSince,
            gapMs: pause))
      }
      silentSince = max(silentSince, next.untilMs)
      guard next.isLocal != holder.isLocal else {
        holder.untilMs = max(holder.untilMs, next.untilMs)
        continue
      }
      // A backchannel ("mhm") while the other goes on speaking.
      if next.untilMs <= holder.untilMs { continue }
      let gap = next.fromMs - holder.untilMs
      if pause < deadAirMs {
        turns.append(
          Turn(
            kind: gap >= 0 ? .gap : gap > -reactionMs ? .overlap : .bargeIn, isFromLocal: holder.isLocal,
            isToLocal: next.isLocal, atMs: holder.untilMs, gapMs: gap))
      }
      holder = next
    }
    return turns
  }
}

/// Derives utterances from the audio energy between reports (`totalAudioEnergy`), usually one per second.
public enum SpeechOfReports {
  /// Audio of one stream between two reports.
  public struct Interval: Sendable {
    public var fromMs: Double
    public var untilMs: Double
    /// Mean power, 1 = full scale.
    public var power: Double

    public init(fromMs: Double, untilMs: Double, power: Double) {
      (self.fromMs, self.untilMs, self.power) = (fromMs, untilMs, power)
    }
  }

  /// Collects the intervals of one stream from its reports.
  public struct Intervals: Sendable {
    public private(set) var all: [Interval] = []
    private var before: (timeMs: Double, energy: Double)?

    public init() {}

    /// Takes the next report. Reports without `totalAudioEnergy` are skipped; a counter that decreased starts over.
    public mutating func take(_ sample: Sample) {
      guard let energy = sample[.totalAudioEnergy] else { return }
      if let before, sample.timeMs > before.timeMs, energy >= before.energy {
        all.append(
          Interval(
            fromMs: before.timeMs, untilMs: sample.timeMs,
            power: (energy - before.energy) * 1000 / (sample.timeMs - before.timeMs)))
      }
      before = (sample.timeMs, energy)
    }
  }

  /// Minimum power ratio of speech to background noise: 12 dB.
  private static let contrast = 16.0
  /// Minimum power of speech: −60 dBov.
  private static let quietest = 1e-6

  /// The utterances of one speaker. An interval that contains speech for only part of its length has that part of its
  /// neighbours' power, which locates the start and the end of speech within it.
  public static func utterances(_ intervals: [Interval], isLocal: Bool) -> [Utterance] {
    let sorted = intervals.map(\.power).sorted()
    guard sorted.count >= 5 else { return [] }
    let loud = sorted[Int(Double(sorted.count - 1) * 0.9)]
    let quiet = sorted[Int(Double(sorted.count - 1) * 0.1)]
    guard loud >= quietest, loud >= contrast * quiet else { return [] }
    let limit = max(quietest, loud / 100, quiet * 2)
    var found: [Utterance] = []
    var index = 0
    while index < intervals.count {
      guard intervals[index].power > limit else {
        index += 1
        continue
      }
      var last = index
      while last + 1 < intervals.count, intervals[last + 1].power > limit { last += 1 }
      let inner = intervals[index...last].map(\.power).sorted()
      let usual = inner.count > 2 ? inner[inner.count / 2] : max(loud / 2, inner.last ?? loud)
      func part(_ place: Int) -> Double {
        let interval = intervals[place]
        return min(1, interval.power / usual) * (interval.untilMs - interval.fromMs)
      }
      if index == last {
        // The position within the interval is unknown: assume its middle.
        let middle = (intervals[index].fromMs + intervals[index].untilMs) / 2
        let half = part(index) / 2
        found.append(Utterance(isLocal: isLocal, fromMs: middle - half, untilMs: middle + half))
      } else {
        found.append(
          Utterance(
            isLocal: isLocal, fromMs: intervals[index].untilMs - part(index),
            untilMs: intervals[last].fromMs + part(last)))
      }
      index = last + 1
    }
    return found
  }
}
