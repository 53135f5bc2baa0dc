import Foundation
import Testing

@Suite("Verdicts on calls from the field")
struct FieldVerdictTests {
  private func field(_ name: String) throws -> JudgedCall { try JudgedCall("field/\(name)") }

  @Test("one way after a hold: missing from the un-hold to the end, and the far end sent nothing")
  func afterHold() throws {
    let call = try field("call-01")
    let answer = try call.answer()
    #expect(
      answer.hasPrefix("silent: caller, audio, 0:42 to end (28 s), not-sent; basis: packets "), "\(answer)")
    #expect(answer.contains("taken back from hold, and the far end sent nothing"))
    #expect(answer.contains("nothing reached the caller for 28 s, from 0:42"))
    let row = try call.row()
    #expect(row["broken"] as? Int == 1)
    #expect(row["score_endpoint"] as? String == "caller")
    let windows = try Tool.run(["extract", "--only", "score"] + call.files).objects()
    let after = windows.filter {
      $0["endpoint"] as? String == "caller" && ($0["window_index"] as? Int ?? 0) >= 9
    }
    #expect(after.count >= 5)
    #expect(after.allSatisfy { $0["score"] as? Int == 0 }, "nothing was heard after the hold")
    #expect(try #require(row["poor_share"] as? Double) > 0.5)
  }

  @Test("why a call ended names the frame of a capture that says so")
  func frame() throws {
    #expect(
      try field("call-07").row()["why"] as? String
        == "it was established, and ended normally (the end itself: SIP BYE, frame 1206 of callee)")
  }

  @Test("an outage is counted to where the call ended, not to 30 s behind the last packet")
  func outage() throws {
    let call = try field("call-02")
    let answer = try call.answer()
    #expect(
      answer.hasPrefix("not-sent: caller, audio, 0:32 to end (90 s); basis: packets "),
      "nothing of it shows that anything was sent: \(answer)")
    #expect(!answer.contains("heard each other well"))
    let row = try call.row()
    #expect(row["score_endpoint"] as? String == "caller")
    #expect(try #require(row["score_mean"] as? Double).rounded() == 25)
    #expect(try #require(row["poor_share"] as? Double) == 0.75)
  }

  @Test("half a call without packets is poor by half, and no MOS leaves that out")
  func stalled() throws {
    let call = try field("call-03")
    let answer = try call.answer()
    #expect(answer.hasPrefix("silent: caller, audio, 0:19 to 0:49 (30 s), lost-on-path; basis: one end "))
    let row = try call.row()
    #expect(row["broken"] as? Int == 1)
    #expect(row["poor_share"] as? Double == 0.5)
    #expect(try #require(row["score_mean"] as? Double).rounded() == 50)
    let opinion = row["mos"] as? Double
    #expect(opinion.map { $0 < 3 } ?? true, "\(opinion ?? 0)")
  }

  @Test("a relay that receives sound and does not pass it on is named")
  func relay() throws {
    let call = try field("call-04")
    let answer = try call.answer()
    #expect(answer.hasPrefix("silent: caller, audio, 0:10 to end (20 s), not-forwarded; basis: packets "))
    #expect(answer.contains("203.0.113.5 received it and did not pass it on"))
    let row = try call.row()
    #expect(row["broken"] as? Int == 1)
    #expect(row["score_endpoint"] as? String == "caller")
    // A third of the time was heard, and the rest was not.
    let score = try #require(row["score_mean"] as? Double)
    #expect(score < 40, "\(score)")
    #expect(try #require(row["poor_share"] as? Double) > 0.5)
  }

  @Test(
    "what a receiver has to throw away did not reach an ear",
    arguments: [
      ("call-06", "0:10 to end (10 s)", "srtp-sequence-reset"),
      ("call-07", "0:02 to end (12 s)", "payload-type-not-agreed"),
    ])
  func undecodable(name: String, when: String, code: String) throws {
    let call = try field(name)
    let answer = try call.answer()
    #expect(answer.hasPrefix("silent: caller, audio, \(when), undecodable; basis: packets "), "\(answer)")
    #expect(!answer.contains("heard each other well"))
    #expect(try call.findings().contains(code))
    #expect(try call.row()["broken"] as? Int == 1)
  }

  @Test("digital silence all along is no sound, and nothing proves that any was to be heard")
  func digitalSilence() throws {
    let call = try field("call-08")
    let answer = try call.answer()
    #expect(answer.hasPrefix("not-sent: caller, audio, 0:02 to end (12 s), silent-source; basis: packets "))
    #expect(!answer.contains("heard each other well"))
    #expect(try call.row()["broken"] as? Int == 0)
  }

  @Test("a stream that begins on the direct way is of the call that moved there")
  func relayToDirect() throws {
    let call = try field("call-12")
    #expect(try call.row()["verdict"] as? String == "good")
    let streams = try Tool.run(["extract", "--only", "streams"] + call.files).objects()
    #expect(Set(streams.compactMap { $0["ssrc"] as? Int }).count == 3)
  }

  @Test("time that jumps ahead is reported")
  func jump() throws {
    let call = try field("call-13")
    #expect(try call.findings() == ["timestamp-jump"])
    #expect(try call.shown().contains("stepped forward by 112496 s"))
  }

  @Test("under a second of record is no bitrate, and no call to judge")
  func burst() throws {
    let call = try field("call-14")
    #expect(try !call.shown().contains("b/s"))
    #expect(try call.row()["verdict"] as? String == "unjudged")
  }

  @Test("a handshake was repeated after the time of its own first flight")
  func handshake() throws {
    let shown = try field("call-17").shown()
    #expect(shown.contains("first after 100 ms"), "\(shown)")
    #expect(!shown.contains("first after 47 ms"))
  }
}
