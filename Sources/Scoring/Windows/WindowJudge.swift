import CallModel

/// What a window hands on to the next one of its end.
struct WindowLine {
  /// The window that comes next; nil before the first.
  var next: Int?
  var memories: [Int: VideoMemory] = [:]
  var lastScore: Int?
  /// Windows in which nothing was observed that may still be written out.
  var emptyLeft = Window.mostEmpty
}

/// Makes windows of what the tracks gathered: state, figures, score, confidence.
struct WindowJudge {
  /// Least part of a window that must have been observed for a score.
  static let leastCoverage = 0.5

  var model: ScoreModel
  let references: References
  /// In order of time.
  let clientScores: [ClientScore]
  let quiet: QuietTimes

  /// The windows of one end that come next, in order; those before `limit` if there is one.
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
            bin, facts: track.facts, codec: track.codec(at: (start + end) / 2), mode: track.mode, kind: kind,
            length: end - start,
            roundTripMs: trip.mean(index),
            isReported: trip.isReported(index),
            references: references, leastFrameRate: model.leastFrameRate,
            memory: &line.memories[place, default: VideoMemory()]))
      }
      var window = judge(streams, index: index, start: start, end: end)
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

  private func judge(_ streams: [WindowStream], index: Int, start: Double, end: Double) -> Window {
    var window = Window(index: index, startMs: start, endMs: end, state: .unscored)
    let seen = streams.filter { $0.coverage >= Self.leastCoverage && !isQuiet($0.kind, from: start, to: end) }
    guard !seen.isEmpty else { return window }
    let sounding = seen.filter { !$0.isSilent }
    guard !sounding.isEmpty else {
      window.state = .silent
      return window
    }
    window.inputs = inputs(of: sounding)
    let availability = sounding.map(\.availability)
    window.confidence = confidence(
      availability: availability.reduce(0, +) / Double(availability.count),
      coverage: sounding.map(\.coverage).max() ?? 0, samples: sounding.map(\.samples).max() ?? 0)
    if sounding.allSatisfy(\.isDry) {
      window.state = .stalled
      window.score = 0
      // Numbers are seen of sound, if of anything.
      let lost = (sounding.first { $0.kind == .audio } ?? sounding[0]).lostShare
      window.pointsLost = wholePoints([.loss: lost, .jitter: 1 - lost], total: 100)
      if sounding.contains(where: { $0.kind == .audio }) { (window.audioCQ, window.audioLQ) = (0, 0) }
      if sounding.contains(where: { $0.kind == .video }) { window.video = 0 }
      return window
    }
    guard let score = model.score(sounding.map(\.figures), references: references) else { return window }
    window.state = .active
    window.label = model.label(sounding.map(\.figures))
    window.score = score.score
    window.pointsLost = score.lost
    window.audioCQ = score.audio?.conversing
    window.audioLQ = score.audio?.listening
    window.video = score.video?.conversing
    return window
  }

  private func isQuiet(_ kind: MediaKind, from start: Double, to end: Double) -> Bool {
    quiet.ms(from: start, to: end, of: kind) > (end - start) * (1 - Self.leastCoverage)
  }

  /// What the client said of itself for a window: its callback comes just after the time that it tells of, and holds until the next.
  private func clientScore(of start: Double, _ end: Double) -> Double? {
    var (low, high) = (0, clientScores.count)
    while low < high {
      let middle = (low + high) / 2
      if clientScores[middle].timeMs < end { low = middle + 1 } else { high = middle }
    }
    if low < clientScores.count, clientScores[low].timeMs <= end + (end - start) / 2 {
      return clientScores[low].value
    }
    return low > 0 ? clientScores[low - 1].value : nil
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
    let rates = streams.compactMap(\.figures.bps)
    inputs.bitrateBps = rates.isEmpty ? nil : rates.reduce(0, +)
    return inputs
  }
}
