import CallModel
import Testing

@testable import Captures

@Suite("RTCP in the clear")
struct ClearRTCPTests {
  private typealias C = CaptureBuilder

  /// A receiver report with one block about the voice of `addVoice`.
  private func report(fraction: UInt8, lost: Int, jitter: Int, answers ntp: Int = 0) -> [UInt8] {
    [0x81, 201] + C.be16(7) + C.be32(0x5566_7788) + C.be32(0x1122_3344) + [fraction]
      + [UInt8(truncatingIfNeeded: lost >> 16)] + C.be16(lost) + C.be32(5000) + C.be32(jitter) + C.be32(ntp)
      + C.be32(0)
  }

  private func extended(_ sender: Int, _ block: [UInt8]) -> [UInt8] {
    let body = C.be32(sender) + block
    return [0x80, 207] + C.be16(body.count / 4) + body
  }

  private func read(_ add: (inout CaptureBuilder) -> Void) throws -> Recorder {
    var builder = CaptureBuilder()
    builder.addVoice(count: 500)
    add(&builder)
    builder.frames.sort { $0.timeUs < $1.timeUs }
    return try Recorder.read(builder.pcap())
  }

  @Test("what the receiver reports stands beside what passed here")
  func reports() throws {
    let read = try read {
      $0.addUDP(report(fraction: 128, lost: 40, jitter: 80), atMs: 3000, back: true)
      $0.addUDP(report(fraction: 0, lost: 41, jitter: 160), atMs: 8000, back: true)
    }
    let stream = try #require(read.streams.first { $0.facts.ssrc == 0x1122_3344 })
    #expect(stream.totals.lost == 0)
    #expect(
      stream.totals.extra?.contains(
        #""receiver_reports":{"count":2,"lost":41,"worst_fraction_lost":0.500,"jitter_ms":20.000}"#) == true,
      "\(stream.totals.extra ?? "")")
    #expect(stream.totals.extra?.contains(#""lost_beyond":{"lost":1,"missing":0,"packets":250}"#) == true)
    let fractions = read.samples.values.flatMap { $0 }.compactMap { $0[.fractionLost] }
    #expect(fractions == [0.5, 0], "each report once")
  }

  @Test("what is missing here and was not lost by its receiver's reports was missed by the capture")
  func uncaptured() throws {
    func missed(reported: Int) throws -> [EventRecord] {
      var builder = CaptureBuilder()
      builder.addVoice(count: 500, without: Set(200..<300))
      builder.addUDP(report(fraction: 0, lost: 0, jitter: 0), atMs: 3000, back: true)
      builder.addUDP(report(fraction: 0, lost: reported, jitter: 0), atMs: 7990, back: true)
      builder.frames.sort { $0.timeUs < $1.timeUs }
      return try Recorder.read(builder.pcap()).events.filter { $0.raw == "capture.missed" }
    }
    let event = try #require(try missed(reported: 0).first)
    #expect(event.argument("missing") == "100" && event.argument("expected") == "400")
    #expect(event.timeMs == 1_700_000_003_000)
    #expect(event.argument("until_ms").flatMap(Double.init) == 1_700_000_007_990)
    #expect(try missed(reported: 100).isEmpty && missed(reported: 140).isEmpty)
  }

  @Test("a highest number that stands still while packets are sent: none of them arrived")
  func standsStill() throws {
    func extra(_ highest: [(ms: Double, number: Int)]) throws -> String {
      let read = try read {
        $0.addVoice(count: 1000)
        for (ms, number) in highest {
          var block = report(fraction: 0, lost: 0, jitter: 0)
          block.replaceSubrange(16..<20, with: C.be32(number))
          $0.addUDP(block, atMs: ms, back: true)
        }
      }
      return try #require(read.streams.first { $0.facts.ssrc == 0x1122_3344 }?.totals.extra)
    }
    let still = try extra([(3000, 240), (8000, 480), (13_000, 480), (18_000, 480)])
    #expect(
      still.contains(
        #""not_received":{"packets":500,"from_ms":1700000008000.000,"until_ms":1700000019980.000}"#),
      "\(still)")
    #expect(try !extra([(3000, 240), (8000, 480), (13_000, 740), (18_000, 990)]).contains("not_received"))
    #expect(
      try !extra([(3000, 7777), (8000, 7777), (13_000, 7777)]).contains("not_received"), "numbers of its own")
    let again = try extra([(3000, 240), (8000, 240), (9000, 540), (14_000, 790), (19_000, 1040)])
    #expect(again.contains(#""from_ms":1700000003000.000,"until_ms":1700000008000.000}"#), "\(again)")
  }

  @Test("duplicates make reported loss negative")
  func negative() throws {
    let read = try read { $0.addUDP(report(fraction: 0, lost: -3, jitter: 0), atMs: 3000, back: true) }
    #expect(read.streams.first?.totals.extra?.contains(#""lost":-3"#) == true)
  }

  @Test("VoIP metrics are reported, what is unavailable is not")
  func voip() throws {
    let block: [UInt8] =
      [7, 0] + C.be16(8) + C.be32(0x1122_3344) + [26, 13, 0, 0] + C.be16(0) + C.be16(0) + C.be16(150)
      + C.be16(60) + [0, 0, 0, 16, 82, 127, 41, 127, 0, 0] + C.be16(40) + C.be16(80) + C.be16(200)
    let read = try read { $0.addUDP(extended(0x5566_7788, block), atMs: 5000, back: true) }
    let extra = try #require(read.streams.first?.totals.extra)
    #expect(extra.contains(#""rtt_ms":150,"end_system_delay_ms":60,"r_factor":82,"mos_lq":4.1}"#), "\(extra)")
    #expect(!extra.contains("mos_cq"))
    // 40, 80 and 200 ms of buffer; a burst of 0 ms was none.
    #expect(
      extra.contains(#""burst_ms":0,"gap_ms":0"#)
        && extra.contains(#""jitter_buffer_ms":40,"jitter_buffer_max_ms":80"#))
    #expect(extra.contains(#""jitter_buffer_limit_ms":200"#))
  }

  private static let voipBlock: [UInt8] =
    [7, 0] + C.be16(8) + C.be32(0x1122_3344) + [26, 13, 0, 0] + C.be16(0) + C.be16(0) + C.be16(150)
    + C.be16(60) + [0, 0, 0, 16, 82, 127, 41, 127, 0, 0] + C.be16(40) + C.be16(80) + C.be16(200)

  private static func reported(_ read: Recorder) -> [EventRecord] {
    read.events.filter { $0.event == .mediaQualityReported }
  }

  @Test("VoIP metrics are their maker's word, as a telephone's report is: the last one counts")
  func voipReport() throws {
    let read = try read {
      for ms in [3000.0, 8000] { $0.addUDP(extended(0x5566_7788, Self.voipBlock), atMs: ms, back: true) }
    }
    let report = try #require(Self.reported(read).first)
    #expect(Self.reported(read).count == 1 && report.argument("by") == "rtcp-xr")
    #expect(report.argument("mos_listening") == "4.1" && report.argument("r_conversational") == "82")
    #expect(report.argument("loss_percent") == "10.2" && report.argument("discarded_percent") == "5.1")
    #expect(report.argument("rtt_ms") == "150" && report.argument("ssrc") == "287454020")
  }

  @Test("they are reported as well where none of the stream's packets were captured")
  func voipReportAlone() throws {
    var b = C()
    b.addUDP(extended(0x5566_7788, Self.voipBlock), atMs: 0, from: 40_001, to: 50_001)
    let reports = Self.reported(try Recorder.read(b.pcap()))
    #expect(reports.map { $0.argument("mos_listening") } == ["4.1"])
    #expect(reports.map { $0.argument("of") } == ["received"])
  }

  @Test("what cannot be in VoIP metrics of RTCP XR is left out")
  func impossibleMetrics() throws {
    let block: [UInt8] =
      [7, 0] + C.be16(8) + C.be32(0x1122_3344) + [0, 0, 0, 0] + C.be16(0) + C.be16(0) + C.be16(0)
      + C.be16(0) + [127, 127, 127, 16, 255, 127, 255, 9, 0, 0] + C.be16(0) + C.be16(0) + C.be16(0)
    let read = try read { $0.addUDP(extended(0x5566_7788, block), atMs: 5000, back: true) }
    let extra = try #require(read.streams.first?.totals.extra)
    for name in [
      "r_factor", "mos_lq", "mos_cq", "signal_dbm", "noise_dbm", "echo_return_loss_db", "rtt_ms",
      "jitter_buffer_ms",
    ] {
      #expect(!extra.contains("\"\(name)\""), "\(extra)")
    }
  }

  @Test(
    "who says goodbye is not missed, unless it comes again and stops without a word",
    arguments: [false, true])
  func goodbye(comesAgain: Bool) throws {
    var b = C()
    b.addVoice(count: 250)
    let sender = C.be32(0x1122_3344)
    let report = [0x80, 200] + C.be16(6) + sender + [UInt8](repeating: 1, count: 20)
    b.addUDP(report + [0x81, 203] + C.be16(1) + sender, atMs: 4981)
    for n in 0..<1000 {
      b.addUDP(C.rtp(sequence: n, timestamp: 160 * n, ssrc: 8), atMs: 20 * Double(n) + 5, back: true)
    }
    if comesAgain {
      for n in 0..<250 {
        b.addUDP(
          C.rtp(sequence: 350 + n, timestamp: 160 * (500 + n)), atMs: 20 * Double(500 + n))
      }
    }
    b.frames.sort { $0.timeUs < $1.timeUs }
    let read = try Recorder.read(b.pcap())
    let (stream, _) = try #require(read.facts.first { $0.value.ssrc == 0x1122_3344 })
    let last = try #require(read.samples[stream]?.last)
    let missedMs = try #require(last[.concealedSamples]) / 8
    #expect(comesAgain ? (4500...5200).contains(missedMs) : missedMs < 100, "\(missedMs)")
    #expect(read.totals[stream]?.lost == 0)
  }

  @Test("senders of reports beyond those that are followed are counted")
  func flood() throws {
    let read = try read {
      for n in 0..<RTCPTracker.maxReporters + 3 {
        $0.addUDP([0x80, 200] + C.be16(6) + C.be32(n + 1) + [UInt8](repeating: 1, count: 20), atMs: 5000)
      }
    }
    let beyond = read.rejects.filter { $0.reason.contains("senders of RTCP reports") }
    #expect(beyond.map(\.count) == [3])
  }

  @Test("a receiver that sends nothing learns its round trip from extended reports, and so do we")
  func roundTrip() throws {
    // A reports, B answers at once: 60 ms on the tap. B sends its time, A answers 70 ms later, having held it for 30 ms.
    let ntp = C.be32(0x0001_0002) + C.be32(0x0003_0004)
    let read = try read {
      let counts = [UInt8](repeating: 1, count: 12)
      $0.addUDP([0x80, 200] + C.be16(6) + C.be32(0x1122_3344) + ntp + counts, atMs: 4000)
      $0.addUDP(report(fraction: 0, lost: 0, jitter: 0, answers: 0x0002_0003), atMs: 4060, back: true)
      $0.addUDP(extended(0x5566_7788, [4, 0] + C.be16(2) + ntp), atMs: 5000, back: true)
      let answer = C.be32(0x5566_7788) + C.be32(0x0002_0003) + C.be32(65_536 * 30 / 1000)
      $0.addUDP(extended(0x1122_3344, [5, 0] + C.be16(3) + answer), atMs: 5070)
    }
    let trips = read.transports.values.flatMap { $0 }.compactMap(\.rttMs)
    #expect(trips.map { $0.rounded() } == [100], "\(trips)")
    #expect(read.streams.first?.totals.rttMs.map { $0.rounded() } == 100)
  }

  @Test(
    "who reports sound that is not in the capture got it; a far end of which nothing at all was captured may have sent"
  )
  func oneDirection() throws {
    /// A call from A to B, of which the capture has what these bytes say.
    func reported(withAnswers: Bool, _ highest: [Int]) throws -> [EventRecord] {
      var b = CallBuilder.sipCall()
      for (n, number) in highest.enumerated() {
        let block = C.be32(0x9988_7766) + C.be32(0) + C.be32(number) + C.be32(0) + C.be32(0) + C.be32(0)
        b.addUDP(
          [0x81, 201] + C.be16(7) + C.be32(7) + block, atMs: 3500 + 300 * Double(n), from: 40_001, to: 50_001)
      }
      b.frames.sort { $0.timeUs < $1.timeUs }
      if !withAnswers { b.frames.removeAll { Array($0.bytes[26..<30]) == C.b } }
      return try Recorder.read(b.pcap()).events.filter { $0.raw == "capture.one-direction" }
    }
    #expect(try reported(withAnswers: true, []).isEmpty, "it may have sent nothing")
    #expect(try reported(withAnswers: true, [14_756, 15_193]).map { $0.argument("packets") } == ["437"])
    #expect(try reported(withAnswers: true, [14_756, 14_756]).isEmpty, "nothing came meanwhile")
    #expect(try reported(withAnswers: false, []).map { $0.argument("packets") } == [nil])
  }

  /// A sender report as of a number, and an answer to it that was not held.
  private func sent(_ ntp: Int, by ssrc: Int) -> [UInt8] {
    [0x80, 200] + C.be16(6) + C.be32(ssrc) + C.be32(ntp >> 16) + C.be32((ntp & 0xFFFF) << 16)
      + C.be32(0) + C.be32(0) + C.be32(0)
  }

  private func answer(_ ntp: Int, about ssrc: Int, by answerer: Int) -> [UInt8] {
    [0x81, 201] + C.be16(7) + C.be32(answerer) + C.be32(ssrc) + C.be32(0) + C.be32(5000) + C.be32(0)
      + C.be32(ntp) + C.be32(0)
  }

  @Test(
    "an answer that waited for an end that stood still is no round trip; one over a long way is",
    arguments: [true, false])
  func froze(stopped: Bool) throws {
    let (a, b) = (0x1122_3344, 0x5566_7788)
    let read = try read {
      for n in 0..<500 where !stopped || n < 100 || n >= 250 {
        $0.addUDP(C.rtp(sequence: n, timestamp: 160 * n, ssrc: b), atMs: 20 * Double(n), back: true)
      }
      // A, beside which it is captured, answers at once.
      $0.addUDP(sent(7, by: b), atMs: 500, back: true)
      $0.addUDP(answer(7, about: b, by: a), atMs: 500)
      for (asked, answered) in [(1000.0, 1040.0), (3000, 5010), (8000, 8040)] {
        $0.addUDP(sent(Int(asked), by: a), atMs: asked)
        $0.addUDP(answer(Int(asked), about: a, by: b), atMs: answered, back: true)
      }
    }
    let trips = read.transports.values.flatMap { $0 }.compactMap(\.rttMs).map { $0.rounded() }
    #expect(Set(trips) == (stopped ? [40] : [40, 2010]))
  }
}
