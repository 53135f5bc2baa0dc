import CallModel
import Scoring
import Testing

/// Sound that was sent by the far end's own count.
@Suite("Findings on what the far end reports to have sent")
struct SenderProofTests: FindingSuite {
  private func context(_ raw: String, _ args: String) -> FindingContext {
    var context = FindingContext()
    context.events = [
      EventRecord(timeMs: Trace.start + 10_000, event: .unknown, raw: raw, args: args)
    ]
    return context
  }

  private func found(_ trace: Trace?, _ raw: String, _ sent: Int) -> [Finding] {
    let args = #"{"sent_packets":\#(sent),"until_ms":\#(Int(Trace.start) + 40_000)}"#
    guard let trace else {
      var scan = FindingScan(streams: [])
      return scan.finish(context(raw, args))
    }
    return findings(trace, context(raw, args))
  }

  @Test(
    "alone it tells of sound that was lost, or of none that was sent",
    arguments: ["capture.unheard", "capture.sent-after"])
  func alone(raw: String) throws {
    let lost = try #require(found(nil, raw, 1500).first)
    #expect(lost.name == "one-way-audio" && lost.severity == .error)
    #expect(lost.evidence.json.contains(#""by":"sender reports","sent_packets":1500"#), "\(lost.evidence)")
    let unsent = try #require(found(nil, raw, 0).first)
    #expect(unsent.name == "far-end-silent" && unsent.severity == .info)
    #expect(found(nil, "capture.lost-between", 1500).isEmpty, "what ended is in the score")
  }

  @Test("beside one-way audio it is its proof, or takes it back")
  func beside() throws {
    let trace = healthy(received: { min($0, 10) })
    let lost = found(trace, "capture.sent-after", 1500)
    #expect(lost.map(\.name) == ["one-way-audio"])
    #expect(lost.first?.evidence.json.contains(#""sent_packets":1500"#) == true)
    #expect(found(trace, "capture.sent-after", 0).map(\.name) == ["far-end-silent"])
    let numbers = found(trace, "capture.lost-between", 1500)
    #expect(numbers.first?.evidence.json.contains(#""by":"sequence numbers""#) == true)
  }
}
