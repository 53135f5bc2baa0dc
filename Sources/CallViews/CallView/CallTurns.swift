import CallModel
import CallStore
import Scoring

/// The turns of a two-party call, as seen from each of its ends.
public struct CallTurns {
  /// The basis of the turns: levels in packets, or the audio energy of each report.
  public enum Source: String, Sendable {
    case capture, statistics
  }

  /// The turns seen by one end.
  public struct End: Sendable {
    /// The names of this end and the far one.
    public var name: String
    public var far: String
    public var source: Source
    /// Time resolution of the source, ms.
    public var stepMs: Double
    public var turns: [Turn]

    /// Response times of one side to the other in ascending order, ms.
    public func answers(byLocal isLocal: Bool) -> [Double] {
      turns.filter { $0.isToLocal == isLocal && $0.isFromLocal != isLocal }.map(\.gapMs).sorted()
    }

    /// The name of the speaker.
    public func speaker(isLocal: Bool) -> String { isLocal ? name : far }
  }

  public private(set) var ends: [End] = []

  /// The turns of each end whose sources show speech. Rethrows errors of the store.
  public init(_ account: CallAccount, in store: Store) throws {
    for end in account.ends {
      let others = account.ends.filter { $0.name != end.name }
      let far = others.count == 1 ? others[0].name : "far end"
      let heard = account.events.filter { $0.end == end.name }.compactMap { Utterance($0.record) }
      if Self.isOfTwo(heard) {
        ends.append(
          End(name: end.name, far: far, source: .capture, stepMs: 20, turns: TurnTaking.turns(heard)))
      } else if let reported = try Self.reported(by: end, in: store) {
        ends.append(
          End(
            name: end.name, far: far, source: .statistics, stepMs: reported.stepMs,
            turns: TurnTaking.turns(reported.utterances)))
      }
    }
  }

  private static func isOfTwo(_ utterances: [Utterance]) -> Bool {
    utterances.contains(where: \.isLocal) && utterances.contains { !$0.isLocal }
  }

  /// The utterances from the statistics of an end; nil unless it received exactly one audio stream and sent audio.
  private static func reported(by end: EndAccount, in store: Store) throws -> (
    utterances: [Utterance], stepMs: Double
  )? {
    let all = end.streams.filter { $0.kind == .audio && $0.source == .stats }
    // Streams seen by two sources count once.
    let sound = all.count > 2 ? all.filter(\.chosen) : all
    let (sent, received) = (
      sound.filter { $0.direction == .outbound }, sound.filter { $0.direction == .inbound }
    )
    guard sent.count == 1, received.count == 1, let out = sent.first, let into = received.first else {
      return nil
    }
    let (own, others) = (try intervals(out, in: store), try intervals(into, in: store))
    let utterances =
      SpeechOfReports.utterances(own, isLocal: true) + SpeechOfReports.utterances(others, isLocal: false)
    guard isOfTwo(utterances) else { return nil }
    let lengths = others.map { $0.untilMs - $0.fromMs }.sorted()
    return (utterances, lengths.isEmpty ? 1000 : lengths[lengths.count / 2])
  }

  private static func intervals(_ stream: StreamAccount, in store: Store) throws -> [SpeechOfReports.Interval]
  {
    var found: [SpeechOfReports.Interval] = []
    for part in stream.parts {
      let cursor = try store.samples(ofStream: part.key)
      var (sample, intervals) = (Sample(timeMs: 0), SpeechOfReports.Intervals())
      while try cursor.next(into: &sample) {
        sample.timeMs += stream.clockMs
        intervals.take(sample)
      }
      found += intervals.all
    }
    return found
  }
}
