import CallModel

extension SourceFormat {
  public static let webrtcInternals = SourceFormat(rawValue: "webrtc-internals")
  public static let rtcstatsV0 = SourceFormat(rawValue: "rtcstats-v0")
  public static let rtcstatsV2 = SourceFormat(rawValue: "rtcstats-v2")
  public static let rtcstatsV3 = SourceFormat(rawValue: "rtcstats-v3")
  public static let jitsiRtcstats = SourceFormat(rawValue: "jitsi-rtcstats")
}

extension GetStatsReader {
  /// The formats read by this module; `Recognition` distinguishes them.
  public static let formats = [
    FormatDescription(
      .getstatsLines, .lines,
      summary: "one getStats() snapshot a line, or one report of it",
      recognisedBy:
        "objects with ts (or timestamp) and report (or peerConnections), or with id, type and timestamp, one a line, or rows of a CSV with these columns",
      example: #"{"ts":1795226153078.5,"pc":"caller","report":{"IT01A1":{"type":"inbound-rtp",…}}}"#),
    FormatDescription(
      .getstatsJSON, .document,
      summary: "a JSON file of one or many getStats() snapshots",
      recognisedBy:
        "JSON whose objects have id, type and timestamp (also native SDKs' timestamp_us and values)",
      example: #"[{"id":"IT01A1","type":"inbound-rtp","timestamp":1795226153078.5,…}]"#),
    FormatDescription(
      .googText, .lines,
      summary: "printed legacy statistics (Kandy Link getRTPStatistics)",
      recognisedBy: "id:, type:, values: with goog names",
      example: "id: ssrc_1_recv, type: ssrc, timestamp: …, values: ( \"packetsLost: 0\", … )"),
    FormatDescription(
      .webrtcInternals, .document,
      summary: "the dump of chrome://webrtc-internals",
      recognisedBy: "an object with PeerConnections",
      example: #"{"getUserMedia":[],"PeerConnections":{"12-1":{"updateLog":[…],"stats":{…}}}}"#),
    FormatDescription(
      .rtcstatsV0, .document,
      summary: "rtcstats, first form: one JSON object with peerConnections",
      recognisedBy: "an object with peerConnections",
      example: #"{"peerConnections":{"PC_0":[{"time":"2016-…","type":"create","value":…}]}}"#),
    FormatDescription(
      .rtcstatsV2, .document,
      summary: "rtcstats server log, a JSON array a line",
      recognisedBy: "a first line with fileFormat 2, or arrays [method, connection, value, time]",
      example: #"["getstats","PC_0",{…},1600000000000]"#),
    FormatDescription(
      .rtcstatsV3, .document,
      summary: "RTCStatsDump, as rtcstats and Chrome write it",
      recognisedBy: "the first line RTCStatsDump",
      example: "RTCStatsDump"),
    FormatDescription(
      .jitsiRtcstats, .document,
      summary: "Jitsi's rtcstats log, a JSON array a line",
      recognisedBy: "a first line [\"connectionInfo\", …]",
      example: #"["connectionInfo",null,{"clientProtocol":"3.1_STANDARD"},1600000000000]"#),
  ]
}
