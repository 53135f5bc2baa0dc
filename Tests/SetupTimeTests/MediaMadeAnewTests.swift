import CallModel
import Testing

@testable import SetupTime

@Suite("Media that an end hangs up to offer others at once")
struct MediaMadeAnewTests {
  private func left(_ lines: String...) -> [String] {
    MediaRenegotiation.left(of: script(lines)).map { "\(Int(($0.timeMs ?? 0) - 1_000_000)) \($0.event)" }
  }

  @Test("the end is none where an offer follows within a second that is taken up, and one where either lacks")
  func ends() {
    let end = #"100 call.ended {"by":"local"}"#
    #expect(
      left(end, "150 sdp.offer-sent", "300 sdp.answer-received") == [
        "150 sdp.offer-sent", "300 sdp.answer-received",
      ])
    #expect(left(end, "150 sdp.offer-sent").count == 2)
    #expect(left(end, "1150 sdp.offer-sent", "1300 sdp.answer-received").count == 3)
    #expect(left("50 sdp.answer-received", end, "150 sdp.offer-sent").count == 3)
    #expect(left(end, "120 call.created", "150 sdp.offer-sent", "300 sdp.answer-received").count == 4)
    #expect(
      left(#"100 call.ended {"by":"remote"}"#, "150 sdp.offer-sent", "300 sdp.answer-received").count == 3)
  }

  @Test("each end has the opening that comes next: several in one call are each made anew")
  func several() {
    let again = left(
      #"100 call.ended {"by":"local"}"#, "150 sdp.offer-sent", "300 sdp.answer-received",
      #"900 call.ended {"by":"local"}"#, "950 sdp.offer-sent", "990 sdp.answer-received",
      #"5000 call.ended {"by":"local"}"#)
    #expect(again.filter { $0.hasSuffix("ended") } == ["5000 call.ended"])
  }
}
