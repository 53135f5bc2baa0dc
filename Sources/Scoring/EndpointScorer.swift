import CallModel

/// Scores the media that one endpoint received, as seen by one kind of source: samples in, windows out.
///
/// Feed it the samples of all streams of the endpoint in time order, outbound streams included (their RTCP reports
/// carry the round-trip time). Memory grows with the number of windows, not of samples.
public struct EndpointScorer: Sendable {
  /// How long after the first media the scorer waits for a stream that began earlier before it fixes the windows, ms.
  static let openingMs = 2500.0
  /// Maximum number of samples held back during that wait.
  static let openingSamples = 4096

  private enum Held {
    case sample(Sample, stream: Int)
    case transport(TransportSample)
  }

  private var facts: [StreamFacts] = []
  /// Indexed by stream; nil for outbound streams.
  private var tracks: [InboundTrack?] = []
  /// For received streams of figures.
  private var figures: [FigureCounters?] = []
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
  /// When anything last arrived from the far end.
  private var lastActivity = LastActivity()
  private var trip = RoundTrip()
  private var reportedAt: [Double?] = []
  private var farEnd: [RemoteReportTracker] = []
  /// Last count of bytes received, by connection.
  private var counted: [Int64: (timeMs: Double, bytes: Double)] = [:]
  private var closing = DTLSCloseTracker()
  /// When the call ended according to its events; nil if none said so, or if media arrived afterwards.
  private var endedMs: Double?
  private var line = WindowLine()
  private var heard: [(score: Double, windows: Int)] = []
  private var latestMs = -Double.infinity
  private var lookAgainMs = -Double.infinity
  /// How often the scorer checks which windows are settled, ms of call time.
  private static let lookEveryMs = 60_000.0

  /// A scorer for the given streams. `add` identifies a stream by its index in `streams`.
  ///
  /// - Parameters:
  ///   - motion: when the content of a video stream moved at its source, by SSRC, if the far end's statistics say so.
  ///   - unsent: when an audio stream was no longer sent, by SSRC, if a capture at the sender shows it.
  ///   - codecs: the codecs of a stream over time, by SSRC, if its codec changed.
  ///   - untilMs: how long the capture of these streams follows the call; nil if the streams are sampled for that long.
  ///   - endedMs: when the call ended; later reports count only if packets still arrive.
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

  /// Appends a stream. It may be added at the start or any time before its first sample.
  public mutating func addStream(_ facts: StreamFacts) {
    self.facts.append(facts)
    let (motion, unsent) = (facts.ssrc.flatMap { self.motion[$0] }, facts.ssrc.flatMap { self.unsent[$0] })
    let codecs = facts.source == .capture ? nil : facts.ssrc.flatMap { self.codecs[$0] }
    tracks.append(
      facts.direction == .outbound
        ? nil
        : InboundTrack(
          facts, motion: motion, unsentAfterAll: unsent, codecs: codecs, untilMs: untilMs, quiet: quiet))
    figures.append(facts.direction == .outbound ? nil : FigureCounters(facts))
    reportedAt.append(nil)
    farEnd.append(RemoteReportTracker())
  }

  /// Takes one sample of a stream; times must not decrease within a stream.
  public mutating func add(_ sample: Sample, of stream: Int) {
    var sample = sample
    sample.look { add($0, of: stream) }
  }

  /// Like `add(_:of:)` for a `Sample`, without copying it.
  public mutating func add(_ sample: SampleView, of stream: Int) {
    guard facts.indices.contains(stream), sample.timeMs.isFinite else { return }
    guard figures[stream] != nil else { return addCounted(sample, of: stream) }
    if sample.has(.packets) { tracks[stream]?.countsPackets = true }
    var counted: [Sample] = []
    figures[stream]?.take(sample) { counted.append($0) }
    for var sample in counted { sample.look { addCounted($0, of: stream) } }
  }

  private mutating func addCounted(_ sample: SampleView, of stream: Int) {
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
      // Before the first media only the round trip and the time of the last empty report matter.
      if opened == nil, tracks[stream] != nil { return }
    }
    held.append(.sample(sample.copied, stream: stream))
    layOutWhenReady(sample.timeMs)
  }

  /// Takes one sample of the transport: its round-trip time, and whether anything still arrives.
  public mutating func addTransport(_ sample: TransportSample) {
    guard sample.timeMs.isFinite else { return }
    if let grid {
      take(sample, on: grid)
      return
    }
    held.append(.transport(sample))
    layOutWhenReady(sample.timeMs)
  }

  /// Returns all windows in order. The scorer cannot be used afterwards.
  public mutating func finish() -> [Window] { finish([judge.model])[0] }

  /// Returns the same windows scored by each of several models instead of the scorer's own.
  public mutating func finish(_ models: [ScoreModel]) -> [[Window]] {
    let none = [[Window]](repeating: [], count: models.count)
    layOut()
    guard let grid else { return none }
    let over = overMs
    for index in tracks.indices {
      tracks[index]?.finish(
        on: grid, overMs: over, elsewhere: lastActivity.latest(wellBefore: .infinity, except: index))
    }
    guard let end = tracks.compactMap({ $0?.endMs }).max() else { return none }
    trip.finish(at: end, on: grid)
    return models.map { model in
      var judge = judge
      judge.model = model
      var line = line
      let windows = judge.windows(of: tracks, trip: trip, grid: grid, endMs: end, line: &line)
      heard = line.heard
      return windows
    }
  }

  /// Returns the windows that no later sample can change, each once and in order; `finish` returns the rest.
  ///
  /// Calling it after every sample keeps the scorer's memory from growing with the call. It does not support scoring by
  /// several models, and returns nothing for given intervals.
  public mutating func takeSettled() -> [Window] {
    // Once the call has ended, its last windows are cut at its end, so they are left to `finish`.
    guard let grid, grid.count == nil, latestMs >= lookAgainMs,
      !tracks.contains(where: { $0?.isResting == true })
    else { return [] }
    lookAgainMs = latestMs + Self.lookEveryMs
    // A stream that is first reported now may have begun up to one window ago.
    var settled = min(trip.settle(at: latestMs, on: grid), latestMs - WindowCut.lengthMs)
    for index in tracks.indices {
      guard let until = tracks[index]?.settle(at: latestMs, on: grid) else { continue }
      settled = min(settled, until)
    }
    // Edges are soft: growth just outside a window counts partly in it.
    let limit = grid.firstOpen(at: settled - BoundaryWeight.reportMs)
    let windows = judge.windows(
      of: tracks, trip: trip, grid: grid, endMs: .infinity, before: limit, line: &line)
    for index in tracks.indices { tracks[index]?.forget(before: limit) }
    trip.forget(before: limit)
    return windows
  }

  /// The mean score of each stream alone over the windows that score it, 0–100; complete after `finish`.
  public var streamScores: [Double?] {
    facts.indices.map { index in
      guard heard.indices.contains(index), heard[index].windows > 0 else { return nil }
      return heard[index].score / Double(heard[index].windows)
    }
  }

  /// Freezes and pauses of all video streams in time order; complete after `finish`. Counted freezes if the source
  /// counts them, otherwise periods without a frame.
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

  /// Periods without audio that the far end did not send, in time order; complete after `finish`.
  public var unsentSpans: [UnsentSpan] {
    tracks.flatMap { $0?.unsent ?? [] }.sorted { $0.startMs < $1.startMs }
  }

  /// When packets of each received stream arrived; complete after `finish`.
  public var flows: [StreamFlow] {
    tracks.enumerated().compactMap { stream, track in
      guard let track, let kind = track.kind, let first = track.firstMediaMs, let end = track.endMs else {
        return nil
      }
      return StreamFlow(
        stream: stream, kind: kind, startMs: first, endMs: max(first, end), gaps: track.gaps)
    }
  }

  /// Periods in which no stream of a medium had a packet; complete after `finish`.
  public func gaps(of kind: MediaKind) -> [PacketGap] { PacketGap.common(flows.filter { $0.kind == kind }) }

  /// When the call ended, as far as known so far.
  public var overMs: Double? {
    guard let closed = closing.sinceMs else { return endedMs }
    return endedMs.map { min($0, closed) } ?? closed
  }

  // MARK: Laying out the windows

  private mutating func layOutWhenReady(_ time: Double) {
    if let opened, time > opened + Self.openingMs { return layOut() }
    guard held.count >= Self.openingSamples else { return }
    // Long before any media (an hour of ringing, for example): keep the newer half.
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
        // The round trip of the first report may have been measured at any time before it.
        lastActivity.record(.init(from: reportedAt[stream] ?? -.infinity, to: sample.timeMs), by: stream)
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
    let elsewhere = lastActivity.latest(wellBefore: sample.timeMs, except: stream)
    if let arrival = tracks[stream]?.add(sample, elsewhere: elsewhere, on: grid) {
      lastActivity.record(arrival, by: stream)
    }
  }

  private mutating func take(_ sample: TransportSample, on grid: WindowGrid) {
    closing.see(sample)
    if let value = sample.rttMs { trip.check(value, at: sample.timeMs, on: grid) }
    if facts.first?.source == .capture {
      // A capture has a transport sample only when it saw a packet.
      lastActivity.record(.init(from: sample.timeMs, to: sample.timeMs, isNonMedia: true), by: -1)
      return
    }
    let before = counted[sample.connection]
    counted[sample.connection] = sample.bytesReceived.map { (sample.timeMs, $0) }
    if let before, let bytes = sample.bytesReceived, bytes > before.bytes {
      let last = sample.lastPacketTime(after: before.timeMs)
      lastActivity.record(.init(from: last ?? before.timeMs, to: last ?? sample.timeMs), by: -1)
    }
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    self >= range.lowerBound ? Swift.min(self, range.upperBound) : range.lowerBound
  }
}

/// Detects that the far end closed the connection: the DTLS state becomes `closed` when its close_notify arrives (RFC
/// 5246 section 7.2.1), immediately and while the path may still look healthy.
struct DTLSCloseTracker {
  private var firstMs: Double?
  /// When the connection was first seen closed; nil if it is open, or if only one report says so. An end may have
  /// several connections that report alternately.
  private(set) var sinceMs: Double?

  /// Whether media arrived while the state was `closed`. If so, `closed` is ignored until another state is reported.
  private var isContradicted = false

  /// Takes the next sample of the transport.
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

  /// Records that media still arrives.
  mutating func reopen() {
    self = DTLSCloseTracker()
    isContradicted = true
  }
}

/// A period without audio that the far end did not send, as later packets or reports prove: it was not lost in transit.
public struct UnsentSpan: Sendable, Equatable {
  /// The kind of proof.
  public enum Proof: Sendable, Equatable {
    /// The RTP sequence numbers in a capture continue without a break.
    case sequenceNumbers
    /// The packet count of the far end's RTCP sender reports has no packet that did not arrive.
    case senderReports
  }

  public var startMs: Double
  public var endMs: Double
  public var proof: Proof
  /// Whether the far end stopped in the middle of sending audio, gave no other sign of life, and then continued with
  /// the next sequence number at the normal pace. That is a stalled program or machine, not a pause.
  public var isStandstill = false
}
