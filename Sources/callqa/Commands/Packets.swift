import ArgumentParser
import CallModel
import CallViews
import Captures
import Importing
import Reporting

/// `callqa packets FILE`: a stream of a capture packet by packet.
struct Packets: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "packets",
    abstract: "The RTP streams of a capture, or one of them packet by packet.",
    usage: "callqa packets <file> [--stream <ssrc>] [<options>]",
    discussion: """
      Without --stream: one row per stream. With it: one row per packet, and one for each missing packet: the capture's number of the frame \
      (as Wireshark counts), RTP sequence number and timestamp, time since the packet before, interarrival jitter by RFC 3550, and \
      whether it came in order. The file is read again; no database is needed. RTP within TCP is not listed.

      Example:
        callqa packets call.pcap
        callqa packets call.pcap --stream 0x1a2b3c4d --csv > packets.csv
      """)

  @Argument(help: ArgumentHelp("A pcap or pcapng file, packed or not.", valueName: "file"))
  var file: String

  @Option(help: ArgumentHelp("The SSRC, as a number or 0x….", valueName: "ssrc"))
  var stream: String?

  @Option(help: ArgumentHelp("The RTP clock, Hz, where it is not found out.", valueName: "hz"))
  var clock: Int?

  @OptionGroup var limits: LimitOptions
  @OptionGroup var rows: RowOptions

  func validate() throws {
    guard stream.map({ Self.ssrc($0) != nil }) ?? true else {
      throw ValidationError("--stream takes an SSRC such as 439041101 or 0x1a2b3c4d, not '\(stream ?? "")'.")
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
      var printer = try rows.printer(columns: [
        "frame", "t_ms", "source", "destination", "sequence", "timestamp", "payload_type", "marker?", "bytes",
        "delta_ms",
        "jitter_ms", "state",
      ])
      for var stream in found {
        stream.clockRate = clock ?? stream.clockRate
        if stream.clockRate == nil, !rows.quiet {
          Entry.complain(
            "the RTP clock of stream \(ssrc) is not known, so there is no jitter: name it with --clock")
        }
        try capture.rows(of: stream) { row in
          try printer.row([
            Self.cell(row.frame), Self.cell(row.timeMs), .text(stream.source), .text(stream.destination),
            .integer(Int64(row.sequence)),
            row.timestamp.map { .integer(Int64($0)) } ?? .null, Self.cell(row.payloadType),
            row.marker.map { .integer($0 ? 1 : 0) } ?? .null, Self.cell(row.bytes), Self.cell(row.deltaMs),
            Self.cell(row.jitterMs),
            .text(row.state.rawValue),
          ])
        }
      }
      try printer.finish()
    } catch let error as SourceError {
      throw Failure(.someRefused, "\(file): \(error.reason)")
    }
  }

  private func list(_ streams: [PacketTable.Stream]) throws {
    var printer = try rows.printer(columns: [
      "ssrc", "source", "destination", "payload_type", "clock_rate", "packets", "first_frame", "first_ms",
      "last_ms",
    ])
    for stream in streams {
      try printer.row([
        .integer(Int64(stream.ssrc)), .text(stream.source), .text(stream.destination),
        Self.cell(stream.payloadType),
        Self.cell(stream.clockRate), Self.cell(stream.packets), Self.cell(stream.firstFrame),
        Self.cell(stream.firstMs), Self.cell(stream.lastMs),
      ])
    }
    try printer.finish()
  }

  private static func cell(_ value: Int?) -> Cell { value.map { .integer(Int64($0)) } ?? .null }

  private static func cell(_ value: Double?) -> Cell { value.map { .real($0) } ?? .null }

  private static func ssrc(_ text: String) -> UInt32? {
    text.hasPrefix("0x") || text.hasPrefix("0X") ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text)
  }
}
