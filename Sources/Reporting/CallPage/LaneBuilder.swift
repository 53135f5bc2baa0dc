import CallModel
import CallStore

/// Reads the samples of a call into lanes.
struct LaneBuilder {
  private let account: CallAccount
  private let store: Store
  private let zeroMs: Double
  private var lanes: [String: [Lane.Line]] = [:]
  /// Of ends with more streams than are drawn how many there are, by their kind.
  private var crowds: [MediaKind: [(end: String, streams: Int)]] = [:]

  /// More streams of one kind at one end than this are left to the table of streams; the worst are drawn.
  static let mostStreams = 3
  /// More points than this are drawn as least and greatest of neighbours.
  static let mostPoints = 5000

  /// Lanes of a call, times from `zeroMs`. Throws what the store throws.
  static func lanes(_ account: CallAccount, in store: Store, zeroMs: Double) throws -> [Lane] {
    var builder = LaneBuilder(account: account, store: store, zeroMs: zeroMs)
    for (index, end) in account.ends.enumerated() { try builder.add(end, index) }
    return Lane.all.compactMap { lane in
      var lane = lane
      lane.lines = (builder.lanes[lane.id] ?? []).filter { !$0.series.isEmpty }
      lane.left = builder.left(of: lane.id)
      return lane.lines.isEmpty ? nil : lane
    }
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
      if streams.count > Self.mostStreams { crowds[kind, default: []].append((name, streams.count)) }
      for (rank, stream) in streams.prefix(Self.mostStreams).enumerated() {
        let which = streams.count > 1 ? " " + StreamWords.name(stream) : ""
        let curve = try StreamCurves(stream, in: store, zeroMs: zeroMs)
        let label = "\(name), \(kind.rawValue)\(which)"
        let dash: Lane.Dash = kind == .video ? .solid : .dashed
        add("loss", index, label, dash, curve.loss, rank)
        add("jitter", index, label, dash, curve.jitter, rank)
        add("bitrate", index, label, dash, curve.bitrate, rank)
        let own = Lane.Dash.ofRank(rank)
        if kind == .audio {
          add("concealed", index, name + which, own, curve.concealed, rank)
        } else {
          add("fps", index, name + which, own, curve.frameRate, rank)
          add("height", index, name + which, own, curve.height, rank, isStep: true)
          add("freeze", index, name + which, own, curve.freeze, rank)
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
  }

  private mutating func add(
    _ lane: String, _ end: Int, _ label: String, _ dash: Lane.Dash, _ series: Series, _ rank: Int = 0,
    isStep: Bool = false
  ) {
    guard !series.isEmpty else { return }
    lanes[lane, default: []].append(
      Lane.Line(
        end: end, label: label, dash: dash, rank: rank, isStep: isStep,
        series: series.thinned(to: Self.mostPoints)))
  }

  /// Which streams a lane leaves out.
  private func left(of lane: String) -> String? {
    let kinds: [MediaKind]
    switch lane {
    case "loss", "jitter", "bitrate": kinds = MediaKind.allCases
    case "concealed": kinds = [.audio]
    case "fps", "height", "freeze": kinds = [.video]
    default: return nil
    }
    let parts = kinds.flatMap { kind in
      (crowds[kind] ?? []).map {
        "\($0.end)'s \(Self.mostStreams) worst of \($0.streams) \(kind.rawValue) streams"
      }
    }
    guard !parts.isEmpty else { return nil }
    return parts.count > 3
      ? "of each end the \(Self.mostStreams) worst streams of a kind; the table has all"
      : parts.joined(separator: ", ")
  }

  /// As the sources of the judged streams saw it: another witness has its own clock and its own way to measure.
  private func roundTrips(_ end: EndAccount) throws -> Series {
    var series = Series()
    let feed = try store.transports(ofEndpoint: end.key, sources: end.mainSources)
    while let instant = try feed.next() {
      if let rtt = instant.rttMs { series.append(instant.timeMs - zeroMs, rtt) }
    }
    return series
  }
}
