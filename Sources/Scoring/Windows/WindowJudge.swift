import CallModel

/// State carried from one window of an end to the next.
struct WindowLine {
  /// Index of the next window; nil before the first.
  var next: Int?
  var memories: [Int: VideoMemory] = [:]
  var lastScore: Int?
  /// Number of windows without observations that may still be returned.
  var emptyLeft = Window.maxEmpty
  /// Sum of the scores of each stream alone, by its place, and the number of windows that it is over.
  var heard: [(score: Double, windows: Int)] = []

  fileprivate mutating func hear(_ streams: [WindowStream], _ scores: [Double?]) {
    for (stream, score) in zip(streams, scores) {
      guard let score else { continue }
      while heard.count <= stream.place { heard.append((0, 0)) }
      heard[stream.place].score += score
      heard[stream.place].windows += 1
    }
  }
}

/// Builds windows from what the tracks collected: state, figures, score, confidence.
struct WindowJudge {
  /// Minimum observed share of a window for a score.
  static let minCoverage = 0.5

  var model: ScoreModel
  let references: References
  /// In time order.
  let clientScores: [ClientScore]
  let quiet: QuietTimes

  /// The next windows of one end in order, those before `limit` if given.
  func windows(
    of tracks: [InboundTrack?], trip: RoundTrip, grid: WindowGrid, endMs: Double, before limit: Int = .max,
    line: inout WindowLine
  ) -> [Window] {
    var windows: [Window] = []
    for index in indices(of: tracks, grid: grid, endMs: endMs, before: limit, line: &line) {
      let start = grid.start(index)
      let end = grid.count == nil ? min(grid.end(index), endMs) : grid.end(index)
      guard end > start else {
        windows.append(Window(index: index, startMs: start, endMs: end, state: .unscored))
        continue
      }
      var streams: [WindowStream] = []
      for (place, track) in tracks.enumerated() {
        guard let track, let bin = track.bins[index], let kind = track.kind else { continue }
        streams.append(
          WindowStream(
            bin, place: place, facts: track.facts, codec: track.codec(at: (start + end) / 2),
            mode: track.mode, kind: kind,
            length: end - start, ageS: track.firstMediaMs.map { max(0, start - $0) / 1000 },
            farClockMs: track.farClock.leadMs,
            roundTripMs: trip.mean(index),
            isReported: trip.isReported(index), isCounted: track.countsPackets,
            references: references, minFrameRate: model.minFrameRate,
            memory: &line.memories[place, default: VideoMemory()]))
      }
      var window = judge(streams, index: index, start: start, end: end, line: &line)
      window.inputs.rttMs = trip.mean(index)
      window.clientScore = clientScore(of: start, end)
      if let score = window.score {
        window.changed = score != line.lastScore
        line.lastScore = score
      }
      windows.append(window)
    }
    return windows
  }

  private func indices(
    of tracks: [InboundTrack?], grid: WindowGrid, endMs: Double, before limit: Int, line: inout WindowLine
  ) -> [Int] {
    if let count = grid.count { return Array(0..<count) }
    var touched = Set<Int>()
    for track in tracks { touched.formUnion(track?.bins.indices.filter { $0 < limit } ?? []) }
    let kept = touched.filter {
      $0 >= line.next ?? 0 && min(grid.end($0), endMs) - grid.start($0) >= WindowCut.shortestLastMs
    }
    var indices: [Int] = []
    for index in kept.sorted() {
      let missing = (line.next ?? index)..<index
      if missing.count <= line.emptyLeft {
        indices += missing
        line.emptyLeft -= missing.count
      }
      indices.append(index)
      line.next = index + 1
    }
    return indices
  }

  private func judge(
    _ streams: [WindowStream], index: Int, start: Double, end: Double, line: inout WindowLine
  ) -> Window {
    var window = Window(index: index, startMs: start, endMs: end, state: .unscored)
    let seen = streams.filter { $0.coverage >= Self.minCoverage && !isQuiet($0.kind, from: start, to: end) }
    guard !seen.isEmpty else { return window }
    let sounding = seen.filter { !$0.isSilent }
    guard !sounding.isEmpty else {
      window.state = .silent
      return window
    }
    window.inputs = inputs(of: sounding)
    let availability = sounding.map(\.availability)
    let known = confidence(
      availability: availability.reduce(0, +) / Double(availability.count),
      coverage: sounding.map(\.coverage).max() ?? 0, samples: sounding.map(\.samples).max() ?? 0)
    window.confidence = sounding.map { $0.precision.bounded(known) }.min() ?? known
    if sounding.allSatisfy(\.isWithoutPackets) {
      window.state = .stalled
      window.score = 0
      // If sequence numbers are seen at all, they are seen for audio.
      let lost = (sounding.first { $0.kind == .audio } ?? sounding[0]).lostShare
      window.pointsLost = wholePoints([.loss: lost, .jitter: 1 - lost], total: 100)
      if sounding.contains(where: { $0.kind == .audio }) { (window.audioCQ, window.audioLQ) = (0, 0) }
      if sounding.contains(where: { $0.kind == .video }) { window.video = 0 }
      line.hear(sounding, sounding.map { _ in 0 })
      return window
    }
    guard let score = model.score(sounding.map(\.figures), references: references),
      !sounding.contains(where: \.isUnseen)
    else { return window }
    window.state = .active
    window.label = model.label(sounding.map(\.figures))
    window.score = score.score
    window.pointsLost = score.lost
    window.audioCQ = score.audio?.conversing
    window.audioLQ = score.audio?.listening
    window.video = score.video?.conversing
    line.hear(sounding, score.streams)
    return window
  }

  private func isQuiet(_ kind: MediaKind, from start: Double, to end: Double) -> Bool {
    quiet.ms(from: start, to: end, of: kind) > (end - start) * (1 - Self.minCoverage)
  }

  /// The client's own score for a window. Its callback comes just after the period it covers, and stays valid until the
  /// next.
  private func clientScore(of start: Double, _ end: Double) -> Double? {
    let next = clientScores.endOfPrefix { $0.timeMs < end }
    if next < clientScores.count, clientScores[next].timeMs <= end + (end - start) / 2 {
      return clientScores[next].value
    }
    return next > 0 ? clientScores[next - 1].value : nil
  }

  private func inputs(of streams: [WindowStream]) -> WindowInputs {
    var inputs = WindowInputs()
    let audio = streams.filter { $0.kind == .audio }
    let video = streams.filter { $0.kind == .video }
    let first = audio.isEmpty ? video : audio
    inputs.lossShare = first.compactMap(\.figures.lossShare).max()
    inputs.concealedShare = audio.compactMap(\.figures.concealedShare).max()
    inputs.delayMs = first.compactMap(\.delayMs).max()
    inputs.freezeShare = video.compactMap { $0.figures.video?.freezeShare }.max()
    inputs.frameRate = video.compactMap { $0.figures.video?.frameRate ?? $0.figures.framesPerSecond }.min()
    inputs.height = video.compactMap(\.figures.height).max()
    takePlayout(audio: audio, video: video, into: &inputs)
    inputs.frameQuality = video.compactMap(\.figures.frameQuality).min()
    let rates = streams.compactMap(\.figures.bps)
    inputs.bitrateBps = rates.isEmpty ? nil : rates.reduce(0, +)
    return inputs
  }
}

/// Delays from playout timestamps.
extension WindowJudge {
  /// Time between an audio frame's capture and its timestamp, and between a video frame's timestamp and its display,
  /// ms: medians over 30 recorded calls whose delays were measured at microphone and screen (docs/metrics.md).
  private static let soundMs = 12.0
  private static let pictureMs = 3.0
  private static let lipSyncMs = 13.0

  /// The delay of the receiver's device is excluded, as it is for the delay from round trips, because not all sources
  /// have it.
  private func takePlayout(audio: [WindowStream], video: [WindowStream], into inputs: inout WindowInputs) {
    let sound = audio.compactMap { stream in
      stream.playoutDelayMs.map { $0 - (stream.deviceMs ?? 0) + Self.soundMs }
    }.max()
    let picture = video.compactMap(\.playoutDelayMs).max()
    inputs.mouthToEarMs = sound ?? (audio.isEmpty ? nil : inputs.delayMs)
    inputs.delaySource = sound != nil ? .playout : inputs.mouthToEarMs != nil ? .roundTrip : nil
    inputs.glassToGlassMs = picture.map { $0 - Self.pictureMs }
    // Only for one audio and one video stream: with several it is unknown which belong together.
    guard audio.count == 1, video.count == 1, !video[0].figures.screen else { return }
    inputs.audioMinusVideoMs = audio[0].lag(behind: video[0]).map {
      $0 - (audio[0].deviceMs ?? 0) + Self.lipSyncMs
    }
  }
}

/// One stream in one window, ready to be scored.
struct WindowStream {
  /// Its index among the tracks of its end.
  let place: Int
  let kind: MediaKind
  /// Observed share of the window, 0–1.
  let coverage: Double
  let samples: Int
  let availability: Double
  /// How precise the times of its figures are.
  let precision: FigurePrecision
  /// Nothing arrived in the whole window: on purpose by the far end, and below not on purpose.
  let isSilent: Bool
  let isWithoutPackets: Bool
  /// The share of the time without packets that was lost, 0–1.
  let lostShare: Double
  /// Mouth-to-ear delay, as far as known, whether or not it is charged to this stream.
  let delayMs: Double?
  let figures: StreamFigures
  /// Median age of the media played out at its reports, ms, and the part of it due to the audio device.
  let playoutDelayMs: Double?
  let deviceMs: Double?
  /// Minimum offset between two clocks that counts, ms.
  private static let minLeadMs = 25.0
  /// Delays outside this range are due to an unknown clock offset, ms.
  private static let possibleDelays = -1000.0...10_000
  private let playoutDelays: [(timeMs: Double, delayMs: Double)]

  /// How much later than another stream it plays media captured at the same time, ms: the median over reports of both.
  func lag(behind other: WindowStream) -> Double? {
    let lags = playoutDelays.compactMap { own in
      other.playoutDelays.first { abs($0.timeMs - own.timeMs) < 1 }.map { own.delayMs - $0.delayMs }
    }
    return Self.median(lags)
  }

  private static func median(_ values: [Double]) -> Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  init(
    _ bin: StreamBin, place: Int, facts: StreamFacts, codec: String?, mode: OpusMode, kind: MediaKind,
    length: Double,
    ageS: Double?, farClockMs: Double?, roundTripMs: Double?,
    isReported: Bool, isCounted: Bool, references: References, minFrameRate: Double, memory: inout VideoMemory
  ) {
    (self.place, self.kind) = (place, kind)
    precision = FigurePrecision(facts, isCounted: isCounted)
    coverage = min(1, bin.observedMs / length)
    samples = bin.samples
    isSilent = bin.silentMs >= 0.95 * length || kind == .video && Self.isProbes(bin)
    isWithoutPackets = bin.gapMs >= 0.98 * length
    playoutDelays = bin.playoutDelays
    // Timestamps are on the far end's clock. An offset no longer than queueing delays is ignored.
    let lead = farClockMs.map { $0 + (roundTripMs ?? 0) / 2 } ?? 0
    playoutDelayMs = Self.median(bin.playoutDelays.map(\.delayMs)).map {
      abs(lead) >= Self.minLeadMs ? $0 + lead : $0
    }.flatMap { Self.possibleDelays.contains($0) ? $0 : nil }
    deviceMs = kind == .audio ? bin.deviceMs.value : nil
    lostShare = bin.gapMs > 0 ? bin.lostGapMs / bin.gapMs : 1

    var figures = StreamFigures(kind: kind)
    let audio = AudioAdapter(
      bin, codec: codec, roundTripMs: roundTripMs, isReported: isReported)
    delayMs = audio.impairments.delayMs
    figures.codec = codec
    figures.packets = bin.tally[.packets]
    figures.lost = bin.tally[.lost].map { max(0, $0) }
    figures.jitterMs = bin.jitterMs.value
    figures.bufferMs = audio.bufferMs
    figures.roundTripMs = roundTripMs
    figures.screen = facts.screen ?? false
    figures.errorCorrection = mode.errorCorrection
    figures.discontinuous = mode.discontinuous
    switch kind {
    case .audio:
      availability = audio.availability.audio
      figures.lossShare = audio.lossShare
      figures.concealedShare = audio.concealedShare
      figures.audio = audio.impairments
      if bin.measuredMs > 0 { figures.bps = bin.tally[.bytes].map { $0 * 8000 / bin.measuredMs } }
    case .video:
      let video = VideoAdapter(
        bin, length: length, screen: figures.screen, codec: codec, ageS: ageS, references: references,
        minFrameRate: minFrameRate, memory: &memory)
      availability = video.availability.video
      figures.lossShare = video.lossShare
      figures.framesPerSecond = video.framesPerSecond
      figures.pixels = bin.pixels.value
      figures.height = bin.height.value
      figures.bps = video.bps
      figures.video = video.isOfFrames ? video.impairments : nil
      figures.frameQuality = video.frameQuality
      figures.video?.delayMs = audio.impairments.delayMs
    }
    self.figures = figures
  }

  /// Share of a picture's packets that is lost from which nobody knows how it was if its frames are not counted.
  private static let unseenLoss = 0.1

  /// Whether it is a picture of which much was lost, and of whose frames nothing is known.
  fileprivate var isUnseen: Bool {
    kind == .video && figures.video == nil && figures.lossShare ?? 0 >= Self.unseenLoss
  }

  /// Whether packets arrive without video in them, for a stream that never had a frame.
  private static func isProbes(_ bin: StreamBin) -> Bool {
    guard bin.pixels.value == nil, let packets = bin.tally[.packets], packets > 0,
      let bytes = bin.tally[.bytes]
    else { return false }
    return bytes < packets * minVideoPayload && bin.tally[.frames] ?? 0 == 0
      && bin.tally[.framesReceived] ?? 0 == 0 && bin.frameRate.value ?? 0 == 0
  }
}

/// The negotiated Opus modes, from format parameters (RFC 7587 section 6.1).
struct OpusMode {
  /// In-band forward error correction.
  let errorCorrection: Bool
  /// Nothing is sent during silence (DTX).
  let discontinuous: Bool

  init(_ fmtp: String?) {
    errorCorrection = fmtp?.contains("useinbandfec=1") ?? false
    discontinuous = fmtp?.contains("usedtx=1") ?? false
  }
}

/// Where windows begin and end.
public enum WindowCut: Sendable {
  /// Windows of five seconds from the first remote media; the last one only if it is at least half full.
  case fromFirstMedia
  /// Given intervals in ms since the Unix epoch; they may overlap and be in any order.
  case intervals([(startMs: Double, endMs: Double)])

  /// Length of a window, ms.
  public static let lengthMs = Window.lengthMs
  /// Minimum length of the last window, ms.
  public static let shortestLastMs = 2500.0
}

/// A quality score (0–100) that the client itself reported at a given time.
public struct ClientScore: Sendable, Equatable {
  public var timeMs: Double
  public var value: Double

  /// A score reported by the client.
  public init(timeMs: Double, value: Double) {
    self.timeMs = timeMs
    self.value = value
  }
}
