import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("A stream of which only the capture at its sender has packets")
struct LostBetweenCapturesTests {
  private static let startMs = 1_000_000_000.0
  private static let addresses = ["caller": "10.0.0.1:20000", "callee": "10.0.0.2:30000"]
  private static let ssrcs: [String: UInt32] = ["caller": 2_000_000_001, "callee": 2_000_000_002]

  private enum AtTheCaller { case nothing, anotherStream, oneDirection, stopsEarly }

  /// The verdict on a minute of sound captured on the machines of both ends, the callee's clock ten minutes ahead. The
  /// caller's capture has none of the callee's stream.
  private func verdict(_ kind: MediaKind = .audio, _ there: AtTheCaller) throws -> String {
    let call = try EndsOfOneCall()
    for (end, other, aheadMs) in [("caller", "callee", 0.0), ("callee", "caller", 600_000)] {
      try call.write(end, format: .pcap) { writer in
        let start = Self.startMs + aheadMs
        try writer.addEvents(
          [(0, .callCreated), (1, .callRinging), (3, .callEstablished), (63, .callEnded)], from: start
        )
        if end == "caller", there == .oneDirection {
          try writer.event(
            EventRecord(timeMs: start + 3000, event: .unknown, raw: "capture.one-direction"), of: 0)
        }
        var streams: [(kind: MediaKind, direction: StreamDirection, ssrc: UInt32?, seconds: Double)] = []
        for medium in Set([.audio, kind]) {
          let (offset, isMissing) = (medium == .video ? UInt32(100) : 0, medium == kind && end == "caller")
          let ssrc = { (end: String) in Self.ssrcs[end].map { $0 + offset } }
          let seconds = isMissing && there == .stopsEarly ? 20.0 : 60
          streams.append((medium, .outbound, ssrc(end), seconds))
          if !isMissing {
            streams.append((medium, .inbound, ssrc(other), seconds))
          } else if there == .anotherStream {
            streams.append((medium, .inbound, 2_000_000_777, seconds))
          }
        }
        for (number, stream) in streams.enumerated() {
          var facts = StreamFacts()
          (facts.source, facts.direction, facts.kind) = (.capture, stream.direction, stream.kind)
          (facts.local, facts.remote) = (Self.addresses[end], Self.addresses[other])
          (facts.ssrc, facts.clockRate) = (stream.ssrc, stream.kind == .audio ? 8000 : 90_000)
          if stream.kind == .audio { facts.codec = "PCMU" }
          try writer.stream(number, of: 0, facts)
          for second in stride(from: 1.0, through: stream.seconds, by: 1) {
            var sample = Sample(timeMs: start + 3000 + second * 1000)
            (sample[.packets], sample[.expected], sample[.lost]) = (second * 50, second * 50, 0)
            sample[.lastPacketMs] = sample.timeMs
            if stream.kind == .audio {
              (sample[.totalSamples], sample[.concealedSamples]) = (second * 8000, 0)
            }
            try writer.sample(sample, of: number, extra: nil)
          }
          var totals = StreamTotals()
          (totals.firstMs, totals.lastMs) = (start + 3000, start + 3000 + stream.seconds * 1000)
          (totals.packets, totals.expected) = (Int(stream.seconds * 50), Int(stream.seconds * 50))
          try writer.totals(totals, of: number)
        }
      }
    }
    let store = try call.finished()
    try Assessor(store: store).assessStale()
    return try store.query("SELECT verdict, verdict_end, verdict_cause, verdict_rule FROM calls").rows[0]
      .compactMap(\.string).joined(separator: " ")
  }

  @Test("was lost on the way if the other capture has the opposite direction for as long")
  func lost() throws {
    #expect(try verdict(.audio, .nothing) == "silent caller lost-on-path sound-whole")
    #expect(try verdict(.video, .nothing) == "no-picture caller lost-on-path picture-whole")
  }

  @Test(
    "proves nothing if the other capture has another stream, one direction only, or ended early",
    arguments: [AtTheCaller.anotherStream, .oneDirection, .stopsEarly])
  private func unproven(_ there: AtTheCaller) throws {
    #expect(try !verdict(.video, there).hasPrefix("no-picture"))
  }
}
