import CallModel
import CallStore
import Scoring
import Testing

@testable import Assessing

@Suite("A stream whose codec changes while the call goes on")
struct ChangedCodecTests {
  private static let startMs = 1_000_000_000.0
  private static let ssrc: UInt32 = 7

  /// A minute of sound of which 2 % is concealed throughout, with a codec up to `changeAt` seconds, and another one after it.
  private func end(_ first: String, _ second: String?, changeAt: Double = 0) throws -> EndpointAssessment {
    let call = try EndsOfOneCall()
    try call.write("caller", format: .getstatsLines) { writer in
      var facts = StreamFacts()
      (facts.direction, facts.kind, facts.ssrc, facts.codec) = (.inbound, .audio, Self.ssrc, first)
      if first == "opus" { (facts.clockRate, facts.fmtp) = (48_000, "useinbandfec=1") }
      try writer.stream(0, of: 0, facts)
      for second in stride(from: 1.0, through: 60, by: 1) {
        var sample = Sample(timeMs: Self.startMs + second * 1000)
        sample[.packets] = second * 49
        sample[.lost] = second
        sample[.bytes] = second * 49 * 160
        sample[.totalSamples] = second * 48_000
        sample[.concealedSamples] = second * 960
        sample[.silentConcealedSamples] = 0
        sample[.lastPacketMs] = sample.timeMs
        try writer.sample(sample, of: 0, extra: nil)
      }
      guard let second else { return }
      var other = StreamFacts()
      (other.direction, other.codec) = (.inbound, second)
      try writer.stream(0, of: 0, other)
      var event = EventRecord(
        timeMs: Self.startMs + changeAt * 1000, event: .mediaCodecChanged, raw: "codecId")
      event.args =
        #"{"direction":"inbound","ssrc":\#(Self.ssrc),"mid":"0","from":"\#(first)","to":"\#(second)"}"#
      try writer.event(event, of: 0)
    }
    let store = try call.finished()
    let key = try #require(try store.query("SELECT call_key FROM calls").rows.first?.first?.number)
    let stored = try #require(try store.call(Int64(key)))
    return try #require(
      CallAssessment(stored, from: store, model: .standard, readers: Readers(of: store, most: 1)).ends.first)
  }

  private func scores(_ end: EndpointAssessment) -> [Int?] {
    (end.windows[.stats] ?? PackedWindows()).map(\.score)
  }

  @Test("is judged in each window by the codec it had then")
  func windows() throws {
    let (opus, pcmu) = (scores(try end("opus", nil)), scores(try end("PCMU", nil)))
    try #require(opus.count == 12 && opus[2] != pcmu[2])
    let changed = scores(try end("opus", "PCMU", changeAt: 30))
    #expect(Array(changed[..<6]) == Array(opus[..<6]))
    #expect(Array(changed[6...]) == Array(pcmu[6...]))
  }

  @Test("has the opinion of the codec that it had longest")
  func mos() throws {
    let changed = try end("opus", "PCMU", changeAt: 45)
    #expect(try #require(changed.mos).scale == .fullband)
    #expect(try #require(end("opus", "PCMU", changeAt: 15).mos).scale == .narrowband)
    let stream = try #require(changed.choice.judges.first)
    #expect(stream.facts.codec == "PCMU" && stream.facts.clockRate == nil && stream.facts.fmtp == nil)
  }
}
