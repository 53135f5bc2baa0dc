import CallModel
import Testing

@testable import Scoring

@Suite("Times without packets")
struct PacketGapTests {
  private static let startMs = 1_790_000_000_000.0

  /// The gaps of sound of which nothing came in a time, seconds; sender reports count what was sent where `reports` says so.
  private func gaps(
    missing: Range<Double>, until: Double = 40, _ source: StreamSource = .capture, numbered: Bool = true,
    reports: ((Double) -> Double)? = nil, followedUntil: Double? = nil, quiet: [QuietSpan] = []
  ) -> [PacketGap] {
    var facts = StreamFacts()
    (facts.source, facts.direction, facts.kind, facts.ssrc) = (source, .inbound, .audio, 1)
    (facts.codec, facts.clockRate) = ("PCMU", 8000)
    var scorer = EndpointScorer(
      streams: [facts], quiet: quiet, untilMs: followedUntil.map { Self.startMs + $0 * 1000 })
    for time in stride(from: 0.0, through: until, by: 1) {
      let last = missing.contains(time) ? missing.lowerBound : time
      let skipped = last < missing.upperBound ? 0 : missing.upperBound - missing.lowerBound
      var sample = Sample(timeMs: Self.startMs + time * 1000)
      sample.set(.packets, ((last - skipped) * 50).rounded())
      sample.set(.lost, numbered ? skipped * 50 : 0)
      sample.set(.lastPacketMs, Self.startMs + last * 1000)
      if let reports, time.truncatingRemainder(dividingBy: 5) == 0 {
        sample.set(.farPackets, reports(time))
        sample.set(.farPacketsMs, Self.startMs + time * 1000)
      }
      scorer.add(sample, of: 0)
    }
    _ = scorer.finish()
    return scorer.gaps(of: .audio).filter { $0.lengthMs >= 2500 }
  }

  @Test("missing numbers prove that sound was lost, from the last packet before to the first after")
  func lost() throws {
    let gap = try #require(gaps(missing: 13.6..<21.6).first)
    #expect(gap.isLost && gap.proof == .sequenceNumbers && !gap.isOpen)
    #expect(abs(gap.startMs - Self.startMs - 13_600) <= 50)
    #expect(abs(gap.endMs - Self.startMs - 21_600) <= 50)
  }

  @Test("numbers that go on prove that nothing was sent")
  func unsent() throws {
    let gap = try #require(gaps(missing: 13.6..<21.6, numbered: false).first)
    #expect(!gap.isLost && gap.proof == .sequenceNumbers)
  }

  @Test("what the sender counts and did not come is lost, up to the end that the capture follows the call to")
  func lostByReports() throws {
    let gap = try #require(gaps(missing: 13..<41, reports: { $0 * 50 }, followedUntil: 90).first)
    #expect(gap.isLost && gap.proof == .senderReports && gap.isOpen)
    #expect(gap.endMs == Self.startMs + 90_000)
  }

  @Test("a sender that counts no more has sent nothing: a voicemail that records")
  func unsentByReports() throws {
    let gap = try #require(gaps(missing: 13..<41, reports: { min($0, 13) * 50 }).first)
    #expect(!gap.isLost && gap.proof == .senderReports && gap.isOpen)
  }

  @Test("without any report nothing explains it")
  func unexplained() throws {
    let gap = try #require(gaps(missing: 13..<41, followedUntil: 60).first)
    #expect(gap.isLost && gap.isUnexplained && gap.isOpen)
  }

  @Test("after a hold sound was asked for again: what does not come from then on is missing")
  func afterHold() throws {
    let held = QuietSpan(startMs: Self.startMs + 13_000, endMs: Self.startMs + 20_000)
    let last = try #require(gaps(missing: 13..<41, quiet: [held]).last)
    #expect(last.isLost && last.proof == .signalling && !last.isUnexplained)
    #expect(last.startMs == Self.startMs + 20_000)
  }
}
