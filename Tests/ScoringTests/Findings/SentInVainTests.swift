import CallModel
import Testing

@testable import Scoring

@Suite("What was sent and came to nothing")
struct SentInVainTests {
  @Test("what a receiver threw away, and what errors came back for, is told of a capture")
  func sentInVain() throws {
    func found(_ extra: String) -> [Finding] {
      var totals = StreamTotals()
      (totals.firstMs, totals.lastMs, totals.extra) = (0, 20_000, extra)
      var vain = UndeliveredMedia(.audio)
      vain.add(totals)
      return vain.findings
    }
    let thrown = found(#"{"receiver_reports":{"loss_share":0.000,"discard_share":0.102}}"#)
    #expect(thrown.map(\.name) == ["remote-loss"] && thrown.map(\.severity) == [.warning])
    #expect(
      thrown.first?.text
        == "The other end reports that it threw away 10 % of the sound it was sent: it came too late or too early."
    )
    #expect(found(#"{"receiver_reports":{"loss_share":0.000,"discard_share":0.012}}"#).isEmpty)
    let errors = found(
      #"{"returned":{"error":"host unreachable","count":20,"from_ms":1000,"until_ms":20000}}"#)
    #expect(errors.first?.startMs == 1000 && errors.first?.endMs == 20_000)
    #expect(errors.first?.text.contains("For 19 s") == true)
    let misled = found(
      #"{"astray":{"to":"192.168.1.5:4000","far_end":"203.0.113.7:21044","from_ms":1000,"until_ms":20000}}"#)
    #expect(misled.map(\.name) == ["remote-loss"] && misled.map(\.severity) == [.warning])
    #expect(misled.first?.text.contains("192.168.1.5:4000, a private address") == true)
    let moved = found(
      #"{"astray":{"to":"10.0.0.2:4000","far_end":"10.0.9.2:4000","named":true,"from_ms":1000,"until_ms":20000}}"#
    )
    #expect(moved.first?.text.contains("to 10.0.0.2:4000, while the far end, by SDP") == true)
    let unheard = found(#"{"not_received":{"packets":900,"from_ms":1000,"until_ms":19000}}"#)
    #expect(unheard.first?.text.hasPrefix("For 18 s nothing of the sound arrived") == true)
    #expect(unheard.first?.evidence.json.contains(#""not_received_ms":18000"#) == true)
  }
}
