import CallModel
import Rendering

/// Everything the store knows of one call, gathered for the views: terminal, page, JSON, trace.
public struct CallAccount: Sendable {
  public var call: CallFacts
  /// The ends of the call, who called first; of more than three the worst first.
  public var ends: [EndAccount]
  /// Findings of the call and of its ends, the graver first.
  public var findings: [AccountFinding]
  /// What happened, in the order of time.
  public var events: [AccountEvent]
  public var sources: [SourceFacts]
}

/// The row of a call.
public struct CallFacts: Sendable {
  public var key: Int64
  public var id: String
  /// Whether it has its id from the folder of its files, for want of a better one.
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
  /// What the call was like; nil where it is not judged.
  public var verdict: Verdict?
  /// What a person says of it instead, and why.
  public var markedVerdict: Verdict.Word?
  public var markedWhy: String?
  /// The worse end, whose scores the call has.
  public var scoreEndpoint: String?
  public var scoreMean: Double?
  /// The client's own 0–100 of what came in, over time, and for how long it was below 50.
  public var reportedMean: Double?
  public var reportedMin: Double?
  public var reportedBelow50Ms: Double?
  public var heldLocalMs: Double?
  public var heldRemoteMs: Double?
  public var networkOutMs: Double?
  public var outcomeWhy: String?
  public var mos: Double?
  public var mosScale: String?
  public var topCause: Cause?
  public var model: String?
  /// Why it does not count.
  public var excluded: String?
  public var known: String?
}

/// One end of a call with what was measured there.
public struct EndAccount: Sendable {
  public var key: Int64
  public var name: String
  public var direction: CallDirection?
  public var person: String?
  public var userAgent: String?
  public var system: String?
  public var sdk: String?
  public var networkType: String?
  public var candidateType: String?
  public var relayProtocol: String?
  /// Figures over its scored windows; nil where nothing was scored.
  public var score: ScoreFigures?
  /// Windows by the source that judges this end, in order of time.
  public var windows: [Window]
  /// Who looked, for these windows.
  public var windowSource: StreamSource?
  /// Windows of the same end from its packets, where its statistics judge it.
  public var captureWindows: [Window] = []
  public var attempts: [SetupAttempt]
  public var streams: [StreamAccount]
  public var path: [PathStep]
  /// Times in which a medium was missing, held, frozen or not recorded, as they were found when the call was judged.
  public var spans: [MediaSpan] = []
}

/// What the windows of an end amount to.
public struct ScoreFigures: Sendable, Equatable {
  public var mean: Double
  public var lowest: Int
  /// Whether it says that nothing was wrong: good when rounded, and no window that was poor.
  var isGood: Bool { QualityBand(mean.rounded()) == .good && Double(lowest) >= QualityBand.poorBelow }
  /// Mean points a scored window lost, by cause.
  public var pointsLost: ByCause<Double>
}

/// A stream with the figures of its whole life.
public struct StreamAccount: Sendable {
  /// A row of `streams` and the source that it is from.
  public struct Part: Sendable {
    public var key: Int64
    public var source: Int64?
  }

  public var key: Int64
  public var pc: String?
  public var source: StreamSource
  public var chosen: Bool
  public var direction: StreamDirection
  public var kind: MediaKind?
  public var codec: String?
  public var ssrc: Int64?
  public var screen: Bool
  public var firstMs: Double?
  public var lastMs: Double?
  /// Every column of table `streams`, by name.
  public var figures: [String: Cell]
  /// The rows that it is made of, in order of time: several where its recording was cut into files. Empty where it was not read
  /// from a store.
  public var parts: [Part] = []
  /// What its receiver made up while the far end sent no sound, samples: of statistics, where that was found.
  public var pausedSamples = 0.0
  /// The codec that it began with, where that is another one than its last.
  public var firstCodec: String?

  /// A figure by the name of its column.
  public func number(_ column: String) -> Double? { figures[column]?.number }
}

/// A stretch of time in which the packets of a connection took one way.
public struct PathStep: Sendable, Equatable {
  public var fromMs: Double
  public var localType: String?
  public var remoteType: String?
  public var local: String?
  public var remote: String?
  public var networkProtocol: String?
  public var relayProtocol: String?
  public var networkType: String?
  /// Whether its packets took another way before.
  public var isChange = false

  /// Whether a relay (TURN) stood between the ends; nil is unknown.
  public var isRelayed: Bool? {
    guard localType != nil || remoteType != nil else { return nil }
    return localType == "relay" || remoteType == "relay"
  }
}

/// A finding with the end it was made at, nil for the call as a whole.
public struct AccountFinding: Sendable {
  public var end: String?
  public var finding: Finding
  /// Its row; nil where it was not read from a store.
  public var key: Int64?
}

/// An event with its end and its source.
public struct AccountEvent: Sendable {
  public var end: String?
  public var record: EventRecord
  public var source: Int64
}

/// A file that told of the call.
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

  /// The file without its folders.
  public var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

extension CallAccount {
  /// The moment from which relative times count: the start of the call.
  var zeroMs: Double? {
    call.startedMs ?? ends.compactMap { $0.windows.first?.startMs }.min()
      ?? events.compactMap(\.record.timeMs).min()
  }

  /// The last moment of the call that anything is known of.
  package var lastMs: Double? {
    let windows = ends.compactMap { $0.windows.last?.endMs }
    let streams = ends.flatMap(\.streams).compactMap(\.lastMs)
    let heard =
      (windows + streams + [spanOfCall(events.map(\.record), media: [])?.upperBound].compactMap { $0 }).max()
    let ended = zeroMs.flatMap { zero in call.durationMs.map { zero + $0 } }
    return [heard, ended].compactMap { $0 }.max()
  }

  /// The attempt that tells the call's setup: the ends in the order in which the store has them, as where the call's figure was
  /// taken from, which may be of either where both called.
  var leadingAttempt: SetupAttempt? {
    SetupAttempt.leading(ends.sorted { $0.name < $1.name }.map(\.attempts))
  }

  /// How a call that had stood was brought back, by the end that tells most of it.
  package var restarts: [SetupAttempt] {
    ends.map { $0.attempts.filter(\.isRestart) }.max { $0.count < $1.count } ?? []
  }

  /// Whether connectivity checks were begun.
  var triedICE: Bool {
    events.contains { $0.record.event == "ice.checking" || $0.record.event == "ice.failed" }
  }

  /// Whether a path was found before the connection stood.
  var foundPath: Bool { events.contains { $0.record.event == "ice.connected" } }

  /// Whether media of an end reached one that had the keys to open it.
  var wasHeard: Bool { ends.contains { $0.reachedTheOther && !isKeyless($0) } }

  private func isKeyless(_ end: EndAccount) -> Bool {
    let told = Set(events.lazy.filter { $0.end == end.name }.map(\.record.event))
    return told.contains("dtls.failed") && !told.contains("dtls.connected")
  }

  /// Whether an end tells in so many words that the call was answered.
  package var isAnswered: Bool {
    events.contains { ["call.answered", "call.media-pending"].contains($0.record.event) }
  }

  /// Whether it ended for a device, the only one that tells, because another one answered.
  var isAnsweredElsewhere: Bool {
    call.outcome == .cancelled
      && events.contains {
        $0.record.argument("answered") == "elsewhere" && Self.ends.contains($0.record.event)
      }
  }

  private static let ends: Set = ["call.ended", "call.failed"]

  /// The events of one account where several files tell the same: for each end and name the file that knows most speaks.
  var ownEvents: [AccountEvent] {
    var names: [Int64: Set<String>] = [:]
    for event in events { names[event.source, default: []].insert(event.record.event) }
    // Keys tell which was stored first, which of files read side by side is chance.
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
      $0.record.event == "unknown" || speaker["\($0.end ?? "") \($0.record.event)"] == $0.source
    }
  }
}

extension EndAccount {
  /// Whether anything of the far end's media arrived.
  var reachedTheOther: Bool {
    streams.contains { $0.direction == .inbound && ($0.number("packets") ?? 0) > 0 }
  }

  /// The streams that judge this end; where the same medium was seen twice, once. Repeats of a stream's packets (RFC 4588) are
  /// that stream's.
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
    // Chosen streams come first; two files may tell of the same one.
    return (own.isEmpty ? streams : own).sorted { $0.chosen && !$1.chosen }.filter { stream in
      guard let ssrc = stream.ssrc else { return true }
      return seen.insert("\(stream.direction.rawValue) \(ssrc)").inserted
    }
  }

  /// The source that most of its own streams come from, and those in which these streams go on; nil where none is known.
  package var mainSources: Set<Int64>? {
    let told = ownStreams.flatMap { stream in
      stream.parts.compactMap { part in part.source.map { (source: $0, stream: stream) } }
    }
    let counts = Dictionary(grouping: told, by: \.source).mapValues(\.count)
    guard let main = counts.min(by: { ($1.value, $0.key) < ($0.value, $1.key) })?.key else { return nil }
    func name(_ stream: StreamAccount) -> String? { stream.ssrc.map { "\(stream.direction.rawValue) \($0)" } }
    let going = Set(told.filter { $0.source == main }.compactMap { name($0.stream) })
    return Set(told.filter { name($0.stream).map(going.contains) ?? false }.map(\.source)).union([main])
  }

  /// `Chrome 156 on Linux`, as far as the user agent tells.
  package var client: String? {
    userAgent.map { ClientWords.short($0, system: system) } ?? system.map { VisibleText.visible($0) }
  }
}

extension StreamAccount {
  /// What was made up while the sender had nothing to say, samples: of a capture what its playout made up.
  package var pausedConcealed: Double {
    guard source == .capture else { return pausedSamples }
    guard let extra = figures["extra"]?.string else { return 0 }
    return memberText("paused_concealed", of: extra).flatMap(Double.init) ?? 0
  }

  /// How much of its sound was made up, 0–1, pauses of the sender left out; nil where that is not known.
  package var concealedShare: Double? {
    let paused = pausedConcealed
    guard paused > 0, let concealed = number("concealed_samples"), let total = number("total_samples"),
      total > paused
    else { return number("concealed_share") }
    return max(0, concealed - paused) / (total - paused)
  }
}
