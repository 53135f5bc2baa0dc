import CallModel
import CallStore
import Scoring
import Testing

@testable import Assessing

@Suite("What the end that shares a screen tells of it counts at the end that sees it")
struct SharedScreenTests {
  private static let ssrc: UInt32 = 2_000_000_001

  /// A call in which a shared screen shows nothing new for 8 s, by the statistics of both its ends; `rate` frames a second came
  /// from the source meanwhile. The caller's clock may be ahead.
  private func freezePoints(rate: Double?, aheadMs: Double = 0, sentAs ssrc: UInt32 = Self.ssrc) throws -> Int
  {
    let call = try EndsOfOneCall()
    for (end, direction) in [("caller", StreamDirection.outbound), ("callee", .inbound)] {
      let ownMs = 1_000_000_000 + (end == "caller" ? aheadMs : 0)
      try call.write(end) { writer in
        let offer: EventName = end == "caller" ? .sdpOfferSent : .sdpOfferReceived
        let answer: EventName = end == "caller" ? .sdpAnswerReceived : .sdpAnswerSent
        try writer.addEvents(
          [
            (0, .callCreated), (0.02, offer), (0.06, answer), (0.1, .callEstablished), (31, .callEnded),
          ],
          from: ownMs)
        var stream = StreamFacts()
        (stream.direction, stream.kind, stream.screen) = (direction, .video, true)
        stream.ssrc = direction == .outbound ? ssrc : Self.ssrc
        try writer.stream(0, of: 0, stream)
        for second in stride(from: 1.0, through: 30, by: 1) {
          let missing = min(max(0, second - 10), 8)
          var sample = Sample(timeMs: ownMs + second * 1000)
          sample[.packets] = (second - missing) * 50 + missing
          sample[.frames] = (second - missing) * 15
          if direction == .outbound {
            sample[.framesCaptured] = rate.map { (second - missing) * 15 + missing * $0 }
          } else {
            sample[.lost] = 0
            sample[.freezeCount] = second > 18 ? 1 : 0
            sample[.freezeMs] = second > 18 ? 8000 : 0
          }
          try writer.sample(sample, of: 0, extra: nil)
        }
      }
    }
    let store = try call.finished()
    let key = try #require(try store.query("SELECT call_key FROM calls").rows.first?.first?.number)
    let stored = try #require(try store.call(Int64(key)))
    let ends = try CallAssessment(stored, from: store, model: .standard, readers: Readers(of: store, most: 1))
      .ends
    let callee = try #require(ends.first { $0.endpoint.name == "callee" })
    return (callee.windows[.stats] ?? PackedWindows()).reduce(0) { $0 + ($1.pointsLost?[.freeze] ?? 0) }
  }

  @Test("a source that moved tells a freeze from a page that stood still")
  func moved() throws {
    #expect(try freezePoints(rate: 15) > 30)
    for rate in [nil, 0, 1.0] { #expect(try freezePoints(rate: rate) == 0) }
  }

  @Test("on the clock of the end that sees it, and of its own picture alone")
  func clocks() throws {
    #expect(try freezePoints(rate: 15, aheadMs: 3_600_000) > 30)
    #expect(try freezePoints(rate: 15, sentAs: 2_000_000_002) == 0)
  }
}
