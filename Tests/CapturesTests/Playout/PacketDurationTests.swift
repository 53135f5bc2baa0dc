import CallModel
import Testing

@testable import Packets
@testable import Playout

@Suite("How much sound is in a packet")
struct PacketDurationTests {
  typealias C = CaptureBuilder

  /// Ten seconds of sound, each packet sent when its time is over; some numbers left out. What was concealed, and how much
  /// there was, samples; how many packets came too late; and how long sound waited.
  private func heard(
    type: Int, clock: Double, bytes: Int, tag: Int = 0, lengths: [Int], lost: (Int) -> Bool = { _ in false }
  ) throws -> (made: Double, all: Double, late: Int, waitedMs: Double) {
    var builder = C()
    var (number, timestamp) = (0, 0)
    while Double(timestamp) < 10 * clock {
      let length = lengths[number % lengths.count]
      if !lost(number) {
        let rtp = C.rtp(
          type: type, sequence: 100 + number, timestamp: timestamp, payload: length * bytes + tag)
        builder.addUDP(rtp, atMs: Double(timestamp + length) * 1000 / clock)
      }
      (number, timestamp) = (number + 1, timestamp + length)
    }
    let read = try Recorder.read(builder.pcap())
    let last = try #require(read.samples.values.first?.last)
    return (
      try #require(last[.concealedSamples]), try #require(last[.totalSamples]),
      try #require(read.streams.first?.totals.late),
      try #require(last[.jitterBufferDelayMs]) / (try #require(last[.jitterBufferEmitted]))
    )
  }

  @Test("packets of different lengths are played whole")
  func varied() throws {
    for (name, type, clock, bytes, tag, lengths) in [
      ("L16 that nobody names", 96, 44_100.0, 2, 0, [330, 694]),
      ("the same under SRTP", 96, 44_100.0, 2, 10, [330, 694]),
      ("PCMU", 0, 8000.0, 1, 0, [640, 160]), ("PCMU under SRTP", 0, 8000.0, 1, 10, [640, 160]),
      ("PCMU, all the same under SRTP", 0, 8000.0, 1, 16, [160]),
    ] {
      let (made, all, late, _) = try heard(type: type, clock: clock, bytes: bytes, tag: tag, lengths: lengths)
      #expect(made <= 0.006 * all && late <= 1, "\(name): \(made) of \(all) concealed, \(late) late")
    }
  }

  @Test("of packets longer than 120 ms as much is concealed as is lost")
  func long() throws {
    for (name, type, bytes, tag) in [("PCMU", 0, 1, 0), ("without a name", 96, 0, 60)] {
      let whole = try heard(type: type, clock: 8000, bytes: bytes, tag: tag, lengths: [1024])
      #expect(whole.made <= 0.05 * whole.all, "\(name): \(whole.made) of \(whole.all)")
      let (made, all, _, _) = try heard(
        type: type, clock: 8000, bytes: bytes, tag: tag, lengths: [1024], lost: { $0 % 8 == 5 })
      #expect((0.09...0.17).contains(made / all), "\(name): \(made) of \(all)")
    }
  }

  @Test("packets shorter than a step of the playout are played whole, and as much is concealed as is lost")
  func short() throws {
    for (name, type, clock, bytes, tag, lengths) in [
      ("PCMU, 5 ms", 0, 8000.0, 1, 0, [40]), ("PCMU, 5 and 20 ms", 0, 8000.0, 1, 0, [40, 160]),
      ("L16, 7.9 ms", 96, 44_100.0, 4, 0, [350]), ("2.5 ms without a name", 96, 48_000.0, 0, 60, [120]),
      ("10 ms", 0, 8000.0, 1, 0, [80]),
    ] {
      let whole = try heard(type: type, clock: clock, bytes: bytes, tag: tag, lengths: lengths)
      #expect(whole.made <= 0.006 * whole.all && whole.late == 0, "\(name): \(whole)")
      #expect(whole.waitedMs < 50, "\(name): \(whole)")
      let missing = try heard(
        type: type, clock: clock, bytes: bytes, tag: tag, lengths: lengths, lost: { $0 % 11 == 5 })
      #expect((0.07...0.14).contains(missing.made / missing.all), "\(name): \(missing)")
      #expect(missing.waitedMs < 80, "\(name): \(missing)")
    }
  }

  @Test("bytes that steps in a row contradict are no measure; a step now and then is a pause")
  func contradicted() {
    let format = PayloadFormat("PCMU", 8000, .audio)
    var half = PacketDuration(format, clockRate: 8000)
    for _ in 0..<5 { _ = half.take(size: 80, after: 160, pauses: false) }
    #expect(half.take(size: 80, after: 160, pauses: false) == nil && half.usual == 160)
    var pausing = PacketDuration(format, clockRate: 8000)
    for number in 1...30 { _ = pausing.take(size: 80, after: number % 10 == 0 ? 960 : 80, pauses: false) }
    #expect(pausing.take(size: 80, after: 80, pauses: false) == 80)
  }

  @Test(
    "a clock or a number of channels that cannot be does no harm",
    arguments: [(50, 1), (8000, 0), (8000, Int.max), (1, Int.max)])
  func impossible(clock: Int, channels: Int) {
    for name in ["PCMU", "L16", "L24"] {
      var format = PayloadFormat(name, clock, .audio)
      format.channels = channels
      var length = PacketDuration(format, clockRate: clock)
      for size in [0, 1, 160, 65_535] {
        #expect(length.take(size: size, after: Int64(Int32.max), pauses: false) ?? 0 >= 0)
      }
    }
  }
}
