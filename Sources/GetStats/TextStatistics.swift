import Bytes
import CallModel

/// Reads statistics in the text of an application's log: as JSON, as printed by Kandy Link's mobile SDK, or as debug
/// output of objects.
public struct TextStatistics {
  private var snapshots: SnapshotLineReader
  private var printed: GoogTextReader
  private var objects = PrintedReports()
  private var streams = LoggedStreams()

  /// A reader that passes its records to the sink.
  public init(sink: any RecordSink, options: ReaderOptions) {
    let context = RecordContext(sink: sink, options: options)
    snapshots = SnapshotLineReader(context, isAmidText: true, ends: nil)
    printed = GoogTextReader(context)
  }

  /// Whether any were printed.
  public var hasPrinted: Bool { printed.hasTaken }

  /// Reads the JSON of a line if it is a snapshot. Throws as `SnapshotLineReader` does.
  public mutating func json(_ json: UnsafeBufferPointer<UInt8>, number: Int, offset: Int) throws -> Bool {
    try snapshots.line(json, number: number, offset: offset)
  }

  /// Reads a line if it is part of printed statistics; `timeMs` is called for the line's time if the statistics have
  /// none.
  public mutating func line(
    _ text: UnsafeBufferPointer<UInt8>, number: Int, timeMs: () -> Double? = { nil }
  ) throws -> Bool {
    if let reports = streams.reports(in: text, timeMs: timeMs) {
      for report in reports {
        _ = try report.withUnsafeBufferPointer { try snapshots.line($0, number: number, offset: 0) }
      }
      return true
    }
    let (isPart, json) = objects.take(text)
    if let json {
      return try json.withUnsafeBufferPointer { try snapshots.line($0, number: number, offset: 0) }
    }
    if isPart { return true }
    return try printed.line(text, number: number)
  }

  /// Ends the input.
  public mutating func finish() throws {
    try printed.finish()
    try snapshots.finish()
  }
}

extension GetStatsReader {
  /// Whether a line contains a report in debug output.
  public static func isPrinted(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    PrintedReports.stand(in: line) || LoggedStreams.stand(in: line)
  }
}

/// Statistics of streams that libwebrtc writes to its log every few seconds: `VideoReceiveStreamInterface stats: TIME,
/// {ssrc: …}`, `VideoSendStream stats: TIME, {input_fps: …} {ssrc: …}` (`Stats::ToString` of
/// call/video_receive_stream.cc and video_send_stream.cc). Each is converted to a getStats report.
struct LoggedStreams {
  /// Offset of the log's time from libwebrtc's clock, which counts from boot.
  private var aheadMs: Double?

  private static let longest = 64 << 10
  private static let maxMembers = 200
  /// If times are further apart than lines may be late, libwebrtc's clock was restarted, ms.
  private static let lateMs = 5000.0
  private static let marks = [
    (text: "VideoReceiveStreamInterface stats: ", isSent: false),
    (text: "VideoReceiveStream stats: ", isSent: false), (text: "VideoSendStream stats: ", isSent: true),
  ]

  /// Whether a line contains such statistics.
  static func stand(in line: UnsafeBufferPointer<UInt8>) -> Bool { place(in: line) != nil }

  private static func place(in line: UnsafeBufferPointer<UInt8>) -> (behind: Int, isSent: Bool)? {
    guard line.count <= longest, ByteSearch.find("Stream", in: line) != nil else { return nil }
    for mark in marks {
      if let at = ByteSearch.find(mark.text, in: line) { return (at + mark.text.utf8.count, mark.isSent) }
    }
    return nil
  }

  /// The reports of a line as JSON objects; nil if it has none, or if they cannot be read.
  mutating func reports(in line: UnsafeBufferPointer<UInt8>, timeMs: () -> Double?) -> [[UInt8]]? {
    guard let (behind, isSent) = Self.place(in: line) else { return nil }
    let text = String(decoding: line[behind...], as: UTF8.self)
    guard let comma = text.firstIndex(of: ","), let clock = Double(text[..<comma]), clock >= 0, clock < 1e15
    else {
      return nil
    }
    let groups = text[comma...].split(separator: "{").dropFirst().map {
      Self.members($0.prefix { $0 != "}" })
    }
    let streams = isSent ? Array(groups.dropFirst()) : groups
    guard !groups.isEmpty, streams.contains(where: { $0["ssrc"] != nil }) else { return nil }
    let time = moment(clock, timeMs())
    return streams.compactMap { stream in
      guard let ssrc = stream["ssrc"].flatMap({ UInt32($0) }),
        stream["type"] == nil || stream["type"] == "media"
      else { return nil }
      var report = LoggedReport(isSent: isSent, ssrc: ssrc, timeMs: time)
      if isSent {
        report.addSender(groups[0], isAlone: streams.count == 1)
        report.add(stream, all: "framesSent", key: "keyFramesEncoded")
      } else {
        report.add(stream, all: "framesReceived", key: "keyFramesDecoded")
      }
      return report.json
    }
  }

  /// The time of a report: differences by libwebrtc's clock, placed by the log's time.
  private mutating func moment(_ clock: Double, _ wall: Double?) -> Double {
    if let wall, aheadMs.map({ abs(clock + $0 - wall) > Self.lateMs }) ?? true { aheadMs = wall - clock }
    return clock + (aheadMs ?? 0)
  }

  private static func members(_ text: Substring) -> [String: String] {
    var found: [String: String] = [:]
    for pair in text.split(separator: ",").prefix(maxMembers) {
      guard let colon = pair.firstIndex(of: ":") else { continue }
      let name = pair[..<colon].drop { $0 == " " }
      let value = pair[pair.index(after: colon)...].drop { $0 == " " }.prefix { $0 != " " }
      if !name.isEmpty, name.utf8.count <= 64 { found[String(name)] = String(value.prefix(40)) }
    }
    return found
  }
}

/// A getStats report made from libwebrtc's log of a stream.
private struct LoggedReport {
  private var out = ByteWriter()
  private var names: Set<String> = []

  init(isSent: Bool, ssrc: UInt32, timeMs: Double) {
    out.append("{\"id\":\"\(isSent ? "VideoSendStream" : "VideoReceiveStream")_\(ssrc)\",\"type\":\"")
    out.append(isSent ? "outbound-rtp" : "inbound-rtp")
    out.append("\",\"kind\":\"video\",\"timestamp\":")
    out.append(timeMs)
    out.append(",\"ssrc\":\(ssrc)")
  }

  var json: [UInt8] { out.bytes + [UInt8(ascii: "}")] }

  /// getStats names of logged members.
  private static let standard = [
    "width": "frameWidth", "height": "frameHeight", "frames_dropped": "framesDropped",
    "cum_loss": "packetsLost",
    "nack": "nackCount", "fir": "firCount", "pli": "pliCount", "discarded": "packetsDiscarded",
    "decode_fps": "framesPerSecond", "jb_cumulative_delay_seconds": "jitterBufferDelay",
    "jb_emitted_count": "jitterBufferEmittedCount",
  ]
  /// Members that identify the stream, or carry no information.
  private static let others: Set = ["ssrc", "type"]
  /// Placeholders for "unknown": the largest C int, and -1 for members that cannot be negative.
  private static let unknown: Set<Double> = [2_147_483_647, -1]

  /// The frames as the two members given, computed as libwebrtc does for getStats (webrtc_video_engine.cc), and all
  /// others.
  mutating func add(_ members: [String: String], all frames: String, key keyFrames: String) {
    if let key = number("key", members), let delta = number("delta", members) {
      add(frames, key + delta)
      add(keyFrames, key)
    }
    addAll(members, besides: ["key", "delta"])
  }

  /// The sender's figures for all of its streams: with several layers it is unknown which one the rates are of.
  mutating func addSender(_ members: [String: String], isAlone: Bool) {
    if isAlone {
      if let rate = number("encode_fps", members) { add("framesPerSecond", rate) }
      if let target = number("target_bps", members) { add("targetBitrate", target) }
    }
    let reason =
      isTrue(["cpu_adapted_res", "cpu_adapted_fps"], members)
      ? "cpu" : isTrue(["bw_adapted_res", "bw_adapted_fps", "bw_adapted"], members) ? "bandwidth" : "none"
    if members.keys.contains(where: { $0.contains("_adapted") }) {
      out.append(",\"qualityLimitationReason\":\"\(reason)\"")
    }
    for name in ["input_fps", "encode_ms", "encode_usage_perc", "media_bps"] {
      if let value = number(name, members) { add(name, value) }
    }
  }

  private mutating func addAll(_ members: [String: String], besides: Set<String>) {
    for name in members.keys.sorted() where !besides.contains(name) && !Self.others.contains(name) {
      if let value = number(name, members) { add(Self.standard[name] ?? name, value) }
    }
  }

  private func number(_ name: String, _ members: [String: String]) -> Double? {
    guard let value = members[name].flatMap(Double.init), value.isFinite, abs(value) < 1e15,
      !Self.unknown.contains(value) || name == "cum_loss"
    else { return nil }
    return value
  }

  private func isTrue(_ names: [String], _ members: [String: String]) -> Bool {
    names.contains { members[$0] == "true" }
  }

  private mutating func add(_ name: String, _ value: Double) {
    guard names.insert(name).inserted else { return }
    out.append(",")
    out.append(json: name)
    out.append(":")
    out.append(value)
  }
}
