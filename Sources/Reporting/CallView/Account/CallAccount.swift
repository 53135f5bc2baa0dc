import CallModel

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
