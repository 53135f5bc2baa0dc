import CallModel
import Rendering

/// The data for the script of a page, as JSON. Everything meant for reading is text, never markup.
struct PageData {
  private let account: CallAccount
  private let lanes: [TimelineLane]
  private let packets: [PacketExcerpt]
  private let markdown: String?
  private let zone: Zone
  private let zeroMs: Double

  package init(
    _ account: CallAccount, lanes: [TimelineLane], packets: [PacketExcerpt], markdown: String? = nil,
    zone: Zone, zeroMs: Double
  ) {
    (self.account, self.lanes, self.packets, self.zone, self.zeroMs) = (account, lanes, packets, zone, zeroMs)
    self.markdown = markdown
  }

  /// Length of the timeline, s.
  static func spanS(_ account: CallAccount, zeroMs: Double) -> Double {
    max(1, ((account.lastMs ?? zeroMs) - zeroMs) / 1000)
  }

  /// The JSON text.
  package var text: String {
    let participants = Participants(account)
    var json = JSONBuilder()
    json.object { data in
      data.member("id", account.call.id)
      data.member("zero_ms", zeroMs)
      data.member("markdown", markdown)
      let spanS = Self.spanS(account, zeroMs: zeroMs)
      data.member("span_s", spanS)
      // The time zone offset may change during a call.
      let periods = zone.periods(fromMs: zeroMs, toMs: zeroMs + spanS * 1000)
      data.list("offsets_from_s", periods.map { ($0.fromMs - zeroMs) / 1000 }, 3)
      data.list("offsets_s", periods.map { Double($0.offset) }, 0)
      data.list("causes", Cause.allCases.map(\.rawValue))
      data.array("ends", account.ends, end)
      var times = SharedTimes()
      let numbered = lanes.map { lane in (lane, lane.lines.map { times.number(of: $0.series) }) }
      data.list("times", times.texts)
      data.array("lanes", numbered, lane)
      data.array("events", shownEvents) { event(&$0, $1, participants) }
      data.array("spans", Spans.of(account, participants) + participants.turns + missing, span)
      let findings = RepeatedFindings.of(account.findings).flatMap { repeated in
        repeated.entries.map { ($0, isOneOfMany: repeated.entries.count > 1) }
      }
      data.array("findings", findings, finding)
      data.array(
        "paths", account.ends.enumerated().flatMap { index, end in end.path.map { (index, $0) } }, path)
      PagePackets.data(&data, packets, zeroMs: zeroMs)
    }
    return json.text
  }

  /// What became of sound and picture that did not come as they should; holds are told by their events.
  private var missing: [Span] {
    account.missingMedia.filter { $0.fate?.rule != .held }.flatMap { missing in
      missing.ends.map { end in
        // An end without a record has no lane.
        let label = account.place(of: end) == nil ? "\(end): \(missing.label)" : missing.label
        return Span(end: end, label: label, fromMs: missing.fromMs, untilMs: missing.untilMs)
      }
    }
  }

  /// Events with a time; if there are very many, the important ones are kept first.
  private var shownEvents: [AccountEvent] {
    let events = account.ownEvents.filter { $0.record.timeMs != nil }
    guard events.count > Self.maxEvents else { return events }
    let important = events.filter { !EventWords.isChatter($0) }
    guard important.count > Self.maxEvents else { return important }
    // Spread over the whole call and not only its start.
    let stride = (important.count + Self.maxEvents - 1) / Self.maxEvents
    return important.enumerated().filter { $0.offset % stride == 0 || $0.element.record.anomaly != nil }.map(
      \.element)
  }

  private static let maxEvents = 4000

  private func end(_ json: inout JSONBuilder, _ end: EndAccount) {
    json.object { data in
      data.member("name", VisibleText.visible(end.name))
      let windows = end.windows
      data.list("start_s", windows.map { ($0.startMs - zeroMs) / 1000 }, 3)
      data.list("end_s", windows.map { ($0.endMs - zeroMs) / 1000 }, 3)
      data.member("state", String(windows.map { Self.letter($0.state) }))
      data.list("score", windows.map { $0.score.map(Double.init) }, 0)
      for cause in Cause.allCases where windows.contains(where: { ($0.pointsLost?[cause] ?? 0) > 0 }) {
        data.list("lost_\(cause.rawValue)", windows.map { $0.pointsLost?[cause].map(Double.init) }, 0)
      }
      data.list("client", windows.map(\.clientScore), 1)
      data.list("audio", windows.map(\.audioCQ), 1)
      data.list("video", windows.map(\.video), 1)
      // For an end without statistics, show its states.
      guard windows.isEmpty else { return }
      let own = account.ownEvents.filter { $0.end == end.name }.map(\.record)
      data.array("states", StateStrip(own, attempts: end.attempts).parts) { data, part in
        data.object { data in
          data.member("label", part.state.rawValue)
          data.member("from", (part.fromMs - zeroMs) / 1000)
          data.member("to", (part.untilMs - zeroMs) / 1000)
        }
      }
    }
  }

  private static func letter(_ state: WindowState) -> Character {
    switch state {
    case .active: "a"
    case .stalled: "x"
    case .silent: "s"
    case .unscored: "u"
    }
  }

  private func lane(_ json: inout JSONBuilder, _ item: (lane: TimelineLane, times: [Int])) {
    let lane = item.lane
    json.object { data in
      data.member("id", lane.id)
      data.member("title", lane.title)
      data.member("unit", lane.unit)
      data.member("decimals", Double(lane.decimals))
      data.member("top", lane.top)
      data.member("note", lane.note)
      data.member("left", lane.left)
      if lane.isAskedFor { data.member("asked", 1) }
      if !lane.words.isEmpty { data.list("words", lane.words) }
      data.array("lines", Array(zip(lane.lines, item.times))) { data, item in
        let (line, times) = item
        data.object { data in
          data.member("end", Double(line.end))
          data.member("label", line.label)
          data.member("dash", line.dash.rawValue + (line.rank > 0 ? " rank\(line.rank)" : ""))
          data.member("step", line.isStep ? 1 : 0)
          data.member("t", Double(times))
          data.member("v", SeriesText.values(line.series.scaled(by: lane.scale), decimals: lane.decimals))
        }
      }
    }
  }

  private func event(_ json: inout JSONBuilder, _ event: AccountEvent, _ participants: Participants) {
    json.object { data in
      data.member("t", ((event.record.timeMs ?? zeroMs) - zeroMs) / 1000)
      data.member("end", account.place(of: event.end).map(Double.init))
      data.member("name", EventWords.name(event.record))
      let arguments = EventWords.arguments(event.record, participants: participants)
      if !arguments.isEmpty { data.member("args", arguments) }
      if let anomaly = event.record.anomaly { data.member("anomaly", VisibleText.visible(anomaly)) }
      if EventWords.isChatter(event) { data.member("minor", 1) }
    }
  }

  private func span(_ json: inout JSONBuilder, _ span: Span) {
    json.object { data in
      data.member("end", account.place(of: span.end).map(Double.init))
      data.member("label", VisibleText.visible(span.label))
      data.member("from", (span.fromMs - zeroMs) / 1000)
      data.member("to", span.untilMs.map { ($0 - zeroMs) / 1000 })
    }
  }

  /// One of many equal findings has no text of its own: the page has that of the longest ones.
  private func finding(_ json: inout JSONBuilder, _ item: (entry: AccountFinding, isOneOfMany: Bool)) {
    let entry = item.entry
    json.object { data in
      data.member("end", account.place(of: entry.end).map(Double.init))
      data.member("code", VisibleText.visible(entry.finding.name))
      data.member("severity", entry.finding.severity.rawValue)
      data.member("from", entry.finding.startMs.map { ($0 - zeroMs) / 1000 })
      data.member("to", entry.finding.endMs.map { ($0 - zeroMs) / 1000 })
      if !item.isOneOfMany { data.member("text", VisibleText.visible(entry.finding.text)) }
    }
  }

  private func path(_ json: inout JSONBuilder, _ place: (end: Int, step: PathStep)) {
    json.object { data in
      data.member("end", Double(place.end))
      data.member("from", (place.step.fromMs - zeroMs) / 1000)
      data.member("label", PathWords.one(place.step))
    }
  }
}

extension JSONBuilder {
  /// Appends numbers as one compact text; nothing if all are nil.
  package mutating func list(_ name: String, _ values: [Double?], _ decimals: Int) {
    guard values.contains(where: { $0 != nil }) else { return }
    member(name, SeriesText.list(values, decimals: decimals))
  }
}

/// The distinct time lists of all lines: values of the same reports share their times.
private struct SharedTimes {
  private(set) var texts: [String] = []
  private var places: [String: Int] = [:]

  /// Index of a line's time list.
  mutating func number(of series: Series) -> Int {
    let text = SeriesText.times(series)
    if let place = places[text] { return place }
    places[text] = texts.count
    texts.append(text)
    return texts.count - 1
  }
}

extension CallAccount {
  /// Index of an end by name.
  package func place(of end: String?) -> Int? { end.flatMap { name in ends.firstIndex { $0.name == name } } }
}

extension Series {
  /// All values multiplied by a factor.
  package func scaled(by factor: Double) -> Series {
    var result = self
    result.scale(by: factor)
    return result
  }
}

/// A measure over the time of the call, with one line per stream or end.
package struct TimelineLane {
  /// One line of a lane.
  package struct Line {
    /// Index of the end in the account, which determines the colour.
    package var end: Int
    /// `caller, audio`.
    package var label: String
    package var dash: Dash
    /// Rank of the stream among those of its end and kind, 0 being the worst; others are drawn paler.
    package var rank = 0
    /// Whether a value remains valid until the next one.
    var isStep: Bool
    package var series: Series
  }

  /// Line style, so that lines differ not only by colour.
  package enum Dash: String {
    case solid, dashed, dotted

    /// For a lane with one kind of stream: solid for the worst stream.
    static func ofRank(_ rank: Int) -> Dash { rank == 0 ? .solid : rank == 1 ? .dashed : .dotted }
  }

  package var id: String
  package var title: String
  package var unit: String
  /// Factor from stored to displayed values.
  package var scale: Double
  package var decimals: Int
  /// Minimum upper end of the axis in displayed units, so that noise does not fill the lane.
  package var top: Double
  /// A note on how to read the values.
  package var note: String
  package var lines: [Line] = []
  /// Text on streams that are not drawn; nil if all are.
  package var left: String?
  /// Whether the lane is drawn only on request.
  package var isAskedFor = false
  /// The words of an enumeration, by value; empty for a figure.
  var words: [String] = []
}

extension TimelineLane {
  /// All lanes, without lines.
  package static var all: [TimelineLane] {
    [
      TimelineLane(
        id: "reported", title: "Quality, the client's own", unit: "of 100", scale: 1, decimals: 0, top: 100,
        note: "of what came in, as the SDK rated it; a report holds until the next"),
      TimelineLane(
        id: "loss", title: "Packet loss", unit: "%", scale: 100, decimals: 1, top: 2,
        note: "lost on the wire towards each end"),
      TimelineLane(
        id: "concealed", title: "Concealed sound", unit: "%", scale: 100, decimals: 1, top: 2,
        note: "concealed by the jitter buffer"),
      TimelineLane(
        id: "jitter", title: "Jitter", unit: "ms", scale: 1, decimals: 1, top: 20,
        note: "interarrival, RFC 3550"),
      TimelineLane(
        id: "rtt", title: "Round trip", unit: "ms", scale: 1, decimals: 0, top: 50,
        note: "connectivity checks and RTCP"),
      TimelineLane(
        id: "delay", title: "Delay", unit: "ms", scale: 1, decimals: 0, top: 150,
        note: "mouth to ear, a window at a time"),
      TimelineLane(
        id: "lip-sync", title: "Lip-sync", unit: "ms", scale: 1, decimals: 0,
        top: Threshold.lateDetected.value,
        note:
          "above 0 the sound is late, below early; noticed from \(Threshold.lateDetected) late, \(Threshold.earlyDetected) early on"
      ),
      TimelineLane(
        id: "level", title: "Audio level", unit: "% of full scale", scale: 100, decimals: 0, top: 10,
        note: "of what came in"),
      TimelineLane(
        id: "bitrate", title: "Bit rate", unit: "kb/s", scale: 0.001, decimals: 0, top: 50,
        note: "received; dotted: what the sender aims at"),
      TimelineLane(
        id: "fps", title: "Frame rate", unit: "fps", scale: 1, decimals: 0, top: 15, note: "frames decoded"),
      TimelineLane(
        id: "height", title: "Resolution", unit: "lines", scale: 1, decimals: 0, top: 180,
        note: "height of the picture"),
      TimelineLane(
        id: "missing", title: "Missing", unit: "%", scale: 100, decimals: 0, top: 100,
        note: "when a picture stood still, or sound (dashed) or a picture did not come"),
    ]
  }
}
