import CallModel

/// Scores what one endpoint received, as seen by one kind of source: samples in, windows out.
///
/// Give it the samples of all streams of the endpoint, outbound ones too (their reports hold the round trip), merged
/// in time order. Memory grows with the windows, never with the samples.
public struct EndpointScorer: Sendable {
  /// How long after the first media the scorer waits for a stream that began earlier, before it lays the windows out.
  static let openingMs = 2500.0
  /// Most samples held back while it waits.
  static let openingSamples = 4096

  private enum Held {
    case sample(Sample, stream: Int)
    case transport(TransportSample)
  }

  private var facts: [StreamFacts] = []
  /// By the place of their stream; nil for what was sent.
  private var tracks: [InboundTrack?] = []
  private let judge: WindowJudge
  private let cut: WindowCut
  private let motion: [UInt32: SpanSet]
  private let unsent: [UInt32: SpanSet]
  private let untilMs: Double?
  private let quiet: [QuietSpan]
  private let codecs: [UInt32: CodecTimes]
  private var grid: WindowGrid?
  private var held: [Held] = []
  private var origin: Double?
  private var opened: Double?
  private var begun: Set<Int> = []
  /// When anything was last heard of.
  private var pulse = LastActivity()
  private var trip = RoundTrip()
  private var reportedAt: [Double?] = []
  private var farEnd: [RemoteReportTracker] = []
  /// What was received by the last count of each connection's path.
  private var counted: [Int64: (timeMs: Double, bytes: Double)] = [:]
  private var closing = DTLSCloseTracker()
  /// When the call was over by what was told of it; nil where nothing was, or media came after it.
  private var endedMs: Double?
  private var line = WindowLine()
  private var latestMs = -Double.infinity
  private var lookAgainMs = -Double.infinity
  /// How often it is looked which windows are settled, ms of the call.
  private static let lookEveryMs = 60_000.0

  /// A scorer for the given streams; `add` names them by their place in `streams`.
  ///
  /// - Parameters:
  ///   - motion: when what a stream shows moved at its source, by the SSRC, as far as the far end's statistics tell.
  ///   - unsent: when nobody sent a sound any more, by the SSRC, as far as a capture where it was sent tells.
  ///   - codecs: which codec a stream had when, by the SSRC, where that changed.
  ///   - untilMs: until when the capture of these streams follows the call; nil where they are sampled for as long.
  ///   - endedMs: when the call was over; what is reported after it counts only if packets still come.
  public init(
    streams: [StreamFacts], model: ScoreModel = .standard, references: References = .none,
    cut: WindowCut = .fromFirstMedia, clientScores: [ClientScore] = [], quiet: [QuietSpan] = [],
    motion: [UInt32: SpanSet] = [:], unsent: [UInt32: SpanSet] = [:], codecs: [UInt32: CodecTimes] = [:],
    untilMs: Double? = nil, endedMs: Double? = nil
  ) {
    self.untilMs = untilMs
    self.quiet = quiet
    self.motion = motion
    self.unsent = unsent
    self.codecs = codecs
    self.endedMs = endedMs
    judge = WindowJudge(
      model: model, references: references,
      clientScores: clientScores.sorted { $0.timeMs < $1.timeMs }, quiet: QuietTimes(quiet))
    self.cut = cut
    if case .intervals(let intervals) = cut { grid = WindowGrid(intervals: intervals) }
    for facts in streams { addStream(facts) }
  }

  /// Adds a stream, as the last of them; whether it is added at the start or before its first sample makes no difference.
  public mutating func addStream(_ facts: StreamFacts) {
    self.facts.append(facts)
    let (motion, unsent) = (facts.ssrc.flatMap { self.motion[$0] }, facts.ssrc.flatMap { self.unsent[$0] })
    let codecs = facts.source == .capture ? nil : facts.ssrc.flatMap { self.codecs[$0] }
    tracks.append(
      facts.direction == .outbound
        ? nil
        : InboundTrack(
          facts, motion: motion, unsentAfterAll: unsent, codecs: codecs, untilMs: untilMs, quiet: quiet))
    reportedAt.append(nil)
    farEnd.append(RemoteReportTracker())
  }

  /// Takes one instant of a stream; times must not run backwards within a stream.
  public mutating func add(_ sample: Sample, of stream: Int) {
    var sample = sample
    sample.look { add($0, of: stream) }
  }

  /// The same of a sample where it lies.
  public mutating func add(_ sample: SampleView, of stream: Int) {
    guard facts.indices.contains(stream), sample.timeMs.isFinite else { return }
    if let grid {
      take(sample, of: stream, on: grid)
      return
    }
    if !begun.contains(stream), let opening = tracks[stream]?.openingTime(sample) {
      begun.insert(stream)
      origin = min(origin ?? opening, opening)
      opened = opened ?? sample.timeMs
    } else {
      tracks[stream]?.noteEmpty(sample)
      // Before the first media only the round trip and the time of the last empty report are of use.
      if opened == nil, tracks[stream] != nil { return }
    }
    held.append(.sample(sample.copied, stream: stream))
    layOutWhenReady(sample.timeMs)
  }

  /// Takes one instant of the path: its round trip, and whether anything at all still arrives.
  public mutating func addTransport(_ sample: TransportSample) {
    guard sample.timeMs.isFinite else { return }
    if let grid {
      take(sample, on: grid)
      return
    }
    held.append(.transport(sample))
    layOutWhenReady(sample.timeMs)
  }

  /// All windows in order; the scorer is spent afterwards.
  public mutating func finish() -> [Window] { finish([judge.model])[0] }

  /// The same windows by each of several models, instead of the scorer's own.
  public mutating func finish(_ models: [ScoreModel]) -> [[Window]] {
    let none = [[Window]](repeating: [], count: models.count)
    layOut()
    guard let grid else { return none }
    let over = overMs
    for index in tracks.indices {
      tracks[index]?.finish(
        on: grid, overMs: over, elsewhere: pulse.heard(wellBefore: .infinity, except: index))
    }
    guard let end = tracks.compactMap({ $0?.endMs }).max() else { return none }
    trip.finish(at: end, on: grid)
    return models.map { model in
      var judge = judge
      judge.model = model
      var line = line
      return judge.windows(of: tracks, trip: trip, grid: grid, endMs: end, line: &line)
    }
  }

  /// The windows that nothing to come can change, each once and in order; `finish` gives the rest.
  ///
  /// Asked after every sample it keeps the scorer's memory from growing with the call. Not for scoring by several models,
  /// nor of use for given intervals.
  public mutating func takeSettled() -> [Window] {
    // Where the call is over, its last windows end with it.
    guard let grid, grid.count == nil, latestMs >= lookAgainMs,
      !tracks.contains(where: { $0?.isResting == true })
    else { return [] }
    lookAgainMs = latestMs + Self.lookEveryMs
    // A stream that begins now may have begun up to a window ago.
    var settled = min(trip.settle(at: latestMs, on: grid), latestMs - WindowCut.lengthMs)
    for index in tracks.indices {
      guard let until = tracks[index]?.settle(at: latestMs, on: grid) else { continue }
      settled = min(settled, until)
    }
    // Edges are soft: what lies beside a window counts in it.
    let limit = grid.firstOpen(at: settled - BoundaryWeight.reportMs)
    let windows = judge.windows(
      of: tracks, trip: trip, grid: grid, endMs: .infinity, before: limit, line: &line)
    for index in tracks.indices { tracks[index]?.forget(before: limit) }
    trip.forget(before: limit)
    return windows
  }

  /// Freezes and pauses of all pictures in order of time; complete after `finish`. Where the source counts freezes,
  /// those that it counted; elsewhere times without a frame.
  public var frozenSpans: [FrozenSpan] {
    tracks.enumerated().flatMap { stream, track in
      (track?.frozen ?? []).filter { $0.isCounted || track?.countsFreezes == false }.map {
        FrozenSpan(
          stream: stream, startMs: $0.from, endMs: $0.to, freezes: Int($0.freezes.clamped(to: 1...1e6)),
          countedPauseMs: $0.countedPauseMs)
      }
    }
    .sorted { ($0.startMs, $0.stream) < ($1.startMs, $1.stream) }
  }

  /// Times without sound of a stream that nobody sent, in order of time; complete after `finish`.
  public var unsentSpans: [UnsentSpan] {
    tracks.flatMap { $0?.unsent ?? [] }.sorted { $0.startMs < $1.startMs }
  }

  /// Times without a packet of a medium, of any of its streams; complete after `finish`.
  public func gaps(of kind: MediaKind) -> [PacketGap] {
    PacketGap.common(
      tracks.compactMap { $0 }.filter { $0.kind == kind }.compactMap { track in
        track.firstMediaMs.flatMap { first in
          track.endMs.map { (span: (start: first, end: max(first, $0)), gaps: track.gaps) }
        }
      })
  }

  /// When the call was over, as far as is known by now.
  public var overMs: Double? {
    guard let closed = closing.sinceMs else { return endedMs }
    return endedMs.map { min($0, closed) } ?? closed
  }

  // MARK: Laying out the windows

  private mutating func layOutWhenReady(_ time: Double) {
    if let opened, time > opened + Self.openingMs { return layOut() }
    guard held.count >= Self.openingSamples else { return }
    // Long before any media (an hour of ringing): keep the newer half.
    if opened == nil { held.removeFirst(held.count / 2) } else { layOut() }
  }

  private mutating func layOut() {
    guard grid == nil, let origin else { return }
    let grid = WindowGrid(origin: origin)
    self.grid = grid
    let waiting = held
    held = []
    for item in waiting {
      switch item {
      case .sample(var sample, let stream): sample.look { take($0, of: stream, on: grid) }
      case .transport(let sample): take(sample, on: grid)
      }
    }
  }

  // MARK: Taking samples

  private mutating func take(_ sample: SampleView, of stream: Int, on grid: WindowGrid) {
    latestMs = max(latestMs, sample.timeMs)
    if let value = sample[.rttMs] {
      trip.report(value, at: sample.timeMs, on: grid)
      if tracks[stream] == nil, farEnd[stream].take(sample) {
        // The first may have come at any time before.
        pulse.beat(.init(from: reportedAt[stream] ?? -.infinity, to: sample.timeMs), by: stream)
        reportedAt[stream] = sample.timeMs
      }
    }
    if let overMs, sample.timeMs > overMs, let rests = tracks[stream]?.rests(sample, after: overMs) {
      guard !rests.isResting else { return }
      if rests.goesOn {
        closing.reopen()
        endedMs = nil
      }
    }
    let elsewhere = pulse.heard(wellBefore: sample.timeMs, except: stream)
    if let beat = tracks[stream]?.add(sample, elsewhere: elsewhere, on: grid) { pulse.beat(beat, by: stream) }
  }

  private mutating func take(_ sample: TransportSample, on grid: WindowGrid) {
    closing.see(sample)
    if let value = sample.rttMs { trip.check(value, at: sample.timeMs, on: grid) }
    if facts.first?.source == .capture {
      // A capture tells of the path when it heard something.
      pulse.beat(.init(from: sample.timeMs, to: sample.timeMs, isSign: true), by: -1)
      return
    }
    let before = counted[sample.connection]
    counted[sample.connection] = sample.bytesReceived.map { (sample.timeMs, $0) }
    if let before, let bytes = sample.bytesReceived, bytes > before.bytes {
      let last = sample.lastPacketTime(after: before.timeMs)
      pulse.beat(.init(from: last ?? before.timeMs, to: last ?? sample.timeMs), by: -1)
    }
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    self >= range.lowerBound ? Swift.min(self, range.upperBound) : range.lowerBound
  }
}

/// Whether the far end has closed the connection: the state of DTLS goes to `closed` when its close_notify comes
/// (RFC 5246 7.2.1), at once and while the path may still look well.
struct DTLSCloseTracker {
  private var firstMs: Double?
  /// When the connection was first seen to be closed; nil while it is open, or only one report says so. An end may have
  /// several connections, which report by turns.
  private(set) var sinceMs: Double?

  /// Whether media came while it was said to be closed: then that is believed no more until it was said to be open.
  private var isContradicted = false

  /// Takes the next instant of the path.
  mutating func see(_ sample: TransportSample) {
    guard let state = sample.dtlsState else { return }
    guard state == "closed" else {
      self = DTLSCloseTracker()
      return
    }
    guard !isContradicted else { return }
    let first = firstMs ?? sample.timeMs
    firstMs = first
    if sample.timeMs - first > ReportGapDetector.pollMs { sinceMs = first }
  }

  /// Takes note that media still comes.
  mutating func reopen() {
    self = DTLSCloseTracker()
    isContradicted = true
  }
}

/// A time without sound in which the far end sent none, as what came afterwards proves: it was not lost on the way.
public struct UnsentSpan: Sendable, Equatable {
  /// What proves it.
  public enum Proof: Sendable, Equatable {
    /// The numbers of a capture's packets go on where they had stopped.
    case sequenceNumbers
    /// By its own count (RTCP sender reports) the far end sent no packet that did not come.
    case senderReports
  }

  /// Shorter times without sound are nothing to tell of, ms, and are not kept.
  static let leastMs = 3000.0
  /// The same of a standstill.
  static let leastStillMs = 1000.0

  public var startMs: Double
  public var endMs: Double
  public var proof: Proof
  /// Whether the far end was amid sending sound, nothing else of it was heard of meanwhile, and it went on afterwards where it had
  /// stopped, no faster than before: no pause, but a program or a machine that stood still.
  public var isStandstill = false
}
