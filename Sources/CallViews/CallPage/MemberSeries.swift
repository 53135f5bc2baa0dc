import CallModel
import CallStore
import Rendering

/// All members of one stream over time.
struct StreamMemberSeries {
  let all: [(DrawnMember, Series)]

  /// What is useless in a graph: timestamps since the epoch, and a sum of squares.
  private static let undrawn: Set<Metric> = [
    .lastPacketMs, .farPacketsMs, .farReportMs, .estimatedPlayoutMs, .squaredInterFrameDelayS2,
  ]
  /// Sums with what they are sums over: the growth of one by that of the other is drawn, as webrtc-internals does.
  static let means: [Metric: Metric] = [
    .jitterBufferDelayMs: .jitterBufferEmitted, .jitterBufferTargetDelayMs: .jitterBufferEmitted,
    .jitterBufferMinimumDelayMs: .jitterBufferEmitted, .processingDelayMs: .frames, .decodeMs: .frames,
    .interFrameDelayMs: .frames, .qpSum: .frames, .packetSendDelayMs: .packets, .psnrSum: .psnrMeasurements,
    .corruptionSum: .corruptionMeasurements, .playoutDelayMs: .playoutSamples,
  ]

  /// What a sum of a stream is over; frames are counted of pictures only, samples of sound.
  static func counter(of metric: Metric, _ kind: MediaKind?) -> Metric? {
    metric == .processingDelayMs && kind == .audio ? .jitterBufferEmitted : means[metric]
  }

  /// Reads the samples of a stream; times are relative to `zeroMs`. Rethrows errors of the store.
  init(_ stream: StreamAccount, in store: Store, zeroMs: Double) throws {
    let zeroMs = zeroMs - stream.clockMs
    let metrics = Metric.allCases.filter { !Self.undrawn.contains($0) }
    let isCounter = metrics.map { $0.info.behaviour == .counter }
    let counters = metrics.map { Self.counter(of: $0, stream.kind) }
    var series = metrics.map { _ in Series() }
    var extras = ExtraSeries(.streams)
    for part in stream.parts {
      var latest = metrics.map { _ in (atMs: Double.nan, value: 0.0) }
      var counted = metrics.map { _ in Double?.none }
      let cursor = try store.samples(ofStream: part.key)
      var sample = Sample(timeMs: 0)
      while try cursor.next(into: &sample) {
        for (place, metric) in metrics.enumerated() {
          guard let value = sample[metric] else { continue }
          let then = latest[place]
          latest[place] = (sample.timeMs, value)
          if let counter = counters[place] {
            let count = sample[counter]
            if let count, let before = counted[place], count > before, value >= then.value {
              series[place].append(sample.timeMs - zeroMs, (value - then.value) / (count - before))
            }
            counted[place] = count
          } else if !isCounter[place] {
            series[place].append(sample.timeMs - zeroMs, value)
          } else if sample.timeMs > then.atMs {
            // A counter that decreased was reset.
            let grown = value >= then.value || metric == .lost ? value - then.value : value
            series[place].append(sample.timeMs - zeroMs, grown * 1000 / (sample.timeMs - then.atMs))
          }
        }
      }
      guard stream.source == .stats else { continue }
      extras.begin()
      try store.extras(ofStream: part.key) { extras.take($1, atMs: $0 - zeroMs) }
    }
    all =
      zip(metrics, series).filter { !$0.1.isEmpty }.map { (DrawnMember($0, stream), $1) } + extras.all
  }
}

/// The transports of one end over time, from the sources of its streams.
struct PathMemberSeries {
  let all: [(DrawnMember, Series)]

  private typealias Figure = (
    name: String, unit: String, isCounter: Bool, value: @Sendable (TransportSample) -> Double?
  )

  private static let figures: [Figure] = [
    ("candidate-pair.currentRoundTripTime", "ms", false, { $0.rttMs }),
    ("candidate-pair.availableOutgoingBitrate", "bit/s", false, { $0.availableOutgoingBps }),
    ("candidate-pair.availableIncomingBitrate", "bit/s", false, { $0.availableIncomingBps }),
    ("candidate-pair.bytesSent", "bytes", true, { $0.bytesSent }),
    ("candidate-pair.bytesReceived", "bytes", true, { $0.bytesReceived }),
    ("candidate-pair.requestsSent", "checks", true, { $0.requestsSent }),
    ("candidate-pair.responsesReceived", "answers", true, { $0.responsesReceived }),
    ("candidate-pair.requestsReceived", "checks", true, { $0.requestsReceived }),
    ("candidate-pair.responsesSent", "answers", true, { $0.responsesSent }),
    ("transport.selectedCandidatePairChanges", "changes", false, { $0.pairChanges }),
  ]
  private static let mean = DrawnMember(
    group: .paths, name: "candidate-pair.totalRoundTripTime / responsesReceived", unit: "ms",
    isCounter: false,
    note: "mean round trip of the connectivity checks that were answered since the report before")

  /// Reads the transports of an end; times are relative to `zeroMs`. Rethrows errors of the store.
  init(_ end: EndAccount, in store: Store, zeroMs: Double) throws {
    let zeroMs = zeroMs - end.clockMs
    var series = Self.figures.map { _ in Series() }
    var means = Series()
    var extras = ExtraSeries(.paths)
    var before: [Int64: TransportSample] = [:]
    let feed = try store.transports(ofEndpoint: end.key, sources: end.mainSources)
    while let sample = try feed.next() {
      let atMs = sample.timeMs - zeroMs
      let then = before.updateValue(sample, forKey: sample.connection).flatMap {
        $0.pair == sample.pair && $0.timeMs < sample.timeMs ? $0 : nil
      }
      if then == nil { extras.begin() }
      extras.take(sample.extra, atMs: atMs)
      for (place, figure) in Self.figures.enumerated() {
        guard let value = figure.value(sample) else { continue }
        guard figure.isCounter else {
          series[place].append(atMs, value)
          continue
        }
        guard let then, let earlier = figure.value(then), value >= earlier else { continue }
        series[place].append(atMs, (value - earlier) * 1000 / (sample.timeMs - then.timeMs))
      }
      guard let then, let sum = sample.totalRttMs, let count = sample.responsesReceived,
        let sumThen = then.totalRttMs, let countThen = then.responsesReceived, count > countThen
      else { continue }
      means.append(atMs, (sum - sumThen) / (count - countThen))
    }
    let drawn = zip(Self.figures, series).map { figure, series in
      (
        DrawnMember(
          group: .paths, name: figure.name, unit: figure.unit, isCounter: figure.isCounter,
          note: "of the pair in use"), series
      )
    }
    all = (drawn + [(Self.mean, means)]).filter { !$0.1.isEmpty } + extras.all
  }
}

/// Members without a column, from JSON objects stored when they changed.
struct ExtraSeries {
  private let group: DrawnMember.Group
  private var series: [String: Series] = [:]
  private var members: [String: DrawnMember] = [:]
  /// Last value of each counter, and its time.
  private var last: [String: (value: Double, atMs: Double)] = [:]
  private var beforeMs: Double?
  /// Maximum number of members of a stream or transport, counting the parts of an object separately.
  private static let most = 200
  private static let maxParts = 8

  init(_ group: DrawnMember.Group) { self.group = group }

  /// Starts a new part, whose counters start anew.
  mutating func begin() {
    endConstantCounters()
    last = [:]
    beforeMs = nil
  }

  /// Takes the JSON object of a sample; nil if nothing changed.
  mutating func take(_ extra: String?, atMs: Double) {
    let step = stepMs(until: atMs)
    beforeMs = atMs
    for figure in extra.map({ Self.figures($0) }) ?? [] {
      let name = figure.name
      guard let value = Self.number(figure.value), let member = member(name) else { continue }
      if figure.value == "true" || figure.value == "false" { members[name]?.words = ["no", "yes"] }
      guard member.isCounter else {
        series[name, default: Series()].append(atMs, value * member.factor)
        continue
      }
      let then = last.updateValue((value, atMs), forKey: name)
      guard let then, atMs > then.atMs else {
        // A counter that never changes is drawn as a line at 0.
        if series[name] == nil { series[name, default: Series()].append(atMs, 0) }
        continue
      }
      // Earlier growth would have been stored earlier, so all of it belongs to the last step.
      var sinceMs = then.atMs
      if atMs - sinceMs > 2 * step {
        series[name]?.append(sinceMs + step, 0)
        sinceMs = atMs - step
        series[name]?.append(sinceMs, 0)
      }
      let grown = value >= then.value ? value - then.value : value
      series[name]?.append(atMs, grown * member.factor * 1000 / (atMs - sinceMs))
    }
  }

  /// Usual time between stored values of a constantly growing counter.
  private func stepMs(until atMs: Double) -> Double {
    max(ExtraMembers.counterIntervalMs, beforeMs.map { atMs - $0 } ?? 0)
  }

  /// Sets counters to 0 that were not stored for so long that they must have been constant.
  private mutating func endConstantCounters() {
    guard let beforeMs else { return }
    for (name, then) in last where beforeMs - then.atMs > 2 * ExtraMembers.counterIntervalMs {
      series[name]?.append(then.atMs + ExtraMembers.counterIntervalMs, 0)
    }
  }

  /// All members with their series.
  var all: [(DrawnMember, Series)] {
    var ended = self
    ended.endConstantCounters()
    return ended.series.compactMap { name, series in members[name].map { ($0, series) } }
  }

  private mutating func member(_ name: String) -> DrawnMember? {
    if let known = members[name] { return known }
    guard members.count < Self.most else { return nil }
    let visible = VisibleText.cut(VisibleText.visible(name), to: 80)
    let member = DrawnMember(extra: visible, group: group)
    members[name] = member
    return member
  }

  /// Members, and the parts of those that are objects (`psnrSum`).
  private static func figures(_ json: String) -> [(name: String, value: String)] {
    JSONMembers.topLevel(of: json).flatMap { name, value in
      value.hasPrefix("{")
        ? JSONMembers.topLevel(of: value).prefix(maxParts).map { ("\(name).\($0.name)", $0.value) }
        : [(name, value)]
    }
  }

  private static func number(_ text: String) -> Double? {
    switch text {
    case "true": 1
    case "false": 0
    default: Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
  }
}
