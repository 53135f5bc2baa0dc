import CallModel

extension SourceFormat {
  /// What it is, for people.
  public var summary: String {
    switch self {
    case .getstatsLines: "one getStats() snapshot a line, or one report of it"
    case .getstatsJSON: "a JSON file of one or many getStats() snapshots"
    case .runLog: "one event of an SDK or a PeerConnection a line, statistics in between"
    case .sdkText:
      "a plain-text log of an SDK: NSLog, logcat, browser console; statistics in between, libwebrtc's too"
    case .googText: "printed legacy statistics (Kandy Link getRTPStatistics)"
    case .webrtcInternals: "the dump of chrome://webrtc-internals"
    case .rtcstatsV0: "rtcstats, first form: one JSON object with peerConnections"
    case .rtcstatsV2: "rtcstats server log, a JSON array a line"
    case .rtcstatsV3: "RTCStatsDump, as rtcstats and Chrome write it"
    case .jitsiRtcstats: "Jitsi's rtcstats log, a JSON array a line"
    case .sse: "a text/event-stream log (Pexip client API), bare or with a time in front of each line"
    case .har:
      "a browser's record of its requests: those of call endpoints, WebSocket messages, event streams"
    case .qualityReport:
      "quality reports of telephones (RFC 6035), with or without the SIP message around them"
    case .callSummary:
      "call summaries (Twilio Voice Insights) and webhooks of calls (Telnyx)"
    case .channelStats: "output of Asterisk's `pjsip show channelstats`, once or repeated"
    case .pcap: "packets, libpcap file"
    case .pcapng: "packets, pcapng file"
    }
  }

  /// What it is recognised by.
  public var recognisedBy: String {
    switch self {
    case .getstatsLines:
      "objects with ts (or timestamp) and report (or peerConnections), or with id, type and timestamp, one a line, or rows of a CSV with these columns"
    case .getstatsJSON:
      "JSON whose objects have id, type and timestamp (also native SDKs' timestamp_us and values)"
    case .runLog: "objects with a time (ts, t, time, timestamp) and event, one a line"
    case .sdkText:
      "lines of text, or wrapped by another logger, in which an SDK's event, a run log's or statistics stand"
    case .googText: "id:, type:, values: with goog names"
    case .webrtcInternals: "an object with PeerConnections"
    case .rtcstatsV0: "an object with peerConnections"
    case .rtcstatsV2: "a first line with fileFormat 2, or arrays [method, connection, value, time]"
    case .rtcstatsV3: "the first line RTCStatsDump"
    case .jitsiRtcstats: "a first line [\"connectionInfo\", …]"
    case .sse: "lines event:, data:, id:, retry:, or comments"
    case .har: "an object with log, and in it entries or pages"
    case .qualityReport: "a line VQSessionReport, VQIntervalReport or VQAlertReport"
    case .callSummary: "JSON, one or many, whose members a *.summary.json among the dialects names"
    case .channelStats: "its heading, BridgeId ChannelId … UpTime"
    case .pcap: "magic a1b2c3d4, a1b23c4d or a1b2cd34 in either byte order"
    case .pcapng: "a section header block, 0a0d0d0a"
    }
  }

  /// A few characters of it.
  public var example: String {
    switch self {
    case .getstatsLines: #"{"ts":1795226153078.5,"pc":"caller","report":{"IT01A1":{"type":"inbound-rtp",…}}}"#
    case .getstatsJSON: #"[{"id":"IT01A1","type":"inbound-rtp","timestamp":1795226153078.5,…}]"#
    case .runLog:
      #"{"ts":1795226153078,"sdk":"rebtel","call":"c1","endpoint":"caller","event":"callDidEstablish"}"#
    case .sdkText: "2026-11-21 10:00:00.123 App[1:2] Call status: ACBClientCallStatusRinging"
    case .googText: "id: ssrc_1_recv, type: ssrc, timestamp: …, values: ( \"packetsLost: 0\", … )"
    case .webrtcInternals: #"{"getUserMedia":[],"PeerConnections":{"12-1":{"updateLog":[…],"stats":{…}}}}"#
    case .rtcstatsV0: #"{"peerConnections":{"PC_0":[{"time":"2016-…","type":"create","value":…}]}}"#
    case .rtcstatsV2: #"["getstats","PC_0",{…},1600000000000]"#
    case .rtcstatsV3: "RTCStatsDump"
    case .jitsiRtcstats: #"["connectionInfo",null,{"clientProtocol":"3.1_STANDARD"},1600000000000]"#
    case .sse: "event: participant_create"
    case .har:
      #"{"log":{"version":"1.2","entries":[{"startedDateTime":"2026-…","request":{…},"response":{…}}]}}"#
    case .qualityReport: "VQSessionReport: CallTerm"
    case .callSummary:
      #"{"call_sid":"CA…","call_type":"client","call_state":"completed","sdk_edge":{"metrics":{…}}}"#
    case .channelStats: "2c2edc5b 1001-0000004f 00:01:28 ulaw 4396 0 0 0.002 4244 0 0 0.001 0.033"
    case .pcap: "tcpdump -w call.pcap udp"
    case .pcapng: "dumpcap -w call.pcapng"
    }
  }
}
