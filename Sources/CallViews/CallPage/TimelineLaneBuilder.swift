import CallModel
import CallStore
import Rendering

/// Converts the samples of a call to timeline lanes.
struct TimelineLaneBuilder {
  private let account: CallAccount
  private let store: Store
  private let zeroMs: Double
  private var lanes: [String: [TimelineLane.Line]] = [:]
  /// Ends with more streams than are drawn, with their numbers of streams, by kind.
  private var crowds: [MediaKind: [(end: String, streams: Int)]] = [:]

  /// Maximum number of streams of one kind drawn per end, the worst ones; the table of streams has all.
  package static let maxStreams = 3
  /// Maximum number of points; more are drawn as minimum and maximum of neighbours.
  package static let maxPoints = 5000

  /// The lanes of a call; times are relative to `zeroMs`. Rethrows errors of the store.
  package static func lanes(_ account: CallAccount, in store: Store, zeroMs: Double) throws -> [TimelineLane]
  {
    var builder = TimelineLaneBuilder(account: account, store: store, zeroMs: zeroMs)
    for (index, end) in account.ends.enumerated() { try builder.add(end, index) }
    let drawn = TimelineLane.all.compactMap { lane -> TimelineLane? in
      var lane = lane
      lane.lines = (builder.lanes[lane.id] ?? []).filter { !$0.series.isEmpty }
      lane.left = builder.left(of: lane.id)
      return lane.lines.isEmpty ? nil : lane
    }
    return drawn + (try MemberLanes.lanes(account, in: store, zeroMs: zeroMs))
  }

  private init(account: CallAccount, store: Store, zeroMs: Double) {
    self.account = account
    self.store = store
    self.zeroMs = zeroMs
  }

  private mutating func add(_ end: EndAccount, _ index: Int) throws {
    let name = VisibleText.cut(VisibleText.visible(end.name), to: 24)
    for kind in MediaKind.allCases {
      let streams = StreamRanking.worst(end, kind)
      if streams.count > Self.maxStreams { crowds[kind, default: []].append((name, streams.count)) }
      for (rank, stream) in streams.prefix(Self.maxStreams).enumerated() {
        let which = streams.count > 1 ? " " + StreamWords.name(stream) : ""
        let curve = try StreamCurves(stream, in: store, zeroMs: zeroMs)
        let label = "\(name), \(kind.rawValue)\(which)"
        let dash: TimelineLane.Dash = kind == .video ? .solid : .dashed
        add("loss", index, label, dash, curve.loss, rank)
        add("jitter", index, label, dash, curve.jitter, rank)
        add("bitrate", index, label, dash, curve.bitrate, rank)
        let own = TimelineLane.Dash.ofRank(rank)
        if kind == .audio {
          add("concealed", index, name + which, own, curve.concealed, rank)
          add("level", index, name + which, own, curve.level, rank)
        } else {
          add("fps", index, name + which, own, curve.frameRate, rank)
          add("height", index, name + which, own, curve.height, rank, isStep: true)
        }
      }
    }
    for stream in end.ownStreams
    where stream.direction == .outbound && stream.kind == .video && stream.source == .stats {
      let curve = try StreamCurves(stream, in: store, zeroMs: zeroMs)
      add("bitrate", index, "\(name) aims at", .dotted, curve.target)
      break
    }
    add("rtt", index, name, .solid, try roundTrips(end))
    var delay = Series()
    for window in end.windows { delay.append(window.startMs - zeroMs, window.inputs.delayMs) }
    if let last = end.windows.last { delay.append(last.endMs - zeroMs, last.inputs.delayMs) }
    add("delay", index, name, .solid, delay, isStep: true)
    let missing = end.missingMedia.filter { $0.fate?.isMissed ?? !$0.media.isEmpty }
    // A picture that stands still is in step with nothing.
    var apart = Series()
    for window in end.windows {
      let isWhole = !missing.contains { $0.overlaps(window.startMs...window.endMs) }
      apart.append(window.startMs - zeroMs, isWhole ? window.inputs.audioMinusVideoMs : nil)
    }
    if let last = end.windows.last { apart.append(last.endMs - zeroMs, apart.points.last?.low) }
    add("lip-sync", index, name, .solid, apart, isStep: true)
    for kind in MediaKind.allCases {
      let label = "\(name), \(kind.rawValue)"
      let shares = shares(missing.filter { $0.media.contains(kind) }, kind, end)
      add("missing", index, label, kind == .video ? .solid : .dashed, shares, isStep: true)
    }
    add("reported", index, name, .solid, reported(end), isStep: true)
  }

  /// The share of the time in which a medium was missing: 1 while it did not come or stood still, and of a picture that
  /// of each window in which it stood still for moments; empty if it never was.
  private func shares(_ missing: [MissingMedia], _ kind: MediaKind, _ end: EndAccount) -> Series {
    let still = kind == .video ? end.windows.filter { $0.inputs.freezeShare ?? 0 > 0 } : []
    var series = Series()
    guard !missing.isEmpty || !still.isEmpty else { return series }
    let last = account.lastMs ?? zeroMs
    let borders =
      [zeroMs] + missing.flatMap { [$0.fromMs, $0.untilMs] } + still.flatMap { [$0.startMs, $0.endMs] }
    // Windows are in order of time: each is passed once.
    var rest = still[...]
    for border in borders.sorted() where border <= last {
      let isMissing = missing.contains { $0.fromMs <= border && border < $0.untilMs }
      rest = rest.drop { $0.endMs <= border }
      let share = rest.first.flatMap { $0.startMs <= border ? $0.inputs.freezeShare : nil }
      let value = isMissing ? 1 : min(1, share ?? 0)
      if series.points.last?.low != value { series.append(border - zeroMs, value) }
    }
    series.append(last - zeroMs, series.points.last?.low)
    return series
  }

  /// The quality that the client itself reported, unless windows have it together with their score.
  private func reported(_ end: EndAccount) -> Series {
    var series = Series()
    guard !end.windows.contains(where: { $0.clientScore != nil }) else { return series }
    let own = account.ownEvents.filter { $0.end == end.name }.map(\.record)
    for (timeMs, value) in StateStrip(own).reported { series.append(timeMs - zeroMs, value) }
    if let last = series.points.last, let endMs = own.last(where: { $0.event == .callEnded })?.ownTimeMs,
      endMs - zeroMs > last.atMs
    {
      series.append(endMs - zeroMs, last.high)
    }
    return series
  }

  private mutating func add(
    _ lane: String, _ end: Int, _ label: String, _ dash: TimelineLane.Dash, _ series: Series, _ rank: Int = 0,
    isStep: Bool = false
  ) {
    guard !series.isEmpty else { return }
    lanes[lane, default: []].append(
      TimelineLane.Line(
        end: end, label: label, dash: dash, rank: rank, isStep: isStep,
        series: series.thinned(to: Self.maxPoints)))
  }

  /// Text on the streams that a lane omits.
  private func left(of lane: String) -> String? {
    let kinds: [MediaKind]
    switch lane {
    case "loss", "jitter", "bitrate": kinds = MediaKind.allCases
    case "concealed", "level": kinds = [.audio]
    case "fps", "height": kinds = [.video]
    default: return nil
    }
    let parts = kinds.flatMap { kind in
      (crowds[kind] ?? []).map {
        "\($0.end)'s \(Self.maxStreams) worst of \($0.streams) \(kind.rawValue) streams"
      }
    }
    guard !parts.isEmpty else { return nil }
    return parts.count > 3
      ? "of each end the \(Self.maxStreams) worst streams of a kind; the table has all"
      : parts.joined(separator: ", ")
  }

  /// Round trips from the sources of the judged streams only: others have their own clock and method.
  private func roundTrips(_ end: EndAccount) throws -> Series {
    var series = Series()
    let feed = try store.transports(ofEndpoint: end.key, sources: end.mainSources)
    while let instant = try feed.next() {
      if let rtt = instant.rttMs { series.append(instant.timeMs + end.clockMs - zeroMs, rtt) }
    }
    return series
  }
}

/// A stream between its samples: the growth of its counters, including resets, and its gauges.
struct StreamCurves {
  package var loss = Series()
  package var jitter = Series()
  package var concealed = Series()
  package var bitrate = Series()
  package var target = Series()
  package var frameRate = Series()
  package var height = Series()
  package var level = Series()

  /// Reads the samples of a stream; times are relative to `zeroMs`. Rethrows errors of the store.
  package init(_ stream: StreamAccount, in store: Store, zeroMs: Double) throws {
    let zeroMs = zeroMs - stream.clockMs
    for part in stream.parts {
      let cursor = try store.samples(ofStream: part.key)
      var sample = Sample(timeMs: 0)
      var before: Sample?
      while try cursor.next(into: &sample) {
        add(sample, before, sample.timeMs - zeroMs)
        before = sample
      }
    }
  }

  private mutating func add(_ sample: Sample, _ before: Sample?, _ atMs: Double) {
    jitter.append(atMs, sample[.jitterMs])
    target.append(atMs, sample[.targetBps])
    level.append(atMs, sample[.audioLevel])
    height.append(atMs, sample[.height])
    guard let before, sample.timeMs > before.timeMs else { return }
    let interval = sample.timeMs - before.timeMs
    let isReset = (sample[.packets] ?? 0) < (before[.packets] ?? 0)
    func growth(_ metric: Metric) -> Double? {
      guard let now = sample[metric] else { return nil }
      guard !isReset, let then = before[metric] else { return isReset ? now : nil }
      return metric == .lost ? now - then : now < then ? now : now - then
    }
    if let packets = growth(.packets), let lost = growth(.lost), packets + max(lost, 0) > 0 {
      loss.append(atMs, max(lost, 0) / (packets + max(lost, 0)))
    } else {
      loss.append(atMs, nil)
    }
    if let made = growth(.concealedSamples), let all = growth(.totalSamples) {
      concealed.append(atMs, all > 0 ? min(1, made / all) : nil)
    }
    bitrate.append(atMs, growth(.bytes).map { $0 * 8000 / interval })
    frameRate.append(atMs, growth(.frames).map { $0 * 1000 / interval } ?? sample[.frameRate])
  }
}

/// Values over time, some of which may be unknown.
package struct Series {
  /// One bar of the drawing: a sample, or minimum, maximum and mean of several.
  package struct Point: Equatable {
    /// Milliseconds since the start of the call.
    package var atMs: Double
    package var low: Double?
    package var high: Double?
    package var mean: Double?
  }

  package private(set) var points: [Point] = []

  /// Whether no value is known.
  package var isEmpty: Bool { !points.contains { $0.low != nil } }

  /// Appends a measured value; nil is a gap.
  package mutating func append(_ atMs: Double, _ value: Double?) {
    let known = value.flatMap { $0.isFinite ? $0 : nil }
    // Consecutive gaps count as one.
    if known == nil, let last = points.last, last.low == nil { return }
    points.append(Point(atMs: atMs, low: known, high: known, mean: known))
  }

  /// The series with at most `most` points: neighbours are merged into minimum, maximum and mean, so that no peak is
  /// lost.
  func thinned(to most: Int) -> Series {
    guard points.count > most, most > 0 else { return self }
    let stride = (points.count + most - 1) / most
    var result = Series()
    var start = 0
    while start < points.count {
      let group = points[start..<min(start + stride, points.count)]
      let first = group.first?.atMs ?? 0
      let low = group.compactMap(\.low).min()
      let high = group.compactMap(\.high).max()
      let known = group.compactMap(\.mean)
      let mean = known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
      result.points.append(Point(atMs: first, low: low, high: high, mean: mean))
      start += stride
    }
    return result
  }

  /// The series without points between two equal ones, because most counters are constant for most of a call.
  var withoutRepeats: Series {
    guard points.count > 2 else { return self }
    var result = Series()
    for place in points.indices {
      let point = points[place]
      let isInside = place > 0 && place < points.count - 1
      func isAlike(_ other: Point) -> Bool { other.low == point.low && other.high == point.high }
      if isInside, isAlike(points[place - 1]), isAlike(points[place + 1]) { continue }
      result.points.append(point)
    }
    return result
  }

  /// Multiplies all values.
  package mutating func scale(by factor: Double) {
    for index in points.indices {
      points[index].low = points[index].low.map { $0 * factor }
      points[index].high = points[index].high.map { $0 * factor }
      points[index].mean = points[index].mean.map { $0 * factor }
    }
  }
}

/// Series as compact text inside JSON: a tenth of the size of number arrays, and faster to parse.
enum SeriesText {
  /// Times as differences in hundredths of a second: `0,100,100`.
  package static func times(_ series: Series) -> String {
    var before = 0
    return series.points.map { point in
      let at = Int((point.atMs / 10).rounded().clamped(to: -1e9...1e9))
      defer { before = at }
      return String(at - before)
    }.joined(separator: ",")
  }

  /// Values as text; minimum, maximum and mean separated by `:` if they differ, empty if unknown: `12,13:15:13.5,,14`.
  package static func values(_ series: Series, decimals: Int) -> String {
    series.points.map { point in
      guard let low = point.low, let high = point.high else { return "" }
      let (a, b) = (CellText.fixed(low, decimals: decimals), CellText.fixed(high, decimals: decimals))
      return a == b ? a : "\(a):\(b):\(CellText.fixed(point.mean ?? low, decimals: decimals))"
    }.joined(separator: ",")
  }

  /// Numbers as text, empty for nil.
  package static func list(_ values: [Double?], decimals: Int) -> String {
    values.map { $0.map { CellText.fixed($0, decimals: decimals) } ?? "" }.joined(separator: ",")
  }
}
