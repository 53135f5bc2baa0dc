import CallModel
import CallStore
import Scoring
import Testing

@testable import Assessing

@Suite("Sound that its sender's own capture shows nobody sent any more")
struct UnsentToTheEndTests {
  private static let startMs = 1_000_000_000.0
  private static let ssrcs: [String: UInt32] = ["caller": 2_000_000_001, "callee": 2_000_000_002]

  /// A call of 30 s in captures at both ends, in which nothing of the caller comes to the callee after 15 s: states of the callee's
  /// windows. The caller sends until `lastSent`, and hears the callee until `lastHeard`; the callee still gets its checks.
  private func states(lastSent: Double, lastHeard: Double = 30) throws -> [WindowState] {
    let call = try EndsOfOneCall()
    for (end, far) in [("caller", "callee"), ("callee", "caller")] {
      try call.write(end, format: .pcap) { writer in
        for (number, direction) in [StreamDirection.outbound, .inbound].enumerated() {
          var stream = StreamFacts()
          (stream.source, stream.direction, stream.kind) = (.capture, direction, .audio)
          stream.clockRate = 48_000
          stream.ssrc = Self.ssrcs[direction == .outbound ? end : far]
          try writer.stream(number, of: 0, stream)
          let isCallers = (end == "caller") == (direction == .outbound)
          let last =
            isCallers ? (end == "caller" ? lastSent : 15) : (end == "caller" ? lastHeard : 30)
          for second in stride(from: 1.0, through: end == "caller" ? last : 30, by: 1) {
            let came = min(second, last)
            var sample = Sample(timeMs: Self.startMs + second * 1000)
            sample[.packets] = came * 50
            sample[.expected] = came * 50
            sample[.lost] = 0
            sample[.lastPacketMs] = Self.startMs + came * 1000
            try writer.sample(sample, of: number, extra: nil)
          }
          var totals = StreamTotals()
          (totals.firstMs, totals.lastMs) = (Self.startMs, Self.startMs + last * 1000)
          totals.packets = Int(last) * 50
          try writer.totals(totals, of: number)
        }
        for second in stride(from: 16.5, to: 30, by: 2) where end == "callee" {
          try writer.transport(TransportSample(timeMs: Self.startMs + second * 1000), of: 0)
        }
      }
    }
    let store = try call.finished()
    let key = try #require(try store.query("SELECT call_key FROM calls").rows.first?.first?.number)
    let stored = try #require(try store.call(Int64(key)))
    let ends = try CallAssessment(
      stored, from: store, model: .standard, readers: Readers(of: store, most: 1)
    )
    .ends
    let callee = try #require(ends.first { $0.endpoint.name == "callee" })
    return (callee.windows[.capture] ?? PackedWindows()).map(\.state)
  }

  @Test("is not missed; what was sent, or stopped because the way was broken, is")
  func silence() throws {
    let muted = try states(lastSent: 15)
    #expect(muted.count >= 5 && muted.last == .silent)
    #expect(try states(lastSent: 30).last == .stalled)
    #expect(try states(lastSent: 15, lastHeard: 14).last == .stalled)
  }
}
