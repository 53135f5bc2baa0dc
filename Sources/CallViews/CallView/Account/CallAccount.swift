import CallModel
import CallStore
import Rendering
import Timeline

/// Everything the store has about one call, for all views: terminal, page, JSON, trace. Times are on the clock of the
/// call, as far as it is known.
public struct CallAccount: Sendable {
  public var call: CallFacts
  /// The ends of the call, the caller first; if there are more than three, the worst first.
  public var ends: [EndAccount]
  /// Findings of the call and of its ends, most severe first.
  public var findings: [AccountFinding]
  /// All events in time order.
  public var events: [AccountEvent]
  public var sources: [SourceFacts]
  /// Who received which streams of whom.
  public var hears: [HeardStream] = []
}

/// The row of a call.
public struct CallFacts: Sendable {
  public var key: Int64
  public var id: String
  /// Whether its id is the name of the folder of its files, because there is no better one.
  public var isNamedByFolder = false
  public var run: String?
  public var scenario: String?
  public var sdk: String?
  public var sdkVersion: String?
  public var startedMs: Double?
  public var durationMs: Double?
  public var outcome: Outcome
  public var expectedOutcome: Outcome?
  public var endCode: String?
  public var endReason: String?
  public var setupMs: Double?
  public var ringingMs: Double?
  /// The verdict; nil if the call has not been judged.
  public var verdict: Verdict?
  /// Where the fault was; nil if that is not known, or nothing is wrong.
  public var place: PlacedFault?
  /// Where a person says that it was instead, of which end, and why.
  public var markedPlace: Place?
  public var markedPlaceEnd: String?
  public var markedPlaceWhy: String?
  /// What began it.
  public var rootCause: RootCause?
  /// The verdict a person gave instead, and the reason.
  public var markedVerdict: Verdict.Value?
  public var markedWhy: String?
  /// The worse end, which provides the scores of the call.
  public var scoreEndpoint: String?
  public var scoreMean: Double?
  /// Mean of the client's own 0–100 rating of what it received, and for how long it was below 50.
  public var reportedMean: Double?
  public var reportedMin: Double?
  public var reportedBelow50Ms: Double?
  public var heldLocalMs: Double?
  public var heldRemoteMs: Double?
  public var outcomeWhy: String?
  public var mos: Double?
  public var mosScale: String?
  public var model: String?
  /// Why the call is excluded from statistics.
  public var excluded: String?
  public var known: String?
}

/// One end of a call with its measurements.
public struct EndAccount: Sendable {
  public var key: Int64
  public var name: String
  public var direction: CallDirection?
  public var person: String?
  public var userAgent: String?
  public var system: String?
  public var networkType: String?
  public var candidateType: String?
  public var relayProtocol: String?
  /// Figures over its scored windows; nil if nothing was scored.
  public var score: ScoreFigures?
  /// Windows from the source that judges this end, in time order.
  public var windows: [Window]
  /// The kind of source of these windows.
  public var windowSource: StreamSource?
  /// Windows of the same end from captured packets, if statistics judge it.
  public var captureWindows: [Window] = []
  public var attempts: [SetupAttempt]
  public var streams: [StreamAccount]
  public var path: [PathStep]
  /// Periods in which a medium was missing, on hold, frozen or not recorded, as found when the call was judged.
  public var spans: [MediaSpan] = []
  /// What became of each medium here: periods without holes or overlaps.
  public var fates: [(medium: MediaKind, fate: Fate)] = []
  /// What became of what was sent from here, at the other end, if that has no record.
  public var fatesOfFarEnd: [(medium: MediaKind, fate: Fate)] = []
  /// What was wrong with the media that arrived, in order of time.
  public var impairments: [Impairment] = []
  /// What was added to the times of the source that judges this end, ms.
  package var clockMs = 0.0
  /// Whether any source is its own; otherwise it is known only by what it sent to others.
  package var isOnRecord = true
}

/// Summary of the windows of an end.
public struct ScoreFigures: Sendable, Equatable {
  public var mean: Double
  public var lowest: Int
  /// Whether the score is good when rounded and no window was poor.
  var isGood: Bool { QualityBand(mean.rounded()) == .good && Double(lowest) >= QualityBand.poorBelow }
  /// Mean points lost per scored window, by cause.
  public var pointsLost: ByCause<Double>
}

/// A stream with its figures over its whole life.
public struct StreamAccount: Sendable {
  /// A row of `streams` and the source it is from.
  public struct Part: Sendable {
    public var key: Int64
    public var source: Int64?
  }

  public var key: Int64
  public var source: StreamSource
  public var chosen: Bool
  public var direction: StreamDirection
  public var kind: MediaKind?
  public var codec: String?
  public var ssrc: Int64?
  public var screen: Bool
  public var firstMs: Double?
  public var lastMs: Double?
  /// All columns of table `streams`, by name.
  public var figures: [String: Cell]
  /// Its rows in time order: several if its recording was split into files. Empty if it was not read from a store.
  public var parts: [Part] = []
  /// Samples its receiver concealed while the far end sent no audio, from statistics, if detected.
  public var pausedSamples = 0.0
  /// Its first codec, if it differs from the last.
  public var firstCodec: String?
  /// What was added to the times of its source, ms.
  package var clockMs = 0.0

  /// What it is for, if it carries no media of its own.
  package var role: StreamRole? { figures["role"]?.string.flatMap(StreamRole.init) }

  /// A figure by column name.
  public func number(_ column: String) -> Double? { figures[column]?.number }
}

/// A period in which the packets of a connection took one path.
public struct PathStep: Sendable, Equatable {
  public var fromMs: Double
  public var localType: String?
  public var remoteType: String?
  public var local: String?
  public var remote: String?
  public var networkProtocol: String?
  public var relayProtocol: String?
  public var networkType: String?
  /// Whether its packets took another path before.
  public var isChange = false

  /// Whether a relay (TURN) was used; nil if unknown.
  public var isRelayed: Bool? {
    guard localType != nil || remoteType != nil else { return nil }
    return localType == "relay" || remoteType == "relay"
  }
}

/// A finding with its end; nil for the call as a whole.
public struct AccountFinding: Sendable {
  public var end: String?
  public var finding: Finding
  /// Key of its row; nil if it was not read from a store.
  public var key: Int64?
}

/// An event with its end and source.
public struct AccountEvent: Sendable {
  public var end: String?
  public var record: EventRecord
  public var source: Int64
}

/// A file with data on the call.
public struct SourceFacts: Sendable {
  public var key: Int64
  public var path: String
  public var format: String?
  public var status: String
  public var reason: String?
  public var skewMs: Double?
  public var rejected: Int64
  public var prunedMs: Double?
  /// What was guessed, recomputed or dropped, in words.
  public var notes: [String]

  /// The file name without folders.
  public var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

extension CallAccount {
  /// Origin of relative times: the start of the call.
  var zeroMs: Double? {
    call.startedMs ?? ends.compactMap { $0.windows.first?.startMs }.min()
      ?? events.compactMap(\.record.timeMs).min()
  }

  /// The latest time known of the call.
  package var lastMs: Double? {
    let windows = ends.compactMap { $0.windows.last?.endMs }
    let streams = ends.flatMap(\.streams).compactMap(\.lastMs)
    let heard =
      (windows + streams + [spanOfCall(events.map(\.record), media: [])?.upperBound].compactMap { $0 }).max()
    let ended = zeroMs.flatMap { zero in call.durationMs.map { zero + $0 } }
    return [heard, ended].compactMap { $0 }.max()
  }

  /// The setup attempt that the call's setup time is from. The ends are taken in the order of the store, by name, as
  /// when that time was computed, because the attempt may be of either end if both called.
  var leadingAttempt: SetupAttempt? {
    SetupAttempt.leading(ends.sorted { $0.name < $1.name }.map(\.attempts))
  }

  /// Attempts to restore an established call, from the end with most of them.
  package var restarts: [SetupAttempt] {
    ends.map { $0.attempts.filter(\.isRestart) }.max { $0.count < $1.count } ?? []
  }

  /// Whether connectivity checks were started.
  var triedICE: Bool {
    events.contains { $0.record.event == .iceChecking || $0.record.event == .iceFailed }
  }

  /// Whether a path was found before the connection was up.
  var foundPath: Bool { events.contains { $0.record.event == .iceConnected } }

  /// Whether media arrived at an end that could decrypt it.
  var wasMediaReceived: Bool { ends.contains { $0.receivedMedia && !isKeyless($0) } }

  private func isKeyless(_ end: EndAccount) -> Bool {
    let names = Set(events.lazy.filter { $0.end == end.name }.map(\.record.event))
    return names.contains(.dtlsFailed) && !names.contains(.dtlsConnected)
  }

  /// Whether an event of an end says that the call was answered.
  package var isAnswered: Bool {
    events.contains { [.callAnswered, .callMediaPending].contains($0.record.event) }
  }

  /// Whether nobody ever answered, as judged: such a call has no score. What was heard then, ringing or an announcement,
  /// is no conversation.
  var isNeverAnswered: Bool { call.outcome.isWithoutTalk && call.scoreMean == nil }

  /// Whether the only end on record stopped ringing because another device answered.
  var isAnsweredElsewhere: Bool {
    call.outcome == .cancelled
      && events.contains {
        $0.record[.answered] == "elsewhere" && $0.record.event.isEnd
      }
  }

  /// The events without duplicates from several files: for each end and name, the file with most event names is used.
  var ownEvents: [AccountEvent] {
    var names: [Int64: Set<EventName>] = [:]
    for event in events { names[event.source, default: []].insert(event.record.event) }
    // Keys depend on the import order, which is random for files read in parallel.
    let paths = Dictionary(sources.map { ($0.key, $0.path) }, uniquingKeysWith: { first, _ in first })
    func isRicher(_ a: Int64, _ b: Int64) -> Bool {
      let (countA, countB) = (names[a]?.count ?? 0, names[b]?.count ?? 0)
      return countA == countB ? (paths[a] ?? "", a) < (paths[b] ?? "", b) : countA > countB
    }
    var speaker: [String: Int64] = [:]
    for event in events {
      let key = "\(event.end ?? "") \(event.record.event)"
      if let other = speaker[key], !isRicher(event.source, other) { continue }
      speaker[key] = event.source
    }
    return events.filter {
      $0.record.event == .unknown || speaker["\($0.end ?? "") \($0.record.event)"] == $0.source
    }
  }
}

extension EndAccount {
  /// Whether any media of the far end arrived at this end.
  var receivedMedia: Bool {
    streams.contains { $0.direction == .inbound && ($0.number("packets") ?? 0) > 0 }
  }

  /// The streams that judge this end, without duplicates from several sources. Retransmission streams (RFC 4588) belong
  /// to the stream they repeat.
  var ownStreams: [StreamAccount] {
    let repairs = Set(
      streams.compactMap { stream in stream.number("rtx_ssrc").map { "\(stream.direction) \($0)" } })
    let streams = streams.filter { stream in
      stream.ssrc.map { !repairs.contains("\(stream.direction) \(Double($0))") } ?? true
    }
    let chosen = streams.filter(\.chosen)
    if !chosen.isEmpty { return chosen }
    let hasStats = streams.contains { $0.source == .stats }
    let source = windowSource ?? (hasStats ? .stats : .capture)
    let own = streams.filter { $0.source == source }
    var seen: Set<String> = []
    // Chosen streams come first; two files may describe the same stream.
    return (own.isEmpty ? streams : own).sorted { $0.chosen && !$1.chosen }.filter { stream in
      guard let ssrc = stream.ssrc else { return true }
      return seen.insert("\(stream.direction.rawValue) \(ssrc)").inserted
    }
  }

  /// The source of most of its own streams, and those in which these streams continue; nil if unknown.
  package var mainSources: Set<Int64>? {
    let parts = ownStreams.flatMap { stream in
      stream.parts.compactMap { part in part.source.map { (source: $0, stream: stream) } }
    }
    let counts = Dictionary(grouping: parts, by: \.source).mapValues(\.count)
    guard let main = counts.min(by: { ($1.value, $0.key) < ($0.value, $1.key) })?.key else { return nil }
    func name(_ stream: StreamAccount) -> String? { stream.ssrc.map { "\(stream.direction.rawValue) \($0)" } }
    let going = Set(parts.filter { $0.source == main }.compactMap { name($0.stream) })
    return Set(parts.filter { name($0.stream).map(going.contains) ?? false }.map(\.source)).union([main])
  }

  /// `Chrome 156 on Linux`, as far as the user agent says.
  package var client: String? {
    userAgent.map { ClientWords.short($0, system: system) } ?? system.map { VisibleText.visible($0) }
  }
}

extension StreamAccount {
  /// Samples concealed while the sender was silent; for a capture, those concealed by the playout emulator.
  package var pausedConcealed: Double {
    pausedSamples + counted("paused_concealed")
  }

  /// Samples that the playout emulator of a capture concealed after the last packet.
  var trailingConcealed: Double { counted("trailing_concealed") }

  private func counted(_ member: String) -> Double {
    guard source == .capture, let extra = figures["extra"]?.string else { return 0 }
    return memberText(member, of: extra).flatMap(Double.init) ?? 0
  }

  /// Share of its audio that was concealed, 0–1, without pauses of the sender; nil if unknown.
  package var concealedShare: Double? {
    let paused = pausedConcealed
    guard paused > 0, let concealed = number("concealed_samples"), let total = number("total_samples"),
      total > paused
    else { return number("concealed_share") }
    return max(0, concealed - paused) / (total - paused)
  }
}

extension CallAccount {
  /// Minimum length of the missing end of a recording, ms; up to two windows may be due to closing the page.
  private static let minUnrecordedMs = 10_000.0

  /// How long the other end of a two-party call was recorded after this one, ms; nil if it was not, or if their clocks
  /// differ.
  func unrecordedTailMs(at end: EndAccount) -> Double? {
    guard ends.count == 2, !findings.contains(where: { $0.finding.code == .clockSkew }),
      let last = end.windows.map(\.endMs).max(),
      let other = ends.first(where: { $0.name != end.name })?.windows.filter({ $0.score != nil }).map(\.endMs)
        .max()
    else { return nil }
    return other - last >= Self.minUnrecordedMs ? other - last : nil
  }
}
