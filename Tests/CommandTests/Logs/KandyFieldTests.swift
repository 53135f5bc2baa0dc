import Foundation
import Testing

@Suite("Logs of Kandy's SDK, from the field")
struct KandyFieldTests {
  @Test("A call that could not be established is one of its own, with its own code")
  func failure() throws {
    let calls = try FieldLog("sdk-a-03-kandy.log").calls()
    #expect(calls.compactMap { $0["outcome"] as? String } == ["completed", "rejected"])
    #expect(calls.compactMap { $0["end_code"] as? String } == ["9901", "403"])
  }

  @Test("ICE without its checks is counted from the answer, and late ICE is a finding")
  func ice() throws {
    let log = FieldLog("sdk-a-07-in.log")
    let phases = try #require(try log.setup()["phases"] as? [[String: Any]])
    let ice = try #require(phases.first { $0["phase"] as? String == "ice" })
    #expect(ice["duration_ms"] as? Double == 7010)
    #expect(try log.findings() == ["late-ice"])
  }

  @Test("An outgoing call has setup and ringing from its states alone")
  func states() throws {
    let call = try FieldLog("sdk-a-08-in.log").call()
    #expect(call["setup_ms"] as? Double == 1900)
    #expect(call["ringing_ms"] as? Double == 5100)
  }

  @Test("The code within a state counts", arguments: ["callback.jsonl", "run.jsonl"])
  func nested(file: String) throws {
    let call = try FieldLog("sdk-a-09-\(file)").call()
    #expect(call["outcome"] as? String == "dropped")
    #expect(call["end_code"] as? String == "9906")
  }

  @Test("What the far end gave as its reason is the reason")
  func reason() throws {
    let log = FieldLog("sdk-a-10-in.log")
    #expect(try log.call()["end_reason"] as? String == "agent closed the case")
    #expect(try log.story().contains("(agent closed the case)"))
  }

  @Test("The call's id and its session's are of one call")
  func ids() throws {
    let call = try FieldLog("sdk-a-11-in.log").call()
    #expect(call["call_id"] as? String == "sess-1")
    #expect(call["setup_ms"] as? Double == 1100)
  }

  @Test("Who was called, and to whom the call was handed, can be found")
  func callee() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("callqa-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = Tool.root.appendingPathComponent("Tests/CommandTests/Field/sdk-a-12-in.log").path
    try Tool.run("import", file, in: folder)
    #expect(try Tool.run("find", "bob@domain", "--json", in: folder).objects().count == 1)
    #expect(try Tool.run("find", "erin@domain", "--json", in: folder).objects().count == 1)
    #expect(try FieldLog("sdk-a-12-in.log").setup()["start_ms"] as? Double == 1_795_514_404_010)
  }

  @Test("Of a call that both ends hold each holds its own time")
  func hold() throws {
    let log = FieldLog("sdk-a-13-in.log")
    let call = try log.call()
    #expect(call["held_local_ms"] as? Double == 10_000)
    #expect(call["held_remote_ms"] as? Double == 11_000)
    #expect(try log.lasted("call.double-held") == 5000)
    #expect(try log.lasted("call.remotely-held") == 6000)
  }

  @Test("A push wakes from when it came, not from when it was handed on")
  func push() throws {
    #expect(try FieldLog("sdk-a-18-in.log").lasted("push.received") == 2100)
  }

  @Test("States are named after what they are")
  func names() throws {
    let names = try FieldLog("sdk-a-22-kandy.log").events().compactMap { $0["event"] as? String }
    #expect(
      names == [
        "call.established", "call.remotely-held", "call.resumed", "call.updated", "call.updated",
        "call.ended",
        "session.unregistered", "session.closed",
      ])
  }

  @Test("The words of an error are the reason of the end")
  func error() throws {
    let call = try FieldLog("sdk-a-24-kandy.log").call()
    #expect(call["outcome"] as? String == "failed")
    #expect(call["end_reason"] as? String == "No audio device")
  }
}
