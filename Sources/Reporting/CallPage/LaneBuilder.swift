import CallModel
import CallStore

/// Reads the samples of a call into lanes.
struct LaneBuilder {
  private let account: CallAccount
  private let store: Store
  private let zeroMs: Double
  private var lanes: [String: [Lane.Line]] = [:]

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
      let streams = StreamChoice.worst(end, kind)
      for (place, stream) in streams.prefix(Self.mostStreams).enumerated() {
        let which = streams.count > 1 ? " \(place + 1)" : ""
        let curve = try StreamCurves(stream.key, in: store, zeroMs: zeroMs)
        let label = "\(name), \(kind.rawValue)\(which)"
        let dash: Lane.Dash = kind == .video ? .solid : .dashed
        add("loss", index, label, dash, curve.loss)
        add("jitter", index, label, dash, curve.jitter)
        add("bitrate", index, label, dash, curve.bitrate)
        if kind == .audio {
          add("concealed", index, name + which, .solid, curve.concealed)
        } else {
          add("fps", index, name + which, .solid, curve.frameRate)
          add("height", index, name + which, .solid, curve.height, isStep: true)
          add("freeze", index, name + which, .solid, curve.freeze)
        }
      }
    }
    for stream in end.ownStreams
    where stream.direction == .outbound && stream.kind == .video && stream.source == .stats {
      let curve = try StreamCurves(stream.key, in: store, zeroMs: zeroMs)
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
    _ lane: String, _ end: Int, _ label: String, _ dash: Lane.Dash, _ series: Series, isStep: Bool = false
  ) {
    guard !series.isEmpty else { return }
    lanes[lane, default: []].append(
      Lane.Line(
        end: end, label: label, dash: dash, isStep: isStep, series: series.thinned(to: Self.mostPoints)))
  }

  private func roundTrips(_ end: EndAccount) throws -> Series {
    var series = Series()
    let sql =
      "SELECT t_ms, rtt_ms FROM transports WHERE endpoint_key = :end AND rtt_ms IS NOT NULL ORDER BY t_ms"
    try store.query(
      sql, ["end": .integer(end.key)], columns: { _ in },
      row: { cells in
        if let time = cells.cell(0).number { series.append(time - zeroMs, cells.cell(1).number) }
      })
    return series
  }
}

/// Which streams of an end are shown first.
enum StreamChoice {
  /// Received streams of a kind with packets, the worst first: by loss, then freezes, then least packets.
  static func worst(_ end: EndAccount, _ kind: MediaKind) -> [StreamAccount] {
    end.ownStreams.filter { $0.direction == .inbound && $0.kind == kind && ($0.number("packets") ?? 0) > 0 }
      .sorted { harm($0) > harm($1) }
  }

  private static func harm(_ stream: StreamAccount) -> Double {
    let span = max(1, (stream.lastMs ?? 0) - (stream.firstMs ?? 0))
    return (StreamWords.lossShare(stream) ?? 0) + (stream.number("freeze_ms") ?? 0) / span
      + (stream.number("concealed_share") ?? 0)
  }
}
