import CallModel
import CallStore
import Rendering

/// Timeline lanes for every member with samples, which a reader selects by name: gauges as they are, counters as growth
/// per second. getStats members have their W3C names, prefixed with the type of their report if it is not the stream's
/// own; columns of captures have names of their own.
enum MemberLanes {
  /// Maximum number of points per line; more would make the page of a long call too large.
  static let maxPoints = 240
  /// Maximum number of streams per end, direction and kind, and of streams in total, for statistics and captures each.
  private static let maxStreams = 2
  private static let maxInAll = 12

  /// The lanes of a call, sorted by name: first of streams, then of transports, then of captures. Times are relative to
  /// `zeroMs`. Rethrows errors of the store.
  package static func lanes(_ account: CallAccount, in store: Store, zeroMs: Double) throws -> [TimelineLane]
  {
    var collected = Collected()
    for source in [StreamSource.stats, .capture] {
      var read = 0
      defer { collected.read += read }
      for (place, end) in account.ends.enumerated() {
        // If statistics judge the end, the streams of its capture are shown as well.
        let streams = end.ownStreams.filter { $0.source == source }
        let others = end.streams.filter { $0.source == source }
        let worst = MediaKind.allCases.flatMap { StreamRanking.worst(end, $0) }.map(\.key)
        let ranks = Dictionary(zip(worst, 0...)) { first, _ in first }
        let ranked = (streams.isEmpty ? others : streams).enumerated().sorted {
          (ranks[$0.element.key] ?? .max, $0.offset) < (ranks[$1.element.key] ?? .max, $1.offset)
        }.map(\.element)
        let groups = Dictionary(grouping: ranked) { "\($0.direction.rawValue) \($0.kind?.rawValue ?? "")" }
        collected.streams += ranked.count
        for (group, streams) in groups.sorted(by: { $0.key < $1.key }) {
          for (rank, stream) in streams.prefix(maxStreams).enumerated() where read < maxInAll {
            read += 1
            let which = streams.count > 1 ? " " + StreamWords.name(stream) : ""
            let members = try StreamMemberSeries(stream, in: store, zeroMs: zeroMs)
            for (member, series) in members.all {
              collected.add(
                member, series, end: place, label: "\(name(end)), \(group)\(which)",
                dash: group.hasPrefix("outbound") ? .dotted : stream.kind == .audio ? .dashed : .solid,
                rank: rank)
            }
          }
        }
      }
    }
    for (place, end) in account.ends.enumerated() {
      for (member, series) in try PathMemberSeries(end, in: store, zeroMs: zeroMs).all {
        collected.add(member, series, end: place, label: name(end), dash: .solid, rank: 0)
      }
    }
    return collected.lanes
  }

  private static func name(_ end: EndAccount) -> String {
    VisibleText.cut(VisibleText.visible(end.name), to: 24)
  }

  /// Lines by member.
  private struct Collected {
    private var lines: [DrawnMember: [TimelineLane.Line]] = [:]
    /// Streams, and how many of them were read.
    var (streams, read) = (0, 0)

    private var left: String? {
      read < streams ? "\(read) of \(streams) streams, those received worst first" : nil
    }

    mutating func add(
      _ member: DrawnMember, _ series: Series, end: Int, label: String, dash: TimelineLane.Dash, rank: Int
    ) {
      let series = series.thinned(to: maxPoints).withoutRepeats
      guard !series.isEmpty else { return }
      lines[member, default: []].append(
        TimelineLane.Line(
          end: end, label: label, dash: dash, rank: rank, isStep: !member.isCounter, series: series))
    }

    var lanes: [TimelineLane] {
      lines.sorted { ($0.key.group.rawValue, $0.key.name) < ($1.key.group.rawValue, $1.key.name) }.map {
        member, lines in
        TimelineLane(
          id: "member-\(member.group.rawValue)-\(member.name)", title: member.title,
          unit: member.isCounter ? "\(member.unit)/s" : member.unit, scale: 1, decimals: 3,
          top: member.words.isEmpty ? 0.001 : Double(member.words.count - 1), note: member.note, lines: lines,
          left: left, isAskedFor: true, words: member.words)
      }
    }
  }
}

/// A member as presented to the reader.
struct DrawnMember: Hashable {
  enum Group: Int { case streams, paths, captures }

  var group: Group
  /// The W3C name, or the column of a capture.
  var name: String
  var unit: String
  var isCounter: Bool
  var note = ""
  /// The words of an enumeration, by value; empty for a figure.
  var words: [String] = []

  var title: String { group == .captures ? "\(name) (capture)" : name }

  static func == (a: Self, b: Self) -> Bool { a.group == b.group && a.name == b.name }

  func hash(into hasher: inout Hasher) {
    hasher.combine(group)
    hasher.combine(name)
  }
}

extension DrawnMember {
  /// The getStats member, or the column of a capture, that is stored in a column.
  init(_ metric: Metric, _ stream: StreamAccount) {
    let info = metric.info
    let isCapture = stream.source == .capture
    group = isCapture ? .captures : .streams
    let isInbound = stream.direction != .outbound
    name = isCapture ? info.column : Self.name(metric, isInbound: isInbound)
    unit = info.unit
    isCounter = info.behaviour == .counter
    if metric == .limitedBy || metric == .active {
      unit = ""
      words = metric == .active ? ["no", "yes"] : ["none", "cpu", "bandwidth", "other"]
    }
    if let counter = StreamMemberSeries.counter(of: metric, stream.kind) {
      isCounter = false
      name += " / " + (isCapture ? counter.info.column : Self.name(counter, isInbound: isInbound))
    }
    note = isCapture ? info.summary : "\(info.column): \(info.summary)"
  }

  /// The W3C name, prefixed with the type of its report if that is not the stream's own.
  private static func name(_ metric: Metric, isInbound: Bool) -> String {
    let names = metric.info.members.split(separator: ",").map { $0.drop { $0 == " " } }
    let name = (isInbound ? names.first : names.last).map(String.init) ?? metric.info.column
    switch metric {
    case .lost, .jitterMs, .fractionLost, .rttMs:
      return isInbound
        ? metric == .rttMs ? "remote-outbound-rtp.\(name)" : name : "remote-inbound-rtp.\(name)"
    case .farPackets: return "remote-outbound-rtp.packetsSent"
    case .framesCaptured: return "media-source.frames"
    case .echoReturnLoss, .echoReturnLossEnhancement: return "media-source.\(name)"
    case .audioLevel, .totalAudioEnergy: return isInbound ? name : "media-source.\(name)"
    case .synthesizedMs, .playoutDelayMs, .playoutSamples: return "media-playout.\(name)"
    default: return name == "-" ? metric.info.column : name
    }
  }

  /// A member without a column, by name: names of W3C counters start with total, packets and the like.
  init(extra name: String, group: Group) {
    self.group = group
    self.name = name
    // The name without the type of its report, and without the part if the member is an object.
    let own =
      name.split(separator: ".").first { !$0.contains("-") && !["transport", "track"].contains($0) } ?? ""
    isCounter = Self.isCounter(own)
    unit =
      Self.isTime(own)
      ? "ms" : own.hasPrefix("bytes") ? "bytes" : own.hasPrefix("packets") ? "packets" : ""
    note = "no column of its own: from `extra`"
  }

  /// Whether a name is that of a counter; rates are not counters.
  private static func isCounter(_ own: Substring) -> Bool {
    if own.hasSuffix("PerSecond") || own.hasSuffix("Rate") || own.hasPrefix("googFrameRate") { return false }
    return counters.contains(own) || counted.contains { own.hasPrefix($0) }
      || counts.contains { own.hasSuffix($0) }
  }

  /// Counters whose names do not follow a pattern.
  private static let counters: Set<Substring> = [
    "relativePacketArrivalDelay", "googDecodingCTN", "googDecodingCTSG",
  ]
  private static let counted = [
    "total", "packets", "bytes", "frames", "retransmi", "consent", "reports", "ccfb", "burstPackets",
    "delayed",
    "corruption", "fecBytes",
  ]
  private static let counts = [
    "Sum", "Measurements", "Count", "Sent", "Received", "Lost", "Discarded", "Changes", "Events",
  ]

  private static func isTime(_ own: Substring) -> Bool {
    own == "relativePacketArrivalDelay"
      || own.hasPrefix("total") && ["Time", "Duration", "Delay"].contains { own.hasSuffix($0) }
  }

  /// Factor from the unit of a member without a column to callqa's unit.
  var factor: Double { unit == "ms" ? 1000 : 1 }
}
