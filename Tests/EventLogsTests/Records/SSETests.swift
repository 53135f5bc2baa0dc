import CallModel
import EventLogs
import Testing

@Suite("Server-sent events by WHATWG's rules")
struct SSETests {
  private let events = [
    "event: participant_sync_begin", "data:", "", ": keepalive", "id: 7", "event: on_hold",
    "data: {\"on_hold\":", "data: true}",
    "", "data", "", "retry: 10", "", "event: stage", "", "event: disconnect", "data: {}",
  ]

  @Test(
    "CR, LF and CRLF alike, with a byte order mark, in pieces of any size", arguments: ["\n", "\r\n", "\r"],
    [1, 3, 4096])
  func lineEnds(end: String, piece: Int) throws {
    let log = try read(.sse, "\u{FEFF}" + events.joined(separator: end) + end, piece: piece)
    #expect(log.records.map(\.raw) == ["participant_sync_begin", "on_hold", "message", "stage"])
    #expect(log.names == [.conferenceRosterSyncing, .callHeld, .unknown, .conferenceStage])
    #expect(log.records.map { $0.argument("dispatched") } == ["true", "true", "true", "false"])
    #expect(log.records[1].argument("id") == "7")
    #expect(log.records[1].argument("data") == "{\"on_hold\":\ntrue}")
    #expect(log.records[2].argument("id") == nil)
    #expect(log.records[2].argument("last_event_id") == "7")
    #expect(log.records[3].argument("data") == nil)
    #expect(log.rejects.map(\.reason) == ["the last event is cut off"])
    #expect(log.rejects.first?.line == 16)
    #expect(log.records.allSatisfy { $0.timeMs == nil })
  }

  @Test(
    "the log's own stamps are the times",
    arguments: [
      "2026-11-21T01:55:17.337Z ", "[2026-11-21T02:55:17.337+01:00] ", "1795226117.337 ", "1795226117337\t",
      "2026-11-21 01:55:17,337 ",
    ])
  func stamps(stamp: String) throws {
    let text = ["event: stage", "data: [1]", ""].map { stamp + $0 + "\n" }.joined()
    let log = try read(.sse, text)
    let marked = try read(.sse, "\u{FEFF}" + text)
    #expect(
      marked.records.map(\.raw) == log.records.map(\.raw),
      "with a byte order mark in front of the first stamp")
    #expect(marked.records.map(\.timeMs) == log.records.map(\.timeMs))
    #expect(log.records.first?.timeMs == 1_795_226_117_337)
    #expect(log.records.first?.argument("data") == "[1]")
    #expect(log.notes.contains { $0.contains("taken as UTC") } == stamp.contains(","))
    #expect(try recognise(text) == .sse)
  }

  @Test(
    "a curl -v trace: curl's own lines and the token in them stay out; date and zone come from the server")
  func curl() throws {
    let trace = """
      02:55:17.100000 * Connected to conf.example (192.0.2.1) port 443
      02:55:17.110000 > GET /api/client/v2/conferences/meet/events?token=SE9TVEx0b2tlbl9vbmU HTTP/1.1
      02:55:17.110001 > pin: 2468
      02:55:17.337000 < HTTP/1.1 200 OK
      02:55:17.337000 < Date: Sat, 21 Nov 2026 01:55:17 GMT
      02:55:17.337000 < Content-Type: text/event-stream
      02:55:17.340000 { [44 bytes data]
      event: participant_create
      data: {"uuid":"u1","start_time":1795226117,"token":"SE9TVEx0b2tlbl9vbmU"}

      00:00:01.000000 { [20 bytes data]
      event: participant_delete
      data: {"uuid":"u1"}


      """
    let log = try read(.sse, trace)
    #expect(log.names == [.conferenceParticipantJoined, .conferenceParticipantLeft])
    #expect(log.records.map(\.timeMs) == [1_795_226_117_340, 1_795_215_601_000 + 86_400_000])
    #expect(!log.records.contains { $0.args.contains("SE9T") || $0.args.contains("2468") })
    #expect(log.notes.contains { $0.contains("Date header") })
    #expect(try recognise(trace) == .sse)
  }

  @Test("hold is told by a setting or by its own name", arguments: ["setting", "on_hold"])
  func hold(member: String) throws {
    let stream = ["true", "false"].enumerated().map { place, value in
      """
      2026-11-20T10:00:0\(place)Z event: on_hold
      2026-11-20T10:00:0\(place)Z data: {"\(member)": \(value)}
      2026-11-20T10:00:0\(place)Z\u{20}

      """
    }
    #expect(try read(.sse, stream.joined()).names == [.callHeld, .callResumed])
  }

  @Test("below one time of curl the first event has it, the others borrow it, and no clock is judged by them")
  func borrowed() throws {
    let join = { (second: Int) in
      "event: participant_create\ndata: {\"uuid\":\"u\(second)\",\"start_time\":\(1_795_226_117 + second)}\n\n"
    }
    let log = try read(
      .sse,
      "01:55:17.000000 < Date: Sat, 21 Nov 2026 01:55:17 GMT\n01:55:17.000000 < Content-Type: text/event-stream\n"
        + "01:55:17.340000 { [47 bytes data]\n" + join(0) + join(2) + join(3)
        + "01:55:20.000000 * Connection #0 to host conf.example left intact\n" + join(4)
        + "01:55:21.000000 { [47 bytes data]\n" + join(4))
    #expect(log.records.map { $0.ownTimeMs != nil } == [true, false, false, false, true])
    #expect(log.records.allSatisfy { $0.timeMs != nil })
    #expect(log.records.map { $0.argument("skew_ms") } == ["340", nil, nil, nil, "0"])
    #expect(log.notes.contains { $0.hasPrefix("3 events are on lines without a time") }, "\(log.notes)")
    #expect(log.notes.contains { $0.contains("start_time of 2 joins") })
  }

  /// As curl --trace-ascii writes what it received at a second: rows of 64 bytes, broken where a line ends with CR and LF.
  private func section(_ second: Int, _ kind: String, _ body: String) -> String {
    let bytes = Array(body.utf8)
    var text = "01:55:\(second).000000 \(kind), \(bytes.count) bytes (0x\(String(bytes.count, radix: 16)))\n"
    var start = 0
    while start < bytes.count {
      let feed = bytes[start...].firstIndex(of: 0x0D) ?? bytes.count
      let end = min(start + 64, feed)
      let place = String(start, radix: 16)
      let row = bytes[start..<end].map { $0 < 0x20 ? 0x2E : $0 }
      text +=
        String(repeating: "0", count: 4 - place.count) + place + ": " + String(decoding: row, as: UTF8.self)
        + "\n"
      start = end == feed ? end + 2 : end
    }
    return text
  }

  @Test(
    "a trace with rows of 64 bytes is put together again",
    arguments: [("\r\n", true), ("\r\n", false), ("\n", true)])
  func traceOfRows(end: String, isChunked: Bool) throws {
    func event(_ second: Int, _ name: String, _ data: String) -> String {
      let body = "event: \(name)\(end)data: \(data)\(end)\(end)"
      return section(
        second, "<= Recv data", isChunked ? String(body.utf8.count, radix: 16) + "\r\n" + body + "\r\n" : body
      )
    }
    let path = "/api/client/v2/conferences/meet.alice/participants/2c34f35f-1060-438c-9e87-6c2dffbc9980/calls"
    let long = String(repeating: "Zo. ", count: 40)
    let trace =
      "01:55:17.000000 == Info: Connected to conf.example\n"
      + section(
        17, "=> Send header",
        "POST \(path) HTTP/1.1\r\nHost: conf.example\r\ntoken: SE9TVEx0b2tlbl9vbmU\r\n\r\n")
      + section(18, "<= Recv header", "Date: Sat, 21 Nov 2026 01:55:18 GMT\r\n")
      + section(18, "<= Recv header", "Content-Type: text/event-stream\r\n")
      + event(19, "participant_create", #"{"uuid":"u1","display_name":"\#(long)","start_time":1795226119}"#)
      + event(
        25, "call_disconnected",
        #"{"call_uuid":"50ed679d-c622-4c0e-b251-e217f2aa030b","reason":"Remote disconnect"}"#)
      + "01:55:26.000000 == Info: Connection #0 left intact\n"
    let log = try read(.sse, trace)
    #expect(try recognise(trace) == .sse)
    #expect(log.records.map(\.raw) == ["calls", "participant_create", "call_disconnected"])
    let times = log.records.compactMap(\.timeMs)
    #expect(times.map { ($0 - (times.first ?? 0)) / 1000 } == [0, 2, 8])
    #expect(log.records.allSatisfy { $0.ownTimeMs != nil })
    #expect(log.records[1].argument("name") == long)
    #expect(log.records[2].argument("code") == "Remote disconnect")
    #expect(!log.records.contains { $0.args.contains("SE9T") })
    #expect(log.rejects.isEmpty)
  }

  @Test("a span that begins or ends at a borrowed time has no end")
  func borrowedSpans() throws {
    let update = { (muted: String) in
      "event: participant_update\ndata: {\"uuid\":\"a\",\"is_muted\":\"\(muted)\"}\n\n"
    }
    let log = try read(
      .sse,
      "2026-11-21T00:00:01Z \n" + update("NO") + update("YES") + "2026-11-21T00:00:05Z \n" + update("NO"))
    #expect(log.names.suffix(2) == [.callMuted, .callUnmuted])
    #expect(log.records.allSatisfy { $0.untilMs == nil })
  }

  /// Requests and the stream of their conference in one log; `end` is what ends an event.
  private func mixed(_ end: [String]) -> String {
    let path = "https://n/api/client/v2/conferences/room1/"
    let lines =
      ["0.000Z POST \(path)request_token 200", "0.300Z GET \(path)events?token=HIDDEN", "0.310Z some words"]
      + ["0.400Z event: participant_sync_begin", "0.400Z data: null"] + end
      + ["0.410Z event: participant_create", #"0.410Z data: {"uuid":"u1","display_name":"Ann"}"#] + end
      + ["0.420Z event: participant_sync_end", "0.420Z data: null"] + end
      + ["1.000Z POST \(path)participants/u1/calls", "2.600Z POST \(path)participants/u1/calls/c1/ack"]
      + ["3.000Z event: call_disconnected", #"3.000Z data: {"call_uuid":"c1"}"#] + end
    return lines.map { "2026-11-20T10:00:0\($0)\n" }.joined()
  }

  @Test(
    "requests in the log of a stream are events, also where the log has no empty lines",
    arguments: [["9.000Z "], []])
  func requests(end: [String]) throws {
    let log = try read(.sse, mixed(end))
    #expect(try recognise(mixed(end)) == .sse)
    #expect(
      log.records.map(\.raw) == [
        "request_token", "participant_sync_begin", "participant_create", "participant_sync_end", "calls",
        "ack",
        "call_disconnected",
      ])
    #expect(log.rejects.isEmpty)
    #expect(log.notes.contains("2 lines are neither fields of an event nor a known request"), "\(log.notes)")
    #expect(!log.records.contains { $0.args.contains("HIDDEN") })
    guard end.isEmpty else { return }
    let times = log.records.compactMap(\.timeMs)
    #expect(times.map { $0 - (times.first ?? 0) } == [0, 400, 410, 420, 1000, 2600, 3000])
  }

  @Test("a trace of curl has its requests too")
  func requestsOfCurl() throws {
    let trace = """
      10:00:00.100 > POST /api/client/v2/conferences/room1/participants/u1/calls HTTP/1.1
      10:00:00.200 > Accept: */*
      10:00:01.000 < HTTP/1.1 200 OK
      10:00:01.000 < Date: Fri, 20 Nov 2026 10:00:01 GMT
      10:00:01.100 {"status": "success", "result": {"sdp": "v=0", "url": "https://n/participants/u1/calls"}}
      10:00:02.000 < Content-Type: text/event-stream
      10:00:03.000 event: call_disconnected
      10:00:03.000 data: {"call_uuid":"c1"}
      10:00:03.000 \n
      """
    let log = try read(.sse, trace)
    #expect(log.records.map(\.raw) == ["calls", "call_disconnected"])
    #expect(log.notes.contains("1 line is neither a field of an event nor a known request"), "\(log.notes)")
  }

  @Test("an event that is cut off in a log with empty lines is none")
  func cutOff() throws {
    let log = try read(.sse, "event: layout\ndata: {}\n\nevent: stage\ndata: []\n")
    #expect(log.records.map(\.raw) == ["layout"])
    #expect(log.rejects.map(\.reason) == ["the last event is cut off"])
  }

  @Test("a snapshot of participants is no join; a second one is a reconnect")
  func participants() throws {
    let create = "event: participant_create\ndata: {\"uuid\":\"a\",\"display_name\":\"Ann\"}\n\n"
    let begin = "event: participant_sync_begin\ndata:\n\n"
    let end = "event: participant_sync_end\ndata:\n\n"
    let log = try read(.sse, begin + create + end + create + begin + create + end)
    #expect(
      log.names == [
        .conferenceRosterSyncing, .conferenceParticipantPresent, .conferenceRosterSynced,
        .conferenceParticipantJoined, .conferenceRosterSyncing, .conferenceParticipantPresent,
        .conferenceRosterSynced,
      ])
    #expect(log.records[2].argument("participants") == "1")
    #expect(log.records[4].argument("reconnect") == "1")
    #expect(log.identities.contains(.init(.person, "Ann")))
    #expect(log.facts[0]?.sdk == "pexip")
  }

  @Test("mutes and dropouts are spans, told by what changed")
  func changes() throws {
    func update(_ second: Int, _ members: String) -> String {
      "2026-11-21T00:00:0\(second)Z event: participant_update\n2026-11-21T00:00:0\(second)Z data: {\"uuid\":\"a\",\(members)}\n"
        + "2026-11-21T00:00:0\(second)Z \n"
    }
    let log = try read(
      .sse,
      update(1, #""is_muted":"NO","is_main_video_dropped_out":false"#) + update(2, #""is_muted":"YES""#)
        + update(3, #""is_main_video_dropped_out":true"#)
        + update(5, #""is_muted":"NO","is_main_video_dropped_out":false"#)
        + update(6, #""is_presenting":"NO""#))
    #expect(
      log.names == [
        .conferenceParticipantChanged, .callMuted, .mediaDropout, .mediaRecovered,
        .conferenceParticipantChanged,
      ])
    #expect(log.records[2].untilMs.map { $0 - (log.records[2].timeMs ?? 0) } == 2000)
    #expect(log.records[3].argument("changes") == "is_main_video_dropped_out is_muted")
    #expect(log.records.allSatisfy { $0.raw == "participant_update" })
  }

  @Test("the server's clock is compared with the log's at every join, and nothing is shifted")
  func skew() throws {
    let log = try read(
      .sse,
      "1795226119.831 event: participant_create\n1795226119.831 data: {\"uuid\":\"a\",\"start_time\":1795226077}\n1795226119.831 \n"
    )
    #expect(log.records.first?.timeMs == 1_795_226_119_831)
    #expect(log.records.first?.argument("skew_ms") == "42831")
    #expect(
      log.notes == [
        "clock: the log is 42.3 s ahead of the server, to within a second (start_time of 1 joins); no time was shifted"
      ])
  }

  @Test("strangers are kept, hostile bytes are survived")
  func hostile() throws {
    let log = try read(
      .sse, "event: a_future_event\ndata: {\"x\":[[[\nid: a\u{0}b\n\nevent\ndata: \u{1}\n\n:\n\n\n")
    #expect(log.names == [.unknown, .unknown])
    #expect(log.records.first?.raw == "a_future_event")
    #expect(log.records.first?.argument("id") == nil, "an id with a NUL is no id")
    #expect(try recognise("eventually: x\ndatabase: y\n") == nil)
  }
}
