import Foundation
import Testing

@Suite("Summaries of services")
struct CallSummaryCommandTests {
  private func path(_ name: String) -> String {
    Tool.root.appendingPathComponent("Tests/CommandTests/Field/\(name)").path
  }

  private func reports(_ log: FieldLog) throws -> [[String: Any]] {
    try log.events("media.quality-reported").compactMap { $0["args"] as? [String: Any] }
  }

  @Test("Telnyx: legs of one session are one call, with its setup, its end and what it said of quality")
  func telnyx() throws {
    let log = FieldLog("summaries/telnyx-call.jsonl")
    let call = try log.call()
    #expect(call["call_id"] as? String == "5c1f9a1e-c5f0-11f0-8a11-02420a1f0b70")
    #expect(call["outcome"] as? String == "completed" && call["score_mean"] is NSNull)
    #expect((call["reported"] as? [String: Any])?["mos"] as? Double == 3.62)
    let reports = try reports(log)
    #expect(reports.map { $0["of"] as? String } == ["received", "sent", "received", "sent"])
    #expect(reports.compactMap { $0["mos_listening"] as? Double } == [4.41, 3.62])
    #expect(reports.compactMap { $0["packets"] as? Int } == [9015, 9002, 9380, 9371])
    #expect(reports.compactMap { $0["skip_packet_count"] as? Int } == [12, 0, 131, 3])
    #expect(
      try log.events("call.established").compactMap { $0["t_ms"] as? Double } == [
        1_795_168_801_350, 1_795_168_808_500,
      ])
    #expect(try log.arguments("call.ended")["by"] as? String == "remote")
    #expect(try log.events("unknown").map { $0["raw"] as? String } == ["call.playback.started"])
    let story = try log.story()
    for words in ["incoming leg", "outgoing leg", "MOS 3.62", "(telnyx)"] {
      #expect(story.contains(words), "\(words) is not in\n\(story)")
    }
    #expect(!story.contains("s3cr3t"))
  }

  @Test("Telnyx: a busy line is busy, and a MOS of 0 is none")
  func busy() throws {
    let log = FieldLog("summaries/telnyx-busy.json")
    #expect(try log.call()["outcome"] as? String == "busy")
    #expect(try reports(log).allSatisfy { $0["mos_listening"] == nil })
    #expect(try log.story().contains("figures of summaries out of range"))
  }

  @Test("Twilio: each edge that saw the media is an end; the answer is worked out and says so")
  func twilio() throws {
    let log = FieldLog("summaries/twilio-client.json")
    let call = try log.call()
    #expect(call["call_id"] as? String == "CA1d6f0a3b2c4d5e6f708192a3b4c5d6e7")
    #expect(call["outcome"] as? String == "completed" && call["score_mean"] is NSNull)
    let reports = try reports(log)
    #expect(reports.compactMap { $0["codec"] as? String }.sorted() == ["opus", "opus", "pcmu", "pcmu"])
    let gateway = try #require(reports.first { $0["lost"] as? Int == 147 })
    #expect(gateway["loss_percent"] as? Double == 1.57 && gateway["jitter_ms"] as? Double == 11.4)
    #expect(
      gateway["jitter_max_ms"] as? Double == 64.2 && gateway["packet_delay_variation_d70"] as? Int == 120)
    let browser = try #require(reports.first { $0["mos_conversational"] as? Double == 4.31 })
    #expect(browser["rtt_ms"] as? Int == 61 && browser["mos_min"] as? Double == 3.7)
    #expect(browser["tags"] as? String == "high_jitter")
    let answer = try #require(try log.events("call.established").first)
    #expect(answer["t_ms"] as? Double == 1_795_168_807_000)
    let end = try log.arguments("call.ended")
    #expect(end["tags"] as? String == "high_packet_loss, high_jitter" && end["annotated_score"] as? Int == 2)
    #expect(end["ended_by"] as? String == "caller" && end["sip_status"] as? Int == 200)
  }

  @Test("Twilio: a page of a list is its calls, and one that is cut short keeps those that are whole")
  func page() throws {
    let calls = try FieldLog("summaries/twilio-page.json").calls()
    #expect(calls.map { $0["outcome"] as? String } == ["completed", "busy"])
    #expect(calls.map { $0["duration_ms"] as? Double }.first == 62_000)
    #expect(try FieldLog("summaries/twilio-damaged.json").calls().count == 1)
  }

  @Test("what is damaged is reported with its line, and the rest is taken")
  func damaged() throws {
    let result = try Tool.run("show", path("summaries/telnyx-damaged.jsonl"), "--json")
    #expect(result.errors.contains("partial at line 4") && result.errors.contains("the line is left out"))
    let call = try #require(result.objects().first?["call"] as? [String: Any])
    #expect(
      call["outcome"] as? String == "completed", "the line that says that it was answered is the damaged one")
  }

  @Test(
    "a leg whose answer may be the line that could not be read is unknown; a line that is not amid its own changes nothing",
    arguments: [(["begun", "damaged", "ended"], "unknown"), (["damaged", "begun", "ended"], "rejected")])
  func unreadAnswer(lines: [String], outcome: String) throws {
    func webhook(_ event: String, _ second: Int, _ more: String) -> String {
      """
      {"data":{"event_type":"\(event)","occurred_at":"2026-11-20T10:00:0\(second).000000Z","payload":{"call_control_id":"v3:a",\
      "call_leg_id":"61d0be3c-c5f0-11f0-b7d4-02420a1f0b70","call_session_id":"5c1f9a1e-c5f0-11f0-8a11-02420a1f0b70",\
      "from":"+12025550178","to":"+12025550199",\(more)}}}
      """
    }
    let texts = [
      "begun": webhook("call.initiated", 1, #""direction":"outgoing","state":"bridging""#),
      "damaged": #"{"data":{"event_type":"call.answ"#,
      "ended": webhook("call.hangup", 9, #""hangup_cause":"normal_clearing","hangup_source":"callee""#),
    ]
    let place = try TemporaryFolder()
    let log = place.url.appendingPathComponent("webhooks.jsonl")
    try lines.compactMap { texts[$0] }.joined(separator: "\n").appending("\n").write(
      to: log, atomically: true, encoding: .utf8)
    let result = try Tool.run("show", log.path, "--json")
    let call = try #require(result.objects().first?["call"] as? [String: Any])
    #expect(call["outcome"] as? String == outcome)
  }

  @Test(
    "what is hostile neither stops the reading nor becomes a figure",
    arguments: ["telnyx-hostile.jsonl", "twilio-hostile.json"])
  func hostile(file: String) throws {
    let result = try Tool.run("show", path("summaries/\(file)"), "--all", "--json")
    #expect([0, 1, 2, 3].contains(result.status) && result.errors.contains("partial"), "\(result.errors)")
    for object in try result.objects() {
      for event in object["events"] as? [[String: Any]] ?? [] {
        let args = event["args"] as? [String: Any] ?? [:]
        #expect(args["packets"] == nil && args["mos_listening"] == nil && args["lost"] as? Double != 1e300)
      }
    }
  }

  @Test("a summary joins the call that a telephone's report names by Call-ID")
  func joined() throws {
    let place = try TemporaryFolder()
    let database = place.url.appendingPathComponent("x.sqlite").path
    let report = """
      VQSessionReport: CallTerm
      CallID: 7f3a9c1e@203.0.113.20
      LocalID: <sip:alice@example.org>
      LocalMetrics:
      Timestamps: START=2026-11-20T10:00:07Z STOP=2026-11-20T10:03:12Z
      PacketLoss: NLR=0.5

      """
    try Tool.run(
      "import", path("summaries/twilio-client.json"), try place.file("phone.txt", report), "--db",
      database)
    #expect(try Tool.run("calls", "--json", "--db", database).objects().count == 1)
    for id in ["CA1d6f0a3b2c4d5e6f708192a3b4c5d6e7", "+12025550178", "7f3a9c1e@203.0.113.20"] {
      #expect(try Tool.run("find", id, "--json", "--db", database).objects().count >= 1, "\(id)")
    }
  }

  @Test("Asterisk: channels of one bridge are one call, table after table, and its word is the last one")
  func channels() throws {
    let log = FieldLog("summaries/channelstats-cron.txt")
    let calls = try log.calls()
    #expect(calls.map { $0["call_id"] as? String } == ["bridge 2c2edc5b", "bridge 91f0aa17"])
    #expect(calls.allSatisfy { $0["score_mean"] is NSNull })
    let reports = try reports(log).filter { $0["of"] as? String == "received" }
    #expect(reports.compactMap { $0["packets"] as? Int }.sorted() == [150, 250, 900, 1000, 3150, 3250])
    #expect(reports.compactMap { $0["lost"] as? Int }.max() == 180)
    #expect(try FieldLog("summaries/channelstats-once.txt").calls().count == 2)
    for (file, words) in [("damaged", "partial at line 7"), ("hostile", "not a row of channelstats")] {
      let result = try Tool.run("show", path("summaries/channelstats-\(file).txt"))
      #expect(result.errors.contains(words), "\(result.errors)")
    }
  }

  @Test("libwebrtc's lines are samples of streams, scored like any statistics")
  func streams() throws {
    let streams = try Tool.run("extract", "--only", "streams", path("summaries/chromium-video.log")).objects()
    #expect(streams.map { $0["direction"] as? String } == ["inbound", "outbound"])
    #expect(streams.map { $0["ssrc"] as? Int } == [3_744_512_964, 3_600_624_451])
    #expect(streams.map { $0["lost"] as? Int } == [120, 12])
    // The log has no year: which one it was depends on when it is read.
    let (first, last) = (streams.first?["first_ms"] as? Double, streams.first?["last_ms"] as? Double)
    #expect(try #require(last) - #require(first) == 60_000)
    let windows = try Tool.run("extract", "--only", "score", path("summaries/chromium-video.log")).objects()
    #expect(windows.count == 12)
    let inputs = try #require(windows.last?["inputs"] as? [String: Any])
    #expect(inputs["height"] as? Int == 720 && inputs["frame_rate"] as? Double == 14.8)
    #expect(inputs["loss_share"] is NSNull, "how many packets came is not known")
    #expect(try FieldLog("summaries/chromium-video.log").findings() == ["cpu-limited"])
  }

  @Test("older lines in a log of Android are samples too, and what is damaged or hostile costs its own line")
  func others() throws {
    func streams(_ file: String) throws -> [[String: Any]] {
      try Tool.run("extract", "--only", "streams", path("summaries/\(file)")).objects()
    }
    #expect(try streams("android-video.log").map { $0["ssrc"] as? Int } == [2_744_512_964])
    #expect(try streams("chromium-damaged.log").count == 2)
    #expect(try streams("chromium-hostile.log").contains { $0["ssrc"] as? Int == 3_744_512_964 })
  }
}
