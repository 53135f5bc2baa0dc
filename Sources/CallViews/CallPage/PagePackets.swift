import CallModel
import Rendering

/// What the page of a call asks of a capture: the packets of one stream, at some times.
package struct PacketRequest: Sendable, Equatable {
  /// Where the capture was found.
  package var path: String
  package var ssrc: UInt32
  /// Addresses with ports, as the capture has them.
  package var source: String?
  package var destination: String?
  /// When its first packet was captured, on the clock of the call, ms since the epoch.
  package var firstMs: Double
  /// `audio to the caller, opus, SSRC 7`.
  package var title: String
  /// The command that lists all packets.
  package var command: String
  /// Times of interest on the clock of the call, the most important first.
  package var times: [ClosedRange<Double>]

  /// The maximum number of streams on a page.
  private static let maxStreams = 6
  /// The length of a time of interest, ms.
  private static let maxLengthMs = 10_000.0

  /// The captured streams of a call that a page shows: those received before those sent, media before what repairs it,
  /// then by loss. The times are where the score was worst, the findings, and the beginning and the end of the stream.
  package static func all(of account: CallAccount) -> [PacketRequest] {
    let streams = account.ends.flatMap { end in
      end.streams.filter { $0.source == .capture && $0.role != .probe }.map { (end, $0) }
    }
    func rank(_ stream: StreamAccount) -> (Int, Int, Double) {
      (
        stream.direction == .inbound ? 0 : 1, stream.codec == nil ? 1 : 0,
        -(StreamWords.lossShare(stream) ?? 0)
      )
    }
    var seen: Set<String> = []
    let requests = streams.sorted { rank($0.1) < rank($1.1) }.compactMap { end, stream in
      PacketRequest(stream, of: end, in: account)
    }.filter { seen.insert("\($0.path) \($0.ssrc) \($0.source ?? "")").inserted }
    return Array(requests.prefix(maxStreams))
  }

}

extension PacketRequest {
  private init?(_ stream: StreamAccount, of end: EndAccount, in account: CallAccount) {
    guard let ssrc = stream.ssrc.flatMap(UInt32.init(exactly:)), let firstMs = stream.firstMs,
      let kind = stream.kind
    else { return nil }
    let key = stream.parts.compactMap(\.source).first
    let source =
      account.sources.first { $0.key == key }
      ?? account.sources.first { $0.format.map(SourceFormat.init)?.isCapture == true }
    guard let source else { return nil }
    path = source.path
    self.ssrc = ssrc
    self.firstMs = firstMs
    let (local, remote) = (stream.figures["local"]?.string, stream.figures["remote"]?.string)
    (self.source, destination) = stream.direction == .inbound ? (remote, local) : (local, remote)
    title = VisibleText.visible(
      "\(kind.rawValue) \(stream.direction == .inbound ? "to" : "from") \(EndWords.name(end.name))"
        + (stream.codec.map { ", \($0)" } ?? "") + ", SSRC \(ssrc)")
    // Where it was found, so that the command works from any folder.
    command = "callqa packets \(ShellWord.quoted(VisibleText.cut(path, to: 300))) --stream \(ssrc) --csv"
    let worst = ImpairedSpan.worst(end.windows).prefix(6).map { ($0.startMs, $0.endMs) }
    let found = account.findings.filter { $0.end == nil || $0.end == end.name }.prefix(20).compactMap {
      entry in
      entry.finding.startMs.map { ($0 - 1000, (entry.finding.endMs ?? $0) + 2000) }
    }
    let lastMs = stream.lastMs ?? firstMs
    times = (worst + found + [(firstMs, firstMs + 2000), (lastMs - 2000, lastMs)]).map { from, until in
      from...max(from, min(until, from + Self.maxLengthMs))
    }
  }
}

/// Packets of one stream of a capture, as the page shows them: all of them, or those at the times of interest.
package struct PacketExcerpt: Sendable {
  package let request: PacketRequest
  /// The rows kept, with times on the clock of the call.
  package private(set) var rows: [PacketRow] = []
  /// Where rows were left out: the index of the next row, and their number.
  package private(set) var gaps: [(index: Int, count: Int)] = []
  /// The number of all rows.
  package private(set) var total = 0

  /// The maximum number of packets of a stream that is shown whole, and of rows of any other; and of rows of one time
  /// of interest. A packet that came late has two rows.
  package static let maxRows = 2000
  private static let maxRowsOfTime = 400

  /// Added to the times of the capture to get those of the call, ms.
  private let aheadMs: Double
  private let isWhole: Bool
  private var counts: [Int]
  private var isKeeping = false
  private var left = 0

  /// An excerpt of a stream with some number of packets, the first of which was captured at `firstMs` by the clock of
  /// the capture.
  package init(_ request: PacketRequest, packets: Int, firstMs: Double) {
    self.request = request
    aheadMs = request.firstMs - firstMs
    isWhole = packets <= Self.maxRows
    counts = Array(repeating: 0, count: request.times.count)
  }

  /// Takes the next row of the stream.
  package mutating func take(_ row: PacketRow) {
    total += 1
    var row = row
    if let time = row.timeMs {
      row.timeMs = time + aheadMs
      isKeeping = isWhole || keeps(time + aheadMs)
    }
    // A missing packet is shown where its neighbours are.
    guard isKeeping, rows.count < (isWhole ? 2 : 1) * Self.maxRows else {
      left += 1
      return
    }
    if left > 0 { gaps.append((rows.count, left)) }
    left = 0
    rows.append(row)
  }

  private mutating func keeps(_ timeMs: Double) -> Bool {
    for (place, time) in request.times.enumerated() where time.contains(timeMs) {
      guard counts[place] < Self.maxRowsOfTime else { continue }
      counts[place] += 1
      return true
    }
    return false
  }
}

/// The section with the packets of captured streams.
struct PagePackets {
  private let excerpts: [PacketExcerpt]

  package init(_ excerpts: [PacketExcerpt]) { self.excerpts = excerpts }

  /// The headings of the table; the cells are written by `packets.js`.
  private static let columns = [
    "s into the call", "frame", "sequence", "RTP time", "type", "marker", "bytes", "delta ms", "jitter ms",
    "state",
  ]

  package func write(to html: inout HTML) {
    guard !excerpts.isEmpty else { return }
    html.element("section", ["class": "card packets", "id": "packets"]) { card in
      card.element("h2", "Packet by packet")
      card.element("div", ["class": "bar", "hidden": "", "id": "packet-bar"]) { bar in
        bar.element("label", ["class": "member"]) { label in
          label.text("Stream ")
          label.element("select", ["id": "packet-stream"]) { list in
            for (place, excerpt) in excerpts.enumerated() {
              list.element("option", ["value": "\(place)"], VisibleText.cut(excerpt.request.title, to: 100))
            }
          }
        }
        bar.element("div", ["class": "buttons", "role": "toolbar", "aria-label": "Packets"]) { tools in
          for (id, label, sign) in Self.buttons {
            tools.element("button", ["type": "button", "id": id, "title": label, "aria-label": label], sign)
          }
        }
        bar.element("output", ["id": "packet-place", "class": "note"], "")
      }
      card.scrollBox("Packets", isHidden: true) { box in
        box.table(Self.columns, ["id": "packet-rows"], isNumber: { Self.columns[$0] != "state" }) { _ in }
      }
      for (place, excerpt) in excerpts.enumerated() {
        card.element("p", ["class": "note packet-note", "data-stream": "\(place)"]) { note in
          note.text(
            excerpt.rows.count == excerpt.total
              ? "All \(excerpt.total) rows of \(excerpt.request.title); the same as CSV: "
              : "\(excerpt.rows.count) of \(excerpt.total) rows of \(excerpt.request.title): where the score was worst, at "
                + "findings, and how it began and ended. All of them: ")
          note.element("code", excerpt.request.command)
        }
      }
    }
  }

  private static let buttons: [(id: String, name: String, sign: String)] = [
    ("packet-earlier", "Earlier packets", "←"), ("packet-later", "Later packets", "→"),
    ("packet-previous", "Previous packet that is lost, late or twice", "‹ lost"),
    ("packet-next", "Next packet that is lost, late or twice", "lost ›"),
    ("packet-cursor", "Packets at the cursor of the timeline", "at the cursor"),
    ("packet-csv", "Download the packets of this stream as CSV", "CSV"),
  ]

  /// Adds the rows to the data of the page: a text of numbers per column.
  package static func data(_ json: inout JSONBuilder, _ excerpts: [PacketExcerpt], zeroMs: Double) {
    guard !excerpts.isEmpty else { return }
    json.array("packets", excerpts) { data, excerpt in
      let rows = excerpt.rows
      data.object { data in
        data.member("title", excerpt.request.title)
        data.list("t", rows.map { $0.timeMs.map { ($0 - zeroMs) / 1000 } }, 4)
        data.list("frame", rows.map { $0.frame.map(Double.init) }, 0)
        data.list("sequence", rows.map { Double($0.sequence) }, 0)
        data.list("timestamp", rows.map { $0.timestamp.map(Double.init) }, 0)
        data.list("type", rows.map { $0.payloadType.map(Double.init) }, 0)
        data.list("marker", rows.map { $0.marker.map { $0 ? 1 : 0 } }, 0)
        data.list("bytes", rows.map { $0.bytes.map(Double.init) }, 0)
        data.list("delta", rows.map(\.deltaMs), 2)
        data.list("jitter", rows.map(\.jitterMs), 2)
        data.member("state", String(rows.map { letter($0.state) }))
        data.list("gap_at", excerpt.gaps.map { Double($0.index) }, 0)
        data.list("gap_rows", excerpt.gaps.map { Double($0.count) }, 0)
      }
    }
  }

  private static func letter(_ state: PacketRow.State) -> Character {
    switch state {
    case .ok: "o"
    case .lost: "x"
    case .late: "l"
    case .duplicate: "d"
    case .restart: "r"
    }
  }
}
