import Bytes
import CallModel
import Testing

@testable import GetStats

@Suite("webrtc-internals dumps of every era")
struct InternalsTests {
  /// 2023-11-14T22:13:20Z
  private let start = 1_700_000_000_000.0

  private func iso(_ ms: Double) -> String {
    let second = Int(ms - start) / 1000
    let rest = Int(ms - start) % 1000
    let digits = rest < 10 ? "00\(rest)" : rest < 100 ? "0\(rest)" : "\(rest)"
    return
      "2023-11-14T22:\(13 + (20 + second) / 60):\((20 + second) % 60 < 10 ? "0" : "")\((20 + second) % 60).\(digits)Z"
  }

  private func series(_ name: String, _ type: String?, from: Double, to: Double, _ values: String) -> String {
    let escaped = values.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    let statsType = type.map { "\"statsType\":\"\($0)\"," } ?? ""
    return
      "\"\(name)\":{\"startTime\":\"\(iso(from))\",\"endTime\":\"\(iso(to))\",\(statsType)\"values\":\"\(escaped)\"}"
  }

  private func dump(_ stats: [String], log: String = "[]", media: String = "[]") -> String {
    """
    {"getUserMedia":\(media),"PeerConnections":{"9-1":{"pid":7,"url":"http://x/","updateLog":\(log),
    "stats":{\(stats.joined(separator: ",\n"))}}},"UserAgent":"Chrome"}
    """
  }

  /// Polls one second apart, with the fractions that Chrome's have.
  private var polls: [Double] { (0..<6).map { start + Double($0) * 1000 + 0.6 } }

  @Test("a zone that is none leaves the time unread", arguments: ["-9223372036854775808", "+9999", "-1601"])
  func impossibleZone(zone: String) {
    let times = ["Thu Nov 05 2020 21:34:11 GMT\(zone) (x)"].map { Array($0.utf8) }
    #expect(LocalClock(times, firstPollMs: 1_604_601_251_000) == nil)
  }

  @Test(
    "local times are read as the world writes them: words for the halves of the day, dates behind the time, Buddhist years",
    arguments: [
      ["21/11/2026, 12:59:46 \u{3BC}.\u{3BC}.", "21/11/2026, 1:00:19 \u{3BC}.\u{3BC}."],
      ["12:59:46 21/11/2026", "13:00:19 21/11/2026"],
      ["21/11/2569 12:59:46", "21/11/2569 13:00:19"],
      ["2026/11/21 \u{5348}\u{5F8C}12:59:46", "2026/11/21 \u{5348}\u{5F8C}1:00:19"],
      ["21/11/2026, 12:59:46 PTG", "21/11/2026, 1:00:19 PTG"],
      ["20.11.2026 \u{433}., 23:59:46 \u{447}.", "21.11.2026 \u{433}., 0:00:19 \u{447}."],
    ])
  func localesOfTheWorld(times: [String]) throws {
    let clock = try #require(
      LocalClock(times.map { Array($0.utf8) }, firstPollMs: 1_795_258_786_500), "\(times)")
    let read = times.compactMap { clock.epochMs(Array($0.utf8)) }
    #expect(read == [1_795_258_786_000, 1_795_258_819_000], "\(times)")
    #expect(clock.notes.isEmpty == !times[0].contains("2569"), "\(clock.notes)")
  }

  @Test(
    "a word beside the hour that nobody knows is reported, unless the hours show that it is none of half a day"
  )
  func unknownHalf() throws {
    func notes(_ hours: String...) throws -> [String] {
      let times = hours.map { Array("21/11/2026, \($0):59:46 \u{10D3}".utf8) }
      return try #require(LocalClock(times, firstPollMs: 1_795_258_786_500)).notes
    }
    #expect(try notes("12", "1") == [DayHalf.unknown])
    #expect(try notes("12", "13") == [])
  }

  @Test("late, early-ending and holed series stand where they belong, or nowhere")
  func placement() throws {
    let type = "inbound-rtp"
    let sink = try readSource(
      dump([
        series("IT01V1-packetsReceived", type, from: polls[0], to: polls[5], "[1,2,3,4,5,6]"),
        series("IT01V1-ssrc", type, from: polls[0], to: polls[5], "[1,1,1,1,1,1]"),
        series("IT01V1-framesDecoded", type, from: polls[2], to: polls[5], "[30,40,50,60]"),
        series("IT01V1-nackCount", type, from: polls[0], to: polls[3], "[0,1,2,3]"),
        series("IT01V1-framesPerSecond", type, from: polls[1], to: polls[5], "[20,21,22]"),
        series("IT01V1-jitter", type, from: polls[0], to: polls[5], "[0.001,null,0.003,0.004,0.005,0.006]"),
        series("IT01V1-[bytesReceived_in_bits/s]", type, from: polls[1], to: polls[5], "[1,2,3,4,5]"),
        series(
          "IT01V1-timestamp", type, from: polls[0], to: polls[5],
          "[\(polls.map { "\($0)" }.joined(separator: ","))]"),
      ]))
    let stream = try #require(sink.streams(of: "9-1", .inbound).first)
    #expect(stream.times == polls)
    #expect(stream.series(.packets) == [1, 2, 3, 4, 5, 6])
    #expect(stream.series(.frames) == [nil, nil, 30, 40, 50, 60])
    #expect(stream.series(.nack) == [0, 1, 2, 3, nil, nil])
    #expect(stream.series(.frameRate) == [nil, 20, nil, nil, nil, 22])
    #expect(stream.series(.jitterMs) == [1, nil, 3, 4, 5, 6])
    #expect(stream.extras.isEmpty)
    #expect(sink.notes["short series placed by its first and last time"] == 2)
    #expect(sink.notes["series with holes: only its first and last value placed, the rest unknown"] == 1)
  }

  @Test("members without a column: numbers, objects, what stays as it is, and names that JSON escapes")
  func membersWithoutColumn() throws {
    let type = "inbound-rtp"
    let sink = try readSource(
      dump([
        series("IT01V1-packetsReceived", type, from: polls[0], to: polls[2], "[1,2,3]"),
        series("IT01V1-ssrc", type, from: polls[0], to: polls[2], "[1,1,1]"),
        series("IT01V1-mystery", type, from: polls[0], to: polls[2], "[{\"a\":1},{\"a\":2},{\"a\":2}]"),
        series("IT01V1-still", type, from: polls[0], to: polls[2], "[7,7,7]"),
        series("IT01V1-none", type, from: polls[0], to: polls[2], "[null,null,null]"),
        series("IT01V1-b\\\"c", type, from: polls[0], to: polls[2], "[null,8,null]"),
        series(
          "IT01V1-timestamp", type, from: polls[0], to: polls[2],
          "[\(polls[...2].map { "\($0)" }.joined(separator: ","))]"),
      ]))
    let stream = try #require(sink.streams(of: "9-1", .inbound).first)
    #expect(
      stream.extras == [
        #"{"mystery":{"a":1},"still":7}"#, #"{"mystery":{"a":2},"still":7,"b\"c":8}"#,
        #"{"mystery":{"a":2},"still":7}"#,
      ])
  }

  @Test("in a dump without times a report of the far end that says the same again is no new one")
  func repeatedReports() throws {
    let type = "remote-inbound-rtp"
    let (first, last) = (start + 300, start + 4300)
    let sink = try readSource(
      dump([
        series("O-packetsSent", "outbound-rtp", from: polls[1], to: polls[5], "[1,2,3,4,5]"),
        series(
          "O-remoteId", "outbound-rtp", from: polls[1], to: polls[5],
          "[\"RI\",\"RI\",\"RI\",\"RI\",\"RI\"]"),
        series("RI-roundTripTime", type, from: first, to: last, "[0.05,0.05,0.05,0.05,0.05]"),
        series("RI-jitter", type, from: first, to: last, "[0.001,0.001,0.001,0.002,0.002]"),
      ]))
    let stream = try #require(sink.streams(.outbound).first)
    #expect(stream.series(.rttMs) == [50, 50, 50, 50, 50])
    #expect(stream.series(.jitterMs) == [1, nil, nil, 2, nil])
  }

  @Test("text that is no number is unknown, and noted by its member")
  func noNumbers() throws {
    let sink = try readSource(
      dump([
        series("IT01A5-packetsReceived", "inbound-rtp", from: polls[0], to: polls[5], "[1,2,3,4,5,6]"),
        series(
          "IT01A5-jitter", "inbound-rtp", from: polls[0], to: polls[5],
          "[\"0,001\",\"0,001\",\"0.002\",\"0\",\"\",null]"),
        series(
          "IT01A5-timestamp", "inbound-rtp", from: polls[0], to: polls[5],
          "[\(polls.map { "\($0)" }.joined(separator: ","))]"),
      ]))
    #expect(sink.streams(.inbound).first?.series(.jitterMs) == [nil, nil, 2, 0, nil, nil])
    #expect(sink.notes["no number, taken as unknown: inbound-rtp.jitter"] == 1)
  }

  @Test("what the far end reported stands at the first poll that saw it")
  func remote() throws {
    let rtcp = [start + 500.2, start + 500.2, start + 2500.2]
    let type = "remote-inbound-rtp"
    let sink = try readSource(
      dump([
        series("OT01A5-packetsSent", "outbound-rtp", from: polls[0], to: polls[5], "[1,2,3,4,5,6]"),
        series("OT01A5-ssrc", "outbound-rtp", from: polls[0], to: polls[5], "[5,5,5,5,5,5]"),
        series(
          "OT01A5-remoteId", "outbound-rtp", from: polls[1], to: polls[5],
          "[\"RIA5\",\"RIA5\",\"RIA5\",\"RIA5\",\"RIA5\"]"),
        series(
          "OT01A5-qualityLimitationReason", "outbound-rtp", from: polls[0], to: polls[5],
          "[\"none\",\"none\",\"cpu\",\"cpu\",\"none\",\"none\"]"),
        series(
          "OT01A5-timestamp", "outbound-rtp", from: polls[0], to: polls[5],
          "[\(polls.map { "\($0)" }.joined(separator: ","))]"),
        series("RIA5-roundTripTime", type, from: rtcp[0], to: rtcp[2], "[0.05,0.05,0.07]"),
        series("RIA5-packetsLost", type, from: rtcp[0], to: rtcp[2], "[0,0,2]"),
        series(
          "RIA5-timestamp", type, from: rtcp[0], to: rtcp[2],
          "[\(rtcp.map { "\($0)" }.joined(separator: ","))]"),
      ]))
    let stream = try #require(sink.streams(.outbound).first)
    #expect(stream.series(.rttMs) == [nil, 50, nil, 70, nil, nil])
    #expect(stream.last(.lost) == 2)
    #expect(sink.events.map { $0.record.argument("reason") } == ["cpu", "none"])
    #expect(sink.events.map(\.record.timeMs) == [polls[2], polls[4]])
  }

  @Test("before M117: no times of polls, no types, a log in local time; the zone comes from the first poll")
  func oldEra() throws {
    // Local time is three hours ahead; the log began four seconds before the first poll.
    let log = """
      [{"time":"15/11/2023, 01:13:16","type":"createOffer","value":""},\
      {"time":"15/11/2023, 01:13:17","type":"iceConnectionStateChange","value":"checking"},\
      {"time":"15/11/2023, 01:13:18","type":"setLocalDescription","value":"type: offer, sdp: v=0\\r\\na=ice-ufrag:uf\\r\\n"}]
      """
    let sink = try readSource(
      dump(
        [
          series(
            "RTCInboundRTPAudioStream_77-packetsReceived", nil, from: start, to: start + 4000,
            "[10,20,30,40,50]"),
          series("RTCInboundRTPAudioStream_77-ssrc", nil, from: start, to: start + 4000, "[77,77,77,77,77]"),
          series(
            "RTCInboundRTPAudioStream_77-trackId", nil, from: start, to: start + 4000,
            "[\"RTCMediaStreamTrack_receiver_1\",\"RTCMediaStreamTrack_receiver_1\",\"RTCMediaStreamTrack_receiver_1\",\"RTCMediaStreamTrack_receiver_1\",\"RTCMediaStreamTrack_receiver_1\"]"
          ),
          series(
            "RTCInboundRTPAudioStream_77-jitter", nil, from: start + 2000, to: start + 4000,
            "[0.001,0.002,0.003]"),
          series(
            "RTCMediaStreamTrack_receiver_1-concealedSamples", nil, from: start, to: start + 4000,
            "[0,0,5,5,9]"),
        ], log: log))
    let stream = try #require(sink.streams(.inbound, .audio).first)
    #expect(stream.times == (0..<5).map { start + Double($0) * 1000 })
    #expect(stream.series(.packets) == [10, 20, 30, 40, 50])
    #expect(stream.series(.jitterMs) == [nil, nil, 1, 2, 3])
    #expect(stream.series(.concealedSamples) == [0, 0, 5, 5, 9])
    #expect(sink.eventNames == [.sdpOfferRequested, .iceChecking, .sdpLocalSetting])
    #expect(sink.events.map(\.record.timeMs) == [start - 4000, start - 3000, start - 2000])
    #expect(sink.connections[0]?.identities.contains(Identity(.ufragLocal, "uf")) == true)
    #expect(sink.notes.keys.contains { $0.contains("+03:00") })
  }

  @Test(
    "local times as browsers print them",
    arguments: [
      ("11/14/2023, 10:13:20 PM", 0), ("14/11/2023, 22:13:20", 0), ("14.11.2023, 23:13:20", 60),
      ("2023-11-14 17:13:20", -300),
      ("2023/11/15 上午3:43:20", 330), ("Wed Nov 15 2023 01:13:20 GMT+0300 (Moscow Standard Time)", 180),
    ])
  func localTimes(text: String, offset: Int) throws {
    let clock = try #require(LocalClock([Array(text.utf8)], firstPollMs: start + 5000))
    #expect(clock.offsetMinutes == offset)
    #expect(clock.epochMs(Array(text.utf8)) == start)
  }

  @Test("goog-* series of the oldest dumps: strings, dashes in ids, bandwidth beside")
  func goog() throws {
    let sink = try readSource(
      dump([
        series("ssrc_99_recv-packetsReceived", nil, from: start, to: start + 2000, "[\"1\",\"2\",\"3\"]"),
        series("ssrc_99_recv-ssrc", nil, from: start, to: start + 2000, "[\"99\",\"99\",\"99\"]"),
        series("ssrc_99_recv-googJitterReceived", nil, from: start, to: start + 2000, "[\"5\",\"6\",\"7\"]"),
        series("Conn-audio-1-0-googRtt", nil, from: start, to: start + 2000, "[\"40\",\"41\",\"42\"]"),
        series(
          "Conn-audio-1-0-googActiveConnection", nil, from: start, to: start + 2000,
          "[\"true\",\"true\",\"true\"]"),
        series(
          "Conn-audio-1-0-googLocalAddress", nil, from: start, to: start + 2000,
          "[\"10.0.0.1:5\",\"10.0.0.1:5\",\"10.0.0.1:5\"]"),
        series(
          "bweforvideo-googAvailableSendBandwidth", nil, from: start, to: start + 2000,
          "[\"300000\",\"300001\",\"300002\"]"),
      ]))
    let stream = try #require(sink.streams(.inbound).first)
    #expect(stream.series(.packets) == [1, 2, 3])
    #expect(stream.series(.jitterMs) == [5, 6, 7])
    let path = try #require(sink.transports[0])
    #expect(path.map(\.rttMs) == [40, 41, 42])
    #expect(path.map(\.availableOutgoingBps) == [300_000, 300_001, 300_002])
    #expect(path[0].local == "10.0.0.1:5")
  }

  @Test("figures below zero or beyond 2^53 are unknown and noted; goog-* writes -1 for what it does not know")
  func impossible() throws {
    let (end, pair) = (start + 2000, "candidate-pair")
    let sink = try readSource(
      dump([
        series("IT01A1-ssrc", "inbound-rtp", from: start, to: end, "[1,1,1]"),
        series("IT01A1-packetsReceived", "inbound-rtp", from: start, to: end, "[1,1e17,3]"),
        series("IT01A1-packetsLost", "inbound-rtp", from: start, to: end, "[0,-1,-1e17]"),
        series("IT01A1-nackCount", "inbound-rtp", from: start, to: end, "[-1,1,2]"),
        series("CP1-selected", pair, from: start, to: end, "[true,true,true]"),
        series("CP1-currentRoundTripTime", pair, from: start, to: end, "[0.05,-1,0.06]"),
        series("CP1-availableOutgoingBitrate", pair, from: start, to: end, "[1000,1001,-5]"),
        series("ssrc_99_recv-googCurrentDelayMs", nil, from: start, to: end, #"["-1","5","6"]"#),
      ]))
    let stream = try #require(sink.streams(.inbound).first { $0.facts.ssrc == 1 })
    #expect(stream.series(.packets) == [1, nil, 3])
    #expect(stream.series(.lost) == [0, -1, nil])
    #expect(stream.series(.nack) == [nil, 1, 2])
    let path = try #require(sink.transports[0])
    #expect(path.map(\.rttMs) == [50, nil, 60])
    #expect(path.map(\.availableOutgoingBps) == [1000, 1001, nil])
    #expect(
      sink.notes.keys.filter { $0.contains("taken as unknown") }.sorted() == [
        "below zero, taken as unknown: candidate-pair.availableOutgoingBitrate",
        "below zero, taken as unknown: candidate-pair.currentRoundTripTime",
        "below zero, taken as unknown: inbound-rtp.nackCount",
        "below zero, taken as unknown: inbound-rtp.packetsLost",
        "beyond 2^53, taken as unknown: inbound-rtp.packetsReceived",
      ])
  }

  @Test("a thousand points: the beginning may be missing, and that is reported")
  func thousand() throws {
    let values = "[" + (0..<1000).map(String.init).joined(separator: ",") + "]"
    let times = "[" + (0..<1000).map { "\(start + Double($0) * 1000)" }.joined(separator: ",") + "]"
    let end = start + 40_000
    let sink = try readSource(
      dump([
        series("IT01A1-packetsReceived", "inbound-rtp", from: start, to: end, values),
        series("IT01A1-timestamp", "inbound-rtp", from: start, to: end, times),
      ]))
    #expect(sink.streams(.inbound).first?.samples.count == 1000)
    #expect(sink.notes.keys.contains { $0.hasPrefix("series of 1000 points") })
  }

  @Test("what pages asked their users for, paired with the answer, on the connection they made")
  func capture() throws {
    let media = """
      [{"origin":"http://x","pid":7,"rid":9,"request_id":0,"request_type":"getUserMedia","timestamp":1700000000000,"audio":""},
      {"origin":"http://y","pid":8,"rid":10,"request_id":0,"request_type":"getUserMedia","timestamp":1700000000100,"video":""},
      {"pid":8,"rid":10,"request_id":0,"request_type":"getUserMedia","timestamp":1700000000200,"error":"NotAllowedError","error_message":"no"},
      {"pid":7,"rid":9,"request_id":0,"request_type":"getUserMedia","timestamp":1700000000300,"stream_id":"s","audio_track_info":"{\\"id\\":\\"t\\"}","video_track_info":"null"}]
      """
    let sink = try readSource(dump([], media: media))
    #expect(
      sink.eventNames == [
        .mediaLocalRequested, .mediaLocalAcquired, .mediaLocalRequested, .mediaLocalFailed,
      ])
    #expect(sink.events.map(\.connection) == [0, 0, nil, nil])
  }

  @Test(
    "what was asked long before a connection is not its own; in mid-call it is, and the next connection's is the next one's"
  )
  func captureOfOtherCalls() throws {
    func asked(_ number: Int, _ timeMs: Int) -> String {
      #"{"pid":7,"rid":9,"request_id":\#(number),"request_type":"getUserMedia","timestamp":\#(timeMs),"audio":""},"#
        + #"{"pid":7,"rid":9,"request_id":\#(number),"request_type":"getUserMedia","timestamp":\#(timeMs + 100),"stream_id":"s"}"#
    }
    func connection(_ name: String, _ timeMs: Int) -> String {
      #""\#(name)":{"pid":7,"updateLog":[{"type":"createOffer","value":"","timestamp":"\#(timeMs)"}],"stats":{}}"#
    }
    let start = 1_700_000_000_000
    let sink = try readSource(
      """
      {"getUserMedia":[\(asked(0, start - 60_000)),\(asked(1, start - 1000)),\(asked(2, start + 20_000)),\(asked(3, start + 39_000))],
      "PeerConnections":{\(connection("9-1", start)),\(connection("9-2", start + 40_000))},"UserAgent":"x"}
      """)
    let devices = sink.events.filter {
      [.mediaLocalRequested, .mediaLocalAcquired].contains($0.record.event)
    }
    #expect(devices.map(\.connection) == [nil, nil, 0, 0, 0, 0, 1, 1])
  }

  @Test("a dump without connections, and one that is cut")
  func others() throws {
    let empty = try readSource("{\"getUserMedia\":[],\"PeerConnections\":{},\"UserAgent\":\"x\"}")
    #expect(empty.notes.keys.contains { $0.hasPrefix("a dump without connections") })
    let whole = dump([
      series("IT01A1-packetsReceived", "inbound-rtp", from: polls[0], to: polls[1], "[1,2]"),
      series("IT01A1-timestamp", "inbound-rtp", from: polls[0], to: polls[1], "[\(polls[0]),\(polls[1])]"),
    ])
    let sink = RecordingSink()
    var error: SourceError?
    do {
      try GetStatsReader.read(
        .webrtcInternals, from: MemoryBytes(String(whole.dropLast(30))), into: sink, options: ReaderOptions())
    } catch let thrown as SourceError { error = thrown }
    #expect(error?.code == .notJSON)
    #expect(sink.streams(.inbound).first?.series(.packets) == [1, 2], "what was read before is given")
  }
}
