import Foundation
import Testing

@Suite("Logs of Cisco's SDK, from the field")
struct CiscoFieldTests {
  @Test("What a topic did not find is no failure of the call that stands")
  func topic() throws {
    let log = FieldLog("sdk-a-01-in.log")
    let call = try log.call()
    #expect(call["outcome"] as? String == "completed")
    #expect(call["end_code"] is NSNull)
    #expect(try log.events("app.topic-failed").count == 1)
  }

  @Test("The quality that the client reports is a figure of the call, held until the next report")
  func reported() throws {
    let log = FieldLog("sdk-a-02-in.log")
    let reported = try #require(try log.call()["reported"] as? [String: Any])
    let mean = try #require(reported["mean"] as? Double)
    #expect(abs(mean - 9200.0 / 295) < 0.001)
    #expect(reported["min"] as? Double == 30)
    #expect(reported["below_50_ms"] as? Double == 290_000)
    #expect(try log.story().contains("31.2 of 100"))
  }

  @Test(
    "A failure of dialling after the end is a call of its own",
    arguments: [
      ("rem.log", ["completed", "failed", "no-answer", "failed"]),
      ("rem-three-failures.log", ["busy", "no-answer", "failed"]),
      ("rem-other-object.log", ["completed", "busy", "failed"]),
    ])
  func failures(file: String, outcomes: [String]) throws {
    let calls = try FieldLog("sdk-a-03-\(file)").calls()
    #expect(calls.compactMap { $0["outcome"] as? String } == outcomes)
  }

  @Test("A report is beside the window that it tells of")
  func window() throws {
    let log = FieldLog("sdk-a-04-in.jsonl")
    let rows = try Tool.run(
      "extract", "--only", "score",
      Tool.root.appendingPathComponent("Tests/CommandTests/Field/sdk-a-04-in.jsonl").path
    ).objects()
    #expect(rows.prefix(3).map { $0["client_score"] as? Double } == [30, 100, 100])
    #expect(try log.calls().count == 1)
  }

  @Test("Members beside a logger's message are the arguments of the callback that it names")
  func logger() throws {
    #expect(try FieldLog("sdk-a-05-refused.jsonl").call()["outcome"] as? String == "busy")
    #expect(try FieldLog("sdk-a-05-unknown.jsonl").call()["end_code"] as? String == "BUSY")
    #expect(
      try FieldLog("sdk-a-05-quality.jsonl").arguments("media.quality-reported")["score"] as? Double == 37)
  }

  @Test("Setup begins when it was dialled, not when the call's object was made")
  func dial() throws {
    let log = FieldLog("sdk-a-06-in.log")
    #expect(try log.call()["setup_ms"] as? Double == 1500)
    #expect(try log.setup()["post_dial_delay_ms"] as? Double == 1000)
    #expect(try log.setup()["from_event"] as? String == "call.dialing")
  }

  @Test("Keys that were pressed are hidden in Objective-C's spelling too")
  func tones() throws {
    let args = try FieldLog("sdk-a-14-in.log").arguments("call.dtmf")
    #expect(!"\(args)".contains("4711"))
  }

  @Test("A refused permission is the reason of the failure")
  func permission() throws {
    let log = FieldLog("sdk-a-15-in.log")
    let call = try log.call()
    #expect(call["outcome"] as? String == "failed")
    #expect(try #require(call["end_reason"] as? String).contains("permission"))
    #expect(try log.findings() == ["permission-refused"])
  }

  @Test("Methods count in C++ and Objective-C", arguments: ["arrow.log", "objc.log"])
  func methods(file: String) throws {
    let log = FieldLog("sdk-a-16-\(file)")
    #expect(try log.call()["held_local_ms"] as? Double == 10_000)
    #expect(try log.call()["held_remote_ms"] is NSNull)
    #expect(try log.lasted("call.held") == 10_000)
  }

  @Test("Outages are findings, and a figure of the call")
  func outages() throws {
    let outage = FieldLog("sdk-a-17-outage.log")
    #expect(try outage.findings() == ["network-outage"])
    #expect(try outage.call()["network_out_ms"] as? Double == 31_050)
    #expect(try outage.call()["outcome"] as? String == "completed")
    let lost = FieldLog("sdk-a-17-lost.log")
    #expect(try Set(lost.findings()) == ["network-outage", "connection-given-up"])
    #expect(try lost.call()["network_out_ms"] as? Double == 15_000)
    #expect(try #require(lost.call()["why"] as? String).contains("gave its connection up"))
  }

  @Test("A list of devices is one argument, and a wish is no change")
  func devices() throws {
    let log = FieldLog("sdk-a-19-in.log")
    let changes = try log.events("media.device-changed").compactMap { $0["args"] as? [String: Any] }
    #expect(changes.map { $0["selected"] as? String } == ["BLUETOOTH", "EARPIECE"])
    #expect(changes.first?["devices"] as? String == "BLUETOOTH, SPEAKER_PHONE, EARPIECE")
    #expect(try log.arguments("media.device-requested")["device"] as? String == "BLUETOOTH")
  }

  @Test("Busy as an error of dialling is an offer that was pending, and no busy callee")
  func glare() throws {
    let call = try FieldLog("sdk-a-20-in.log").call()
    #expect(call["outcome"] as? String == "failed")
    #expect(try #require(call["end_reason"] as? String).contains("pending"))
  }

  @Test("A call without a microphone has a finding")
  func microphone() throws {
    let log = FieldLog("sdk-a-21-in.log")
    #expect(try log.findings() == ["no-microphone"])
    #expect(try log.story().contains("No microphone"))
    #expect(try log.call()["outcome"] as? String == "completed")
  }

  @Test("Data of a topic that were deleted are an update, and a stream that is null has ended")
  func names() throws {
    let log = FieldLog("sdk-a-22-rem.log")
    let names = try log.events().compactMap { $0["event"] as? String }
    #expect(
      names.filter { $0 != "unknown" } == [
        "call.established", "app.topic-updated", "call.ended", "media.remote-ended",
      ])
  }

  @Test("A quality lies between 0 and 100, with or without its sign")
  func bounds() throws {
    let log = FieldLog("sdk-a-23-in.log")
    let scores = try log.events("media.quality-reported").map {
      ($0["args"] as? [String: Any])?["score"] as? Double
    }
    #expect(scores == [49, 48])
  }

  @Test("The words of an error are the reason of the end")
  func error() throws {
    let call = try FieldLog("sdk-a-24-in.log").call()
    #expect(call["end_code"] as? String == "3")
    #expect(try #require(call["end_reason"] as? String).contains("no capacity"))
  }
}
