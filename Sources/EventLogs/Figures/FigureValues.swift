import CallModel

/// The figures of one way and medium in a row, in their own units.
struct FigureValues {
  private(set) var numbers: [(figure: SummaryFigure, value: Double, counts: FigureSource.Counts?)] = []
  private(set) var codec: String?
  /// How many were out of range.
  private(set) var impossible = 0

  private static let longestCodec = 40

  /// Whether nothing is known.
  var isEmpty: Bool { numbers.isEmpty }

  init(_ sources: [FigureSource], of row: some FigureRow, _ notation: FigureNotation) {
    numbers.reserveCapacity(sources.count)
    for source in sources {
      guard let range = source.figure.range else {
        let text = source.paths.lazy.compactMap(row.text).first
        if let text, text.utf8.count <= Self.longestCodec, !notation.isMissing(text) { codec = text }
        continue
      }
      guard let value = source.paths.lazy.compactMap({ notation.number(row.value($0), source) }).first else {
        continue
      }
      guard range.contains(value) else {
        // An opinion of 0 is none.
        if value != 0 { impossible += 1 }
        continue
      }
      numbers.append((source.figure, value, source.counts))
    }
    // Nothing was measured where no packet came.
    if self["packets"] == 0 {
      numbers.removeAll { !["packets", "lost", "bytes"].contains($0.figure.name) }
    }
  }

  /// A figure by name; nil if it is unknown.
  subscript(_ name: String) -> Double? { numbers.first { $0.figure.name == name }?.value }

  /// Works the share lost out of counts of the row itself. Senders count what they sent, lost packets included.
  mutating func workOutLoss(isReceived: Bool) {
    guard self["loss_percent"] == nil, let figure = SummaryFigure("loss_percent"),
      let lost = growth("lost"), let packets = growth("packets")
    else { return }
    let all = isReceived ? packets + lost : packets
    guard all > 0, lost <= all else { return }
    numbers.append((figure, 100 * lost / all, nil))
  }

  /// A count of the row itself; nil if it is unknown, or counts since the call began.
  func growth(_ name: String) -> Double? {
    numbers.first { $0.figure.name == name && $0.counts != .call }?.value
  }

  /// The metrics of a sample, and by how much a figure is divided for each.
  private static let metrics: [String: (metric: Metric, divisor: Double)] = [
    "loss_percent": (.fractionLost, 100), "concealed_percent": (.expandRate, 100),
    "jitter_ms": (.jitterMs, 1),
    "rtt_ms": (.rttMs, 1), "frame_rate": (.frameRate, 1), "width": (.width, 1), "height": (.height, 1),
  ]
  private static let counters: [String: Metric] = ["packets": .packets, "bytes": .bytes, "lost": .lost]

  /// The figures as a sample. Counts of an interval are in its share and in the totals of the stream.
  func sample(atMs timeMs: Double) -> Sample {
    var sample = Sample(timeMs: timeMs)
    for (figure, value, counts) in numbers {
      if let (metric, divisor) = Self.metrics[figure.name] {
        sample.set(metric, value / divisor)
      } else if counts == .call, let metric = Self.counters[figure.name] {
        sample.set(metric, value)
      }
    }
    return sample
  }

  /// The figures without a column, as a JSON object; nil if there are none.
  var extra: String? {
    var args = SummaryArguments()
    for (figure, value, counts) in numbers
    where Self.metrics[figure.name] == nil && (counts != .call || Self.counters[figure.name] == nil) {
      args.add(figure.name, .number(value))
    }
    return args.text == "{}" ? nil : args.text
  }

  /// Adds all to the arguments of a report.
  func add(to args: inout SummaryArguments) {
    if let codec { args.add("codec", .text(codec)) }
    for (figure, value, _) in numbers { args.add(figure.name, .number(value)) }
  }
}

/// The totals of one stream over its rows: means over time, sums of counts.
struct FigureTotals {
  let connection: Int
  private let direction: StreamDirection
  private let kind: MediaKind
  private let by: String
  private let observer: FigureLayout.Observer
  private var span: ClosedRange<Double>?
  private var sums: [String: (sum: Double, weight: Double)] = [:]
  private var counts: [String: Double] = [:]
  private var jitterMax: Double?
  private var lowestMOS: (value: Double, timeMs: Double)?

  init(
    connection: Int, direction: StreamDirection, kind: MediaKind, by: String, observer: FigureLayout.Observer
  ) {
    (self.connection, self.direction, self.kind) = (connection, direction, kind)
    (self.by, self.observer) = (by, observer)
  }

  private static let means = ["loss_percent", "concealed_percent", "jitter_ms", "rtt_ms", "bitrate_bps"]
  private static let opinions = ["mos", "mos_listening", "mos_conversational", "mos_min"]

  /// Adds the figures of a row.
  mutating func add(_ figures: FigureValues, _ row: ClosedRange<Double>) {
    span =
      min(
        span?.lowerBound ?? row.lowerBound, row.lowerBound)...max(
        span?.upperBound ?? row.upperBound, row.upperBound)
    let weight = row.upperBound > row.lowerBound ? row.upperBound - row.lowerBound : 1
    for name in Self.means {
      guard let value = figures[name] else { continue }
      let before = sums[name] ?? (0, 0)
      sums[name] = (before.sum + value * weight, before.weight + weight)
    }
    for name in ["packets", "lost", "bytes"] {
      if let value = figures.growth(name) { counts[name, default: 0] += value }
    }
    if let jitter = figures["jitter_max_ms"] ?? figures["jitter_ms"] {
      jitterMax = max(jitterMax ?? 0, jitter)
    }
    if let mos = Self.opinions.compactMap({ figures[$0] }).min(), mos < lowestMOS?.value ?? .infinity {
      lowestMOS = (mos, row.upperBound)
    }
  }

  /// Means and sums for the row of the stream.
  var totals: StreamTotals {
    func mean(_ name: String) -> Double? { sums[name].map { $0.sum / $0.weight } }
    func count(_ name: String) -> Int? { counts[name].flatMap { Int(exactly: $0.rounded()) } }
    var totals = StreamTotals()
    (totals.firstMs, totals.lastMs) = (span?.lowerBound, span?.upperBound)
    (totals.packets, totals.lost, totals.bytes) = (count("packets"), count("lost"), count("bytes"))
    (totals.jitterMeanMs, totals.jitterMaxMs, totals.rttMs) = (mean("jitter_ms"), jitterMax, mean("rtt_ms"))
    totals.lossShare = mean("loss_percent").map { $0 / 100 }
    totals.concealedShare = mean("concealed_percent").map { $0 / 100 }
    totals.bitrateMeanBps = mean("bitrate_bps")
    var extra = SummaryArguments()
    extra.add("by", .text(by))
    extra.add("seen_by", .text(observer.rawValue))
    totals.extra = extra.text
    return totals
  }

  /// The lowest opinion of its rows, and that no packet came in any, as an event; nil without either.
  var report: EventRecord? {
    // Reports of what was sent have a round trip, and counters beside none a jitter of zero.
    let isEmpty =
      direction == .inbound && counts["packets"] == 0
      && sums.allSatisfy { $0.key == "rtt_ms" || $0.value.sum == 0 }
    guard let span, lowestMOS != nil || isEmpty else { return nil }
    var args = Self.arguments(by, direction, kind, observer, per: "interval")
    if let lowestMOS { args.add("mos_min", .number(lowestMOS.value)) }
    if isEmpty { args.add("packets", .number(0)) }
    return EventRecord(
      timeMs: lowestMOS?.timeMs ?? span.upperBound, event: .mediaQualityReported, raw: "\(by) rows",
      sdk: by, args: args.text)
  }

  /// The arguments that every report begins with.
  static func arguments(
    _ by: String, _ direction: StreamDirection, _ kind: MediaKind, _ observer: FigureLayout.Observer,
    per: String
  ) -> SummaryArguments {
    var args = SummaryArguments()
    args.add("by", .text(by))
    args.add("per", .text(per))
    switch direction {
    case .inbound: args.add("of", .text("received"))
    case .outbound: args.add("of", .text("sent"))
    case .unknown: break
    }
    args.add("medium", .text(kind.rawValue))
    args.add("seen_by", .text(observer.rawValue))
    return args
  }
}
