import CallModel
import Rendering

/// The section on streams, received ones first, with collapsed raw counters under their W3C names.
struct PageStreams {
  private let account: CallAccount
  /// Whether to name the command that lists packets: the page has none itself.
  private let listsPackets: Bool
  /// Maximum number of streams that are not collapsed.
  private static let most = 8

  package init(_ account: CallAccount, listsPackets: Bool) {
    (self.account, self.listsPackets) = (account, listsPackets)
  }

  package func write(to html: inout HTML) {
    // What the verdict rests on comes first, of all ends; then the same as other sources saw it.
    let all = account.ends.flatMap { end in ordered(end).map { (end, $0) } }
    let rows =
      all.filter { $0.1.chosen && $0.1.role == nil } + all.filter { !$0.1.chosen || $0.1.role != nil }
    guard !rows.isEmpty else { return }
    html.element("section", ["class": "card", "id": "streams"]) { card in
      card.element("h2", "Streams")
      table(Array(rows.prefix(Self.most)), "Streams", &card)
      if rows.count > Self.most {
        card.element("details") { more in
          more.element(
            "summary", Plural.of(rows.count - Self.most, "more stream"))
          table(Array(rows.dropFirst(Self.most)), "More streams", &more)
        }
      }
      if listsPackets, let command = PacketRequest.all(of: account).first?.command {
        card.element("p", ["class": "note"]) { note in
          note.text("A stream packet by packet, as CSV: ")
          note.element("code", command)
        }
      }
      card.element("details", ["class": "raw"]) { more in
        more.element("summary", "Raw counters under their W3C names")
        for (end, stream) in rows.prefix(64) { raw(end, stream, &more) }
      }
    }
  }

  /// Received before sent, worst first; then other sources of the same streams; repairs and probes last.
  private func ordered(_ end: EndAccount) -> [StreamAccount] {
    let worst = MediaKind.allCases.flatMap { StreamRanking.worst(end, $0) }
    let keys = Set(worst.map(\.key))
    let rest = end.streams.filter { !keys.contains($0.key) }
    return worst + rest.filter { $0.role == nil } + rest.filter { $0.role != nil }
  }

  private func table(_ rows: [(EndAccount, StreamAccount)], _ name: String, _ html: inout HTML) {
    html.scrollBox(name) { box in
      box.table(Self.columns.map(\.name), isNumber: { Self.columns[$0].isNumber }) { body in
        for (end, stream) in rows {
          body.row(
            Self.columns.map { $0.value(end, stream) ?? CellText.unknown },
            ["class": stream.chosen ? nil : "second"],
            isNumber: { Self.columns[$0].isNumber })
        }
      }
    }
  }

  private func raw(_ end: EndAccount, _ stream: StreamAccount, _ html: inout HTML) {
    html.element("details") { details in
      let name = [
        end.name, stream.direction.rawValue, stream.kind?.rawValue, stream.codec, stream.source.rawValue,
        StreamWords.name(stream),
      ]
      details.element(
        "summary", name.compactMap { $0 }.map { VisibleText.cut($0, to: 60) }.joined(separator: " · "))
      details.element("dl", ["class": "counters"]) { list in
        for (column, member) in StreamMembers.all {
          guard let cell = stream.figures[column], !cell.isNull else { continue }
          list.element("div") { pair in
            pair.element("dt", member)
            pair.element("dd", VisibleText.cut(StreamMembers.text(cell), to: 200))
          }
        }
      }
    }
  }

  private struct Column: Sendable {
    package let name: String
    package var isNumber = true
    package let value: @Sendable (EndAccount, StreamAccount) -> String?
  }

  private static let columns: [Column] = [
    Column(name: "end", isNumber: false) { end, _ in VisibleText.cut(end.name, to: 40) },
    Column(name: "stream", isNumber: false) { _, stream in
      [stream.direction.rawValue, stream.kind?.rawValue].compactMap { $0 }.joined(separator: " ")
        + (stream.screen ? " (screen)" : "") + (stream.role.map { " (\($0.rawValue))" } ?? "")
    },
    Column(name: "codec", isNumber: false) { _, stream in stream.codec.map { VisibleText.cut($0, to: 24) } },
    Column(name: "seen by", isNumber: false) { _, stream in stream.source.rawValue },
    Column(name: "SSRC") { _, stream in stream.ssrc.map { String($0) } },
    Column(name: "packets") { _, stream in stream.number("packets").map { CellText.shortest($0) } },
    Column(name: "lost") { _, stream in stream.number("lost").map { CellText.shortest($0) } },
    Column(name: "loss") { _, stream in StreamWords.lossShare(stream).map { Measure.percent($0) } },
    Column(name: "jitter") { _, stream in stream.number("jitter_mean_ms").map { Measure.duration($0) } },
    Column(name: "concealed") { _, stream in stream.number("concealed_share").map { Measure.percent($0) } },
    Column(name: "freezes") { _, stream in
      stream.number("freeze_count").map { count in
        CellText.shortest(count)
      }
    },
    Column(name: "fps") { _, stream in
      stream.number("frame_rate_mean").map { CellText.fixed($0, decimals: 1) }
    },
    Column(name: "size") { _, stream in
      guard let width = stream.number("width"), let height = stream.number("height") else { return nil }
      return "\(CellText.shortest(width))×\(CellText.shortest(height))"
    },
    Column(name: "bit rate") { _, stream in stream.number("bitrate_mean_bps").map { Measure.bitrate($0) } },
  ]
}

/// Columns of table `streams` with the W3C members they are from.
package enum StreamMembers {
  package static let all: [(column: String, member: String)] = [
    ("ssrc", "ssrc"), ("mid", "mid"), ("rid", "rid"), ("codec", "codec.mimeType"),
    ("fmtp", "codec.sdpFmtpLine"),
    ("payload_type", "codec.payloadType"), ("clock_rate", "codec.clockRate"), ("channels", "codec.channels"),
    ("packets", "packetsReceived / packetsSent"), ("bytes", "bytesReceived / bytesSent"),
    ("lost", "packetsLost"),
    ("rtx", "retransmittedPackets"), ("fec", "fecPacketsReceived"), ("jitter_mean_ms", "jitter, mean (ms)"),
    ("jitter_max_ms", "jitter, greatest (ms)"), ("rtt_ms", "roundTripTime, mean (ms)"),
    ("concealed_samples", "concealedSamples"), ("silent_concealed_samples", "silentConcealedSamples"),
    ("total_samples", "totalSamplesReceived"), ("freeze_count", "freezeCount"),
    ("freeze_ms", "totalFreezesDuration (ms)"), ("pause_count", "pauseCount"),
    ("pause_ms", "totalPausesDuration (ms)"),
    ("frame_rate_mean", "framesPerSecond, mean"), ("width", "frameWidth"), ("height", "frameHeight"),
    ("nack", "nackCount"), ("pli", "pliCount"), ("fir", "firCount"), ("expected", "expected (capture)"),
    ("duplicates", "duplicates (capture)"), ("reordered", "reordered (capture)"), ("late", "late (capture)"),
    ("max_delta_ms", "longest gap between packets (ms)"),
    ("implementation", "decoder / encoderImplementation"),
    ("local", "local"), ("remote", "remote"), ("extra", "more"),
  ]

  /// The unrounded value of a counter.
  package static func text(_ cell: Cell) -> String {
    switch cell {
    case .null: CellText.unknown
    case .integer(let value): String(value)
    case .real(let value): CellText.fixed(value, decimals: 3)
    case .text(let value): value
    case .blob(let value): CellText.hexadecimal(value)
    }
  }
}
