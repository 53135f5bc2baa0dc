import ArgumentParser
import CallModel
import CallViews
import Captures
import Importing
import Rendering

/// `callqa packets FILE`: shows a stream of a capture packet by packet.
struct Packets: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "packets",
    abstract: "The RTP streams of a capture, or one of them packet by packet.",
    usage: "callqa packets <file> [--stream <ssrc>] [<options>]",
    discussion: """
      Without --stream: one row per stream. With it: one row per packet, and one for each missing packet: the capture's number of the frame \
      (as Wireshark counts), RTP sequence number and timestamp, time since the packet before, interarrival jitter by RFC 3550, and \
      whether it came in order. Times are those of the capture, on the clock of the host that captured, as Wireshark shows them. The \
      file is read again; no database is needed. RTP within TCP is not listed.

      Example:
        callqa packets call.pcap
        callqa packets call.pcap --stream 0x1a2b3c4d --csv > packets.csv
        callqa packets call.pcap --stream 0x1a2b3c4d --since 14:03:10 --until 14:03:12
      """)

  @Argument(help: ArgumentHelp("A pcap or pcapng file, packed or not.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("The SSRC, as a number or 0x….", valueName: "ssrc"))
  var stream: String?

  @Option(help: ArgumentHelp("The RTP clock, Hz, where it is not found out.", valueName: "hz"))
  var clock: Int?

  @Option(
    help: ArgumentHelp(
      "Only packets since 14:03:10 (of the capture's day), +0:42 from the stream's first packet, or a date with time; those that are missing where the next one is.",
      valueName: "when"))
  var since: String?

  @Option(help: ArgumentHelp("Only packets before then.", valueName: "when"))
  var until: String?

  @OptionGroup var limits: LimitOptions
  @OptionGroup var rows: RowOptions

  func validate() throws {
    guard stream.map({ Self.ssrc($0) != nil }) ?? true else {
      throw ValidationError("--stream takes an SSRC such as 439041101 or 0x1a2b3c4d, not '\(stream ?? "")'.")
    }
    guard stream != nil || since == nil && until == nil else {
      throw ValidationError("--since and --until are of the packets of a --stream.")
    }
    guard clock.map({ (1000...1_000_000).contains($0) && stream != nil }) ?? true else {
      throw ValidationError("--clock is from 1000 to 1000000 Hz, with --stream.")
    }
  }

  func run() throws {
    var request = ImportRequest(paths: [file])
    limits.apply(to: &request)
    do {
      let capture = try CapturePackets(file, limits: request)
      let streams = try capture.streams()
      guard let ssrc = stream.flatMap(Self.ssrc) else { return try list(streams) }
      let found = streams.filter { $0.ssrc == ssrc }
      guard !found.isEmpty else {
        throw Failure(
          .wrongCommandLine, "\(file) has no RTP stream \(ssrc): callqa packets \(file) lists those it has")
      }
      let picked = rows.pick(from: Self.packetColumns, table: Self.packetTable)
      var printer = try rows.printer(columns: picked.names)
      var setBack: (frame: Int, ms: Double)?
      for var stream in found {
        stream.clockRate = clock ?? stream.clockRate
        if stream.clockRate == nil, !rows.quiet {
          Entry.warn(
            "the RTP clock of stream \(ssrc) is not known, so there is no jitter: name it with --clock")
        }
        let times = try times(of: stream)
        // A missing packet has no time: it is shown where the next one is.
        var missing: [[Cell]] = []
        try capture.rows(of: stream) { row in
          if row.state == .ok, let delta = row.deltaMs, let frame = row.frame, delta < -Self.minStepMs {
            setBack = setBack ?? (frame, -delta)
          }
          let cells: [Cell] = [
            Self.cell(row.frame), Self.cell(row.timeMs), .text(stream.source), .text(stream.destination),
            .integer(Int64(row.sequence)),
            row.timestamp.map { .integer(Int64($0)) } ?? .null, Self.cell(row.payloadType),
            row.marker.map { .integer($0 ? 1 : 0) } ?? .null, Self.cell(row.bytes), Self.cell(row.deltaMs),
            Self.cell(row.jitterMs),
            .text(row.state.rawValue),
          ]
          guard let time = row.timeMs else { return missing.append(cells) }
          guard times.contains(time) else { return missing = [] }
          for cells in missing + [cells] { try printer.row(picked.indices.map { cells[$0] }) }
          missing = []
        }
        if times.upperBound == .infinity {
          for cells in missing { try printer.row(picked.indices.map { cells[$0] }) }
        }
      }
      try printer.finish()
      if let setBack, !rows.quiet {
        Entry.warn(
          "the capturing host's clock was set back by \(Measure.duration(setBack.ms)) before frame \(setBack.frame): times are as "
            + "captured; `show` and `call` count on as if it had not been")
      }
    } catch let error as SourceError {
      throw Failure(.someRefused, "\(file): \(error.reason)")
    }
  }

  private static let packetColumns = [
    "frame", "t_ms", "source", "destination", "sequence", "timestamp", "payload_type", "marker?", "bytes",
    "delta_ms", "jitter_ms", "state",
  ]
  /// What 80 columns hold: the stream's addresses stand in the list of streams.
  private static let packetTable = [
    "frame", "t_ms", "sequence=seq", "payload_type=type", "marker?", "bytes", "delta_ms", "jitter_ms",
    "state",
  ]
  private static let streamColumns = [
    "ssrc", "source", "destination", "payload_type", "clock_rate", "packets", "first_frame", "first_ms",
    "last_ms",
  ]
  private static let streamTable = [
    "ssrc", "source=from", "destination=to", "payload_type=type", "packets", "first_ms",
  ]
  /// If a packet was captured at least this long before the packet with the previous sequence number, ms, the clock was
  /// set back in between.
  private static let minStepMs = 300.0

  /// The times that were asked for, ms since the epoch.
  private func times(of stream: PacketTable.Stream) throws -> Range<Double> {
    func ms(_ text: String?, _ option: String) throws -> Double? {
      try text.map { text in
        let offset = text.hasPrefix("+") ? CallMoment.seconds(text.dropFirst()) : nil
        if let offset { return stream.firstMs + offset * 1000 }
        // A time of day is that of the capture's day, or of the day after for a capture over midnight.
        if MomentText.isClock(text),
          let next = MomentText.next(text, zone: rows.zone, afterMs: stream.firstMs - 3_600_000)
        {
          return next
        }
        return try Moment.parse(text, zone: rows.zone, option: option, nowMs: stream.lastMs)
      }
    }
    let (from, until) = (try ms(since, "--since"), try ms(until, "--until"))
    guard from ?? -.infinity < until ?? .infinity else {
      throw ValidationError("--since is not before --until: no packet lies between them.")
    }
    return (from ?? -.infinity)..<(until ?? .infinity)
  }

  private func list(_ streams: [PacketTable.Stream]) throws {
    let picked = rows.pick(from: Self.streamColumns, table: Self.streamTable)
    var printer = try rows.printer(columns: picked.names)
    for stream in streams {
      let cells: [Cell] = [
        .integer(Int64(stream.ssrc)), .text(stream.source), .text(stream.destination),
        Self.cell(stream.payloadType),
        Self.cell(stream.clockRate), Self.cell(stream.packets), Self.cell(stream.firstFrame),
        Self.cell(stream.firstMs), Self.cell(stream.lastMs),
      ]
      try printer.row(picked.indices.map { cells[$0] })
    }
    try printer.finish()
  }

  private static func cell(_ value: Int?) -> Cell { value.map { .integer(Int64($0)) } ?? .null }

  private static func cell(_ value: Double?) -> Cell { value.map { .real($0) } ?? .null }

  private static func ssrc(_ text: String) -> UInt32? {
    text.hasPrefix("0x") || text.hasPrefix("0X") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
  }
}
