import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("What is missing is lost only where something shows that it was sent")
struct MissingMediaTests {
  private static let startMs = 1_000_000_000.0

  /// A stream of statistics: packets by the second, and others of its counters.
  private struct Counted {
    var direction: StreamDirection
    var kind = MediaKind.audio
    var packets: (Double) -> Double
    var more: (Double, inout Sample) -> Void = { _, _ in }
    /// From and to which second it is reported.
    var reported = 1.0...60
  }

  /// The verdict on a minute of a call by the statistics of its ends.
  private func verdict(_ ends: [(name: String, streams: [Counted])]) throws -> String {
    let call = try EndsOfOneCall()
    for end in ends {
      try call.write(end.name) { writer in
        for (number, stream) in end.streams.enumerated() {
          var facts = StreamFacts()
          (facts.direction, facts.kind, facts.ssrc) = (stream.direction, stream.kind, UInt32(number + 1))
          try writer.stream(number, of: 0, facts)
        }
        for second in stride(from: 1.0, through: 60, by: 1) {
          var path = TransportSample(timeMs: Self.startMs + second * 1000)
          (path.bytesReceived, path.rttMs) = (second * 1000, 20)
          (path.pair, path.local, path.remote) = ("P", "10.0.0.1:5000", "192.0.2.1:6000")
          try writer.transport(path, of: 0)
          for (number, stream) in end.streams.enumerated() where stream.reported.contains(second) {
            var sample = Sample(timeMs: Self.startMs + second * 1000)
            sample[.packets] = stream.packets(second)
            if stream.direction == .inbound { sample[.lost] = 0 }
            stream.more(second, &sample)
            try writer.sample(sample, of: number, extra: nil)
          }
        }
      }
    }
    let store = try call.finished()
    try Assessor(store: store).assessStale()
    let row = try store.query("SELECT verdict, verdict_end, verdict_cause, verdict_rule FROM calls").rows
      .first
    return (row ?? []).compactMap(\.string).joined(separator: " ")
  }

  private func played(_ second: Double, _ sample: inout Sample) {
    sample[.totalSamples] = second * 48_000
    sample[.totalSamplesDurationMs] = second * 1000
    sample[.jitterBufferEmitted] = second * 48_000
    sample[.jitterBufferDelayMs] = second * 48_000 * 30
    sample[.totalAudioEnergy] = second * 0.002
  }

  private func spoken(_ second: Double, _ sample: inout Sample) {
    sample[.totalAudioEnergy] = second * 0.002
    sample[.totalSamplesDurationMs] = second * 1000
  }

  private var sending: Counted { Counted(direction: .outbound, packets: { $0 * 50 }, more: spoken) }

  private func hearing(_ packets: @escaping (Double) -> Double = { $0 * 50 }) -> Counted {
    Counted(direction: .inbound, packets: packets) { [self] in played(min($0, packets($0) / 50), &$1) }
  }

  @Test("sound that stops at one end, of which nobody counts what was sent, was not sent")
  func stops() throws {
    let cut: (Double) -> Double = { min($0, 30) * 50 }
    #expect(try verdict([("callee", [sending, hearing(cut)])]) == "not-sent callee not-sent not-sent-to-end")
    var counted = hearing(cut)
    let others = counted.more
    counted.more = { second, sample in
      others(second, &sample)
      sample[.farPackets] = second * 50
      sample[.farPacketsMs] = Self.startMs + second * 1000
    }
    #expect(try verdict([("callee", [sending, counted])]) == "silent callee lost-on-path sound-to-end")
    #expect(
      try verdict([("callee", [sending, hearing(cut)]), ("caller", [sending, hearing()])])
        == "silent callee lost-on-path sound-to-end")
  }

  @Test("who leaves takes the report of its sound along, and nothing is missing")
  func leaves() throws {
    var gone = hearing()
    gone.reported = 1...30
    #expect(try verdict([("callee", [sending, gone])]).hasPrefix("good"))
  }

  @Test("sound that the other end sent is missed also where no stream of it was ever reported")
  func neverReported() throws {
    let ends = [("callee", [sending]), ("caller", [sending, hearing()])]
    #expect(try verdict(ends) == "silent callee lost-on-path sound-whole")
    #expect(
      try verdict([("callee", [sending, hearing()]), ("caller", [sending, hearing()])]).hasPrefix("good"))
  }

  @Test("a camera that sends no packets any more is switched off, where only one end tells")
  func cameraOff() throws {
    func seeing(_ packets: @escaping (Double) -> Double, sent: ((Double) -> Double)? = nil) -> Counted {
      Counted(direction: .inbound, kind: .video, packets: packets) { second, sample in
        sample[.frames] = min(second, packets(second) / 100) * 25
        sample[.framesReceived] = sample[.frames]
        if let sent {
          sample[.farPackets] = sent(second)
          sample[.farPacketsMs] = Self.startMs + second * 1000
        }
      }
    }
    let off: (Double) -> Double = { min($0, 30) * 100 }
    #expect(try verdict([("callee", [sending, hearing(), seeing(off)])]).hasPrefix("good"))
    #expect(try verdict([("callee", [sending, hearing(), seeing(off, sent: off)])]).hasPrefix("good"))
    #expect(
      try verdict([("callee", [sending, hearing(), seeing(off, sent: { $0 * 100 })])])
        == "no-picture callee lost-on-path picture-to-end")
  }

  @Test("loss of the picture at the far end is none of its sound")
  func lossAtFarEnd() throws {
    func reported(_ kind: MediaKind) -> Counted {
      Counted(direction: .outbound, kind: kind, packets: { $0 * 50 }) { second, sample in
        sample[.lost] = second * 10
        sample[.rttMs] = 20 + second
      }
    }
    #expect(try verdict([("caller", [sending, hearing(), reported(.video)])]).hasPrefix("good"))
    #expect(try verdict([("caller", [reported(.audio)])]) == "poor caller loss-at-far-end")
  }
}
