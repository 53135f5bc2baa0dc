import CallModel
import Rendering

/// The events of a call as messages between its ends and the server, in time order.
struct Ladder {
  /// Where a message starts or ends: an end of the call by index, or what lies between the ends.
  enum Lane: Hashable {
    case end(Int)
    case server
  }

  package struct Row {
    package var timeMs: Double
    package var from: Lane
    /// Nil for an event at a single end.
    package var to: Lane?
    package var label: String
    /// Transit time in ms, if both ends recorded the message.
    var tookMs: Double?
    package var isFailure = false
  }

  /// The ends with a lane.
  package let ends: [EndAccount]
  package private(set) var rows: [Row] = []
  /// Number of SIP messages that a server forwarded and that are drawn only once.
  package private(set) var passedOn = 0
  /// Number of rows that did not fit.
  package private(set) var left = 0

  /// Maximum number of ends; calls with more are shown as a list of participants.
  private static let maxEnds = 3
  private static let maxRows = 400
  /// Maximum time from setting a description to its arrival at the other end, ms.
  private static let longestWayMs = 10_000.0

  var hasServer: Bool { rows.contains { $0.from == .server || $0.to == .server } }

  package init(_ account: CallAccount) {
    ends = account.ends.count <= Self.maxEnds ? account.ends : []
    guard !ends.isEmpty else { return }
    var builder = Builder(ends: ends)
    // In time order; events without a time cannot be placed.
    let events = account.ownEvents.filter { $0.record.timeMs != nil }
    for event in events { builder.add(event) }
    let all = builder.rows.sorted { $0.timeMs < $1.timeMs }
    rows = Array(all.prefix(Self.maxRows))
    left = all.count - rows.count
    passedOn = builder.passedOn
  }

  /// Event names for what an end sends to the server, and below what it receives from it.
  private static let sent: Set<EventName> = [
    .callRequestSent, .callDialing, .callAlerting, .sdpOfferSent, .sdpAnswerSent, .tokenRequested,
    .sessionRegistering, .sessionConnecting, .pushSent, .callTransferred,
  ]
  private static let heard: Set<EventName> = [
    .callIncoming, .callRinging, .callEarlyMedia, .callAnswered, .sdpOfferReceived, .sdpAnswerReceived,
    .sdpProvisionalAnswerReceived, .tokenGranted, .tokenFailed, .sessionRegistered,
    .sessionRegistrationFailed, .sessionConnected, .pushReceived, .callRemotelyHeld, .callHandedOver,
    .conferenceWaiting, .conferenceAdmitted,
  ]
  /// Names of local events that deserve a row.
  private static let local: Set<EventName> = [
    .iceChecking, .iceConnected, .iceFailed, .iceDisconnected, .iceRestarted, .iceGatheringComplete,
    .dtlsStarted, .dtlsConnected, .dtlsFailed, .mediaLocalAcquired, .mediaLocalFailed, .mediaFirstPacket,
    .mediaFirstFrame, .mediaFirstAudio, .callEstablished, .callFailed, .callEnded, .callHeld, .callResumed,
    .networkLost, .networkReestablished, .sessionReconnecting, .sessionFailed, .sdpFailed,
  ]
  private static let failures: Set<EventName> = [
    .callFailed, .dtlsFailed, .iceDisconnected, .iceFailed, .mediaLocalFailed, .networkLost, .sdpFailed,
    .sessionFailed, .sessionRegistrationFailed, .tokenFailed,
  ]

  private struct Builder {
    package let ends: [EndAccount]
    package var rows: [Row] = []
    package var passedOn = 0
    /// The sender of the request of a transaction, by its CSeq.
    private var requests: [String: Lane] = [:]
    /// SIP messages already drawn, because a capture records each at both ends.
    private var drawn: Set<String> = []
    /// Descriptions set by an end and not yet seen to arrive at the other.
    private var descriptions: [(end: Int, type: String, timeMs: Double)] = []

    package init(ends: [EndAccount]) { self.ends = ends }

    package mutating func add(_ event: AccountEvent) {
      guard let time = event.record.timeMs, let end = ends.firstIndex(where: { $0.name == event.end }) else {
        return
      }
      if event.record.raw.hasPrefix("SIP ") { return addSIP(event.record, at: end, time) }
      let name = event.record.event
      switch name {
      case .sdpLocalSetting:
        descriptions.append((end, event.record[.type] ?? "", time))
      case .sdpOfferReceived, .sdpAnswerReceived: addDescription(name, at: end, time)
      case _ where Ladder.sent.contains(name): row(event.record, from: .end(end), to: .server, time)
      case _ where Ladder.heard.contains(name): row(event.record, from: .server, to: .end(end), time)
      case _ where Ladder.local.contains(name): row(event.record, from: .end(end), to: nil, time)
      default: break
      }
    }

    private mutating func row(_ record: EventRecord, from: Lane, to: Lane?, _ time: Double) {
      let words = EventWords.arguments(record, valueWidth: 24)
      let isSame = rows.last.map {
        $0.from == from && $0.to == to && $0.label.hasPrefix(record.name) && time - $0.timeMs < 1
      }
      guard isSame != true else { return }
      var row = Row(timeMs: time, from: from, to: to, label: record.name)
      if !words.isEmpty { row.label += " " + VisibleText.cut(words, to: 40) }
      row.isFailure = Ladder.failures.contains(record.event)
      rows.append(row)
    }

    /// Adds an offer or answer, with its origin if the other end had set it before.
    private mutating func addDescription(_ name: EventName, at end: Int, _ time: Double) {
      let type = name == .sdpOfferReceived ? "offer" : "answer"
      let sender = descriptions.lastIndex {
        $0.end != end && $0.type == type && $0.timeMs <= time && time - $0.timeMs < Ladder.longestWayMs
      }
      var row = Row(timeMs: time, from: .server, to: .end(end), label: "SDP \(type)")
      if let sender {
        row.from = .end(descriptions[sender].end)
        row.tookMs = time - descriptions[sender].timeMs
        descriptions.remove(at: sender)
      }
      rows.append(row)
    }

    private mutating func addSIP(_ record: EventRecord, at end: Int, _ time: Double) {
      if record[.passedOn] == true {
        passedOn += end == 0 ? 1 : 0
        return
      }
      guard drawn.insert("\(record.raw) \(time)").inserted else { return }
      let cseq = record[.cseq] ?? ""
      let isResponse = record.raw.dropFirst(4).first?.isNumber == true
      let other = other(than: end)
      let by = record[.by].flatMap { name in ends.firstIndex { $0.name == name } }
      var from: Lane
      if isResponse, let request = requests[cseq] {
        from = request == .end(end) ? other : .end(end)
      } else if let by {
        from = .end(by)
      } else {
        from = Ladder.heard.contains(record.event) ? other : .end(end)
      }
      if !isResponse { requests[cseq] = from }
      let to = from == .end(end) ? other : .end(end)
      let code = record[.code].flatMap(Int.init) ?? 0
      rows.append(
        Row(
          timeMs: time, from: from, to: to, label: VisibleText.cut(String(record.raw.dropFirst(4)), to: 48),
          isFailure: code >= 400))
    }

    private func other(than end: Int) -> Lane {
      ends.count == 2 ? .end(1 - end) : .server
    }
  }
}

/// The ladder as an SVG picture, created here so that it works on paper and without scripts. Each row links to its
/// time.
struct PageLadder {
  private let ladder: Ladder
  private let zone: Zone
  private let zeroMs: Double
  private static let row = 25.0
  private static let head = 26.0
  private static let times = 118.0
  private static let width = 900.0
  /// Number of rows shown at first; the others are collapsed.
  private static let shown = 40

  package init(_ account: CallAccount, _ zone: Zone, zeroMs: Double) {
    ladder = Ladder(account)
    (self.zone, self.zeroMs) = (zone, zeroMs)
  }

  package func write(to html: inout HTML) {
    // One or two events are no sequence.
    guard ladder.rows.count > 2 else { return }
    html.element("section", ["class": "card", "id": "ladder"]) { card in
      card.element("h2", "Signalling ladder")
      picture(ladder.rows.prefix(Self.shown), &card)
      let rest = ladder.rows.dropFirst(Self.shown)
      if !rest.isEmpty {
        card.element("details") { more in
          more.element("summary", "\(rest.count) later")
          picture(rest, &more)
        }
      }
      var notes: [String] = []
      if ladder.passedOn > 0 {
        notes.append(
          "\(ladder.passedOn) SIP messages that a server passed on are drawn once, where they were first seen."
        )
      }
      if ladder.left > 0 {
        notes.append("\(ladder.left) later rows are not on this page: callqa events lists them.")
      }
      for note in notes { card.element("p", ["class": "note"], note) }
    }
  }

  private var lanes: [(lane: Ladder.Lane, name: String)] {
    var lanes = ladder.ends.enumerated().map { (Ladder.Lane.end($0.offset), $0.element.name) }
    if ladder.hasServer { lanes.insert((.server, lanes.count == 1 ? "server or far end" : "server"), at: 1) }
    return lanes
  }

  private func picture(_ rows: ArraySlice<Ladder.Row>, _ html: inout HTML) {
    let height = Self.head + Double(rows.count) * Self.row + 6
    html.scrollBox("Messages in the order of time") { box in
      box.element("svg", ["class": "ladder", "viewBox": "0 0 \(number(Self.width)) \(number(height))"]) {
        svg in
        for (lane, name) in lanes {
          let x = number(x(lane))
          svg.element("text", ["x": x, "y": "15", "class": "lane"], VisibleText.cut(name, to: 30))
          svg.element("line", ["class": "rail", "x1": x, "x2": x, "y1": "22", "y2": number(height)], "")
        }
        for (index, row) in rows.enumerated() {
          write(row, y: Self.head + (Double(index) + 0.75) * Self.row, &svg)
        }
      }
    }
  }

  private func write(_ row: Ladder.Row, y: Double, _ svg: inout HTML) {
    let hash = "#t=" + CellText.fixed((row.timeMs - zeroMs) / 1000, decimals: 3)
    let took = row.tookMs.map { $0 >= 0.5 ? ", \(Measure.duration($0)) on its way" : "" } ?? ""
    svg.element("a", ["href": hash, "class": row.isFailure ? "failure" : nil]) { link in
      link.element("title", "\(zone.preciseClockText(row.timeMs) ?? "") \(row.label)\(took)")
      link.element(
        "text", ["x": "0", "y": number(y), "class": "time"], zone.preciseClockText(row.timeMs) ?? "?")
      let from = x(row.from)
      guard let to = row.to.map({ x($0) }) else {
        link.element("circle", ["cx": number(from), "cy": number(y - 4), "r": "3.5"], "")
        // The last lane has no space to its right.
        let isLast = from > Self.width - 200
        link.element(
          "text",
          ["x": number(from + (isLast ? -9 : 9)), "y": number(y), "class": isLast ? "before" : "after"],
          row.label)
        return
      }
      let way = to > from ? 1.0 : -1.0
      link.element("line", ["x1": number(from), "x2": number(to), "y1": number(y), "y2": number(y)], "")
      let tip =
        "\(number(to)),\(number(y)) \(number(to - 7 * way)),\(number(y - 3.5)) \(number(to - 7 * way)),\(number(y + 3.5))"
      link.element("polygon", ["points": tip], "")
      link.element(
        "text", ["x": number((from + to) / 2), "y": number(y - 4), "class": "over"], row.label + took)
    }
  }

  private func x(_ lane: Ladder.Lane) -> Double {
    let lanes = lanes
    let place = lanes.firstIndex { $0.lane == lane } ?? 0
    let step = (Self.width - Self.times - 160) / Double(max(1, lanes.count - 1))
    return Self.times + 80 + Double(place) * step
  }

  private func number(_ value: Double) -> String { CellText.fixed(value, decimals: 1) }
}
