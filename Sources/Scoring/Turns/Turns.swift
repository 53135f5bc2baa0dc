import CallModel

/// A time in which one of two people spoke, seen from one end of their call.
public struct Utterance: Sendable, Equatable {
  /// Whether it was spoken at this end.
  public var isLocal: Bool
  /// Ms since the epoch: spoken at this end as it was said, from the far one as it was heard.
  public var fromMs: Double
  public var untilMs: Double

  public init(isLocal: Bool, fromMs: Double, untilMs: Double) {
    (self.isLocal, self.fromMs, self.untilMs) = (isLocal, fromMs, untilMs)
  }

  /// What an event `media.spoke` tells; nil of any other.
  public init?(_ event: EventRecord) {
    guard event.event == "media.spoke", let from = event.timeMs,
      let until = event.argument("until_ms").flatMap(Double.init), until > from, let by = event.argument("by")
    else { return nil }
    self.init(isLocal: by == "local", fromMs: from, untilMs: until)
  }
}

/// One change of who speaks, or a pause in which nobody did.
public struct Turn: Sendable, Equatable {
  public enum Kind: String, Sendable, CaseIterable {
    /// The other began after the first had ended.
    case gap
    /// The other began in the last moments of the first, sooner than anyone could answer to its end.
    case overlap
    /// The other began while the first went on speaking, and the first gave way.
    case bargeIn = "barge-in"
    /// Nobody spoke for long, whoever went on then.
    case deadAir = "dead-air"
  }

  public var kind: Kind
  /// Who spoke before, and who spoke then: whether that was this end.
  public var isFromLocal: Bool
  public var isToLocal: Bool
  /// When the one before ended, ms since the epoch.
  public var atMs: Double
  /// From that end to the beginning of the other, ms; below 0 where they spoke at once.
  public var gapMs: Double
}

/// Who took turns with whom, by the utterances of two: the floor-transfer offset of Heldner and Edlund (J. Phonetics 38, 2010), who
/// measure from the end of one speaker to the beginning of the other. What begins and ends while the other speaks is no turn.
public enum TurnTaking {
  /// People take this long to answer at least, ms: what begins sooner before an end foresaw it.
  public static let reactionMs = 200.0
  /// Nobody speaking for so long is dead air, ms.
  public static let deadAirMs = 3000.0

  /// The turns of a call, in order.
  public static func turns(_ utterances: [Utterance]) -> [Turn] {
    let inOrder = utterances.sorted { ($0.fromMs, $0.untilMs) < ($1.fromMs, $1.untilMs) }
    guard var holder = inOrder.first else { return [] }
    var turns: [Turn] = []
    // When anybody spoke last.
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
      // A word of assent while the other goes on.
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

/// How long a turn of one second's statistics is: who spoke by the energy of each second (`totalAudioEnergy`), else by its level.
public enum SpeechOfReports {
  /// Sound of one stream between two reports.
  public struct Interval: Sendable {
    public var fromMs: Double
    public var untilMs: Double
    /// Mean power, 1 = full scale.
    public var power: Double

    public init(fromMs: Double, untilMs: Double, power: Double) {
      (self.fromMs, self.untilMs, self.power) = (fromMs, untilMs, power)
    }
  }

  /// Puts the intervals of one stream together, report by report.
  public struct Intervals: Sendable {
    public private(set) var all: [Interval] = []
    private var before: (timeMs: Double, energy: Double)?

    public init() {}

    /// Takes the next report; one without `totalAudioEnergy` is passed over, a counter that went back begins anew.
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

  /// Speech stands out of what else is heard by so much at least, as power: 12 dB.
  private static let contrast = 16.0
  /// What is quieter is never speech: −60 dBov.
  private static let quietest = 1e-6

  /// The utterances of one speaker. An interval that is spoken in for a part of it has that part of the power of its neighbours: so the
  /// beginning and the end are found within it.
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
        // Somewhere within it: in its middle.
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
