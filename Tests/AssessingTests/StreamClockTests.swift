import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("The clocks of two ends without a log are compared by their streams")
struct StreamClockTests {
  /// The verdict on a minute in which the caller sends nothing in the second half, and the offset found; the callee's
  /// clock is ahead. Of the callee's sound the caller recorded `recorded`.
  private func judge(aheadMs: Double, recorded: ClosedRange<Double> = 1...60) throws -> (
    verdict: String, skew: String?
  ) {
    let call = try EndsOfOneCall()
    for end in ["caller", "callee"] {
      let start = MinuteOfCall.startMs + (end == "callee" ? aheadMs : 0)
      let span = end == "caller" ? recorded : 1...60
      try call.write(end) { writer in
        for (number, direction) in [StreamDirection.outbound, .inbound].enumerated() {
          let isCallers = (end == "caller") == (direction == .outbound)
          var stream = StreamFacts()
          (stream.direction, stream.kind) = (direction, .audio)
          stream.ssrc = isCallers ? 2_000_000_001 : 2_000_000_002
          try writer.stream(number, of: 0, stream)
          var totals = StreamTotals()
          for second in stride(from: span.lowerBound, through: span.upperBound, by: 1) {
            var sample = Sample(timeMs: start + second * 1000)
            sample[.packets] = 50 * (isCallers ? min(second, 30) : second)
            if direction == .inbound { sample[.lost] = 0 }
            MinuteOfCall.played(isCallers ? min(second, 30) : second, &sample)
            try writer.sample(sample, of: number, extra: nil)
            totals.packets = Int(sample[.packets] ?? 0)
          }
          (totals.firstMs, totals.lastMs) = (start + span.lowerBound * 1000, start + span.upperBound * 1000)
          try writer.totals(totals, of: number)
        }
      }
    }
    let store = try call.finished()
    try Assessor(store: store).assessStale()
    let verdict = try store.query("SELECT verdict, verdict_cause FROM calls").rows[0].compactMap(\.string)
    let skew = try store.query("SELECT evidence FROM findings WHERE code = 'clock-skew'").rows.first?.first
    return (verdict.joined(separator: " "), skew?.string)
  }

  @Test("what was not sent is not lost because a clock is off", arguments: [-40_000.0, 40_000, 3_600_000])
  func unsent(aheadMs: Double) throws {
    let (verdict, skew) = try judge(aheadMs: aheadMs)
    #expect(verdict == "not-sent not-sent")
    #expect(skew?.contains("\(Int(abs(aheadMs)))") == true, "\(skew ?? "none")")
    #expect(try judge(aheadMs: 0) == ("not-sent not-sent", nil))
  }

  @Test("an end that was recorded for less of the time has no clock of its own")
  func recordedLess() throws {
    #expect(try judge(aheadMs: 0, recorded: 11...60).skew == nil)
    #expect(try judge(aheadMs: 0, recorded: 1...50).skew == nil)
  }
}
