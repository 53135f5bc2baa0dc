import CallModel
import CallStore
import Rendering

/// A lane for every member that the call has samples of, which a reader may ask for by its name: gauges as they are, counters as growth
/// a second. Members of getStats have the names of W3C, those of another report than the stream's behind its type; columns of
/// captures have their own.
enum MemberLanes {
  /// Points of a line: more would make the page of a long call too large.
  static let mostPoints = 240
  /// Streams of one end, direction and kind; and streams in all, of statistics and of captures.
  private static let mostStreams = 2
  private static let mostInAll = 12

  /// Lanes of a call: of its streams, of its paths, of captures, each in the order of their names; times from `zeroMs`. Throws what the
  /// store throws.
  package static func lanes(_ account: CallAccount, in store: Store, zeroMs: Double) throws -> [TimelineLane]
  {
    var collected = Collected()
    for source in [StreamSource.stats, .capture] {
      var read = 0
      for (place, end) in account.ends.enumerated() {
        // The capture beside statistics that judge the end is worth as much.
        let streams = end.ownStreams.filter { $0.source == source }
        let others = end.streams.filter { $0.source == source }
        let groups = Dictionary(grouping: streams.isEmpty ? others : streams) {
          "\($0.direction.rawValue) \($0.kind?.rawValue ?? "")"
        }
        for (group, streams) in groups.sorted(by: { $0.key < $1.key }) {
          for (rank, stream) in streams.prefix(mostStreams).enumerated() where read < mostInAll {
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

  /// Lines by the member they are of.
  private struct Collected {
    private var lines: [DrawnMember: [TimelineLane.Line]] = [:]

    mutating func add(
      _ member: DrawnMember, _ series: Series, end: Int, label: String, dash: TimelineLane.Dash, rank: Int
    ) {
      let series = series.thinned(to: mostPoints).withoutRepeats
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
          unit: member.isCounter ? "\(member.unit)/s" : member.unit, scale: 1, decimals: 3, top: 0.001,
          note: member.note, lines: lines, isAskedFor: true)
      }
    }
  }
}

/// A member as a reader finds it.
struct DrawnMember: Hashable {
  enum Group: Int { case streams, paths, captures }

  var group: Group
  /// As W3C calls it; the column of a capture.
  var name: String
  var unit: String
  var isCounter: Bool
  var note = ""

  var title: String { group == .captures ? "\(name) (capture)" : name }

  static func == (a: Self, b: Self) -> Bool { a.group == b.group && a.name == b.name }

  func hash(into hasher: inout Hasher) {
    hasher.combine(group)
    hasher.combine(name)
  }
}

extension DrawnMember {
  /// The member of getStats, or the column of a capture, that a column holds.
  init(_ metric: Metric, _ stream: StreamAccount) {
    let info = metric.info
    let isCapture = stream.source == .capture
    group = isCapture ? .captures : .streams
    name = isCapture ? info.column : Self.name(metric, isInbound: stream.direction != .outbound)
    unit = info.unit
    isCounter = info.behaviour == .counter
    note = isCapture ? info.summary : "\(info.column): \(info.summary)"
  }

  /// What W3C calls it, behind the type of its report where that is not the stream's own.
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

  /// A member that has no column, by its name: W3C's counters are called total…, packets… and the like.
  init(extra name: String, group: Group) {
    self.group = group
    self.name = name
    // Behind the type of its report, before the part of a member that is an object.
    let own =
      name.split(separator: ".").first { !$0.contains("-") && !["transport", "track"].contains($0) } ?? ""
    isCounter = Self.isCounter(own)
    unit =
      Self.isTime(own)
      ? "ms" : own.hasPrefix("bytes") ? "bytes" : own.hasPrefix("packets") ? "packets" : ""
    note = "no column of its own: from `extra`"
  }

  /// Whether a name is one of a counter; rates of any kind are none.
  private static func isCounter(_ own: Substring) -> Bool {
    if own.hasSuffix("PerSecond") || own.hasSuffix("Rate") || own.hasPrefix("googFrameRate") { return false }
    return counters.contains(own) || counted.contains { own.hasPrefix($0) }
      || counts.contains { own.hasSuffix($0) }
  }

  /// Counters whose names do not show it.
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

  /// From the unit of a member without a column to callqa's.
  var factor: Double { unit == "ms" ? 1000 : 1 }
}
