import Testing

@testable import Captures
@testable import Packets

@Suite("Formulas of the RFCs")
struct FormulaTests {
  @Test("burst and gap metrics of RFC 3611 for a pattern of 13 packets")
  func burstGapVector() throws {
    var metrics = BurstGap(gmin: 2)
    for character in "111011100011X" {
      switch character {
      case "1": metrics.received()
      default: metrics.lost()
      }
    }
    let figures = try #require(metrics.figures(packetMs: 10))
    #expect(figures.gapMs == 110 && abs(figures.burstMs - 30) < 1e-9)
    #expect(min(255, Int(figures.burstDensity * 256)) == 255 && Int(figures.gapDensity * 256) == 51)
  }

  @Test("without loss there is one gap and no burst")
  func noLoss() throws {
    var metrics = BurstGap()
    for _ in 0..<50 { metrics.received() }
    let figures = try #require(metrics.figures(packetMs: 20))
    #expect(figures.burstMs == 0 && figures.gapMs == 1000 && figures.gapDensity == 0)
  }

  @Test("interarrival jitter of RFC 3550: D of 49.947 and 16.467 ms give 3.1217 and 3.9558 ms")
  func jitterExample() {
    var jitter = JitterMeter()
    jitter.take(timeNs: 0, timestamp: 0, msPerTick: 0.125)
    jitter.take(timeNs: 69_947_000, timestamp: 160, msPerTick: 0.125)
    #expect(abs(jitter.ms - 3.1217) < 1e-4)
    jitter.take(timeNs: 73_480_000, timestamp: 320, msPerTick: 0.125)
    #expect(abs(jitter.ms - 3.9558) < 1e-4)
  }

  @Test("the clock is found from how timestamps advance", arguments: [8000, 16_000, 48_000, 90_000])
  func clockGuess(rate: Int) {
    var guess = RTPClockEstimate()
    for n in 0..<100 {
      let jitter = Int64((n * 37) % 11) * 1_000_000
      guess.take(timeNs: Int64(n) * 20_000_000 + jitter, timestamp: UInt32(n * rate / 50))
    }
    #expect(guess.clock(tolerance: 0.1) == rate)
  }

  @Test(
    "pictures of one packet each are no sound, though two of them are as far apart as packets of Opus may be")
  func smallPictures() throws {
    // 20 pictures a second of a camera of 30, at 90 kHz: a shared screen on which nothing moves.
    let ticks: [Int64] = [
      0, 6030, 8910, 14_940, 18_000, 23_940, 27_000, 32_940, 36_000, 42_120, 45_000, 51_030,
    ]
    var guess = RTPClockEstimate()
    for at in ticks { guess.take(timeNs: at * 1_000_000 / 90, timestamp: UInt32(at)) }
    #expect(guess.minStep == 2880)
    #expect(guess.usualClock == 90_000)
    // Sound with packets lost, and one step of a sender that measures its pauses by another clock.
    var sound = RTPClockEstimate()
    for at: Int64 in [0, 960, 1920, 4800, 5760, 6720, 17_001, 17_961, 18_921] {
      sound.take(timeNs: at * 1_000_000 / 48, timestamp: UInt32(at))
    }
    #expect(sound.usualClock == 48_000)
  }

  @Test("packets written within a millisecond of each other have no clock")
  func impossibleTiming() {
    var guess = RTPClockEstimate()
    for n in 0..<100 { guess.take(timeNs: Int64(n) * 1000, timestamp: UInt32(n * 3000)) }
    #expect(guess.clock(tolerance: 0.3) == nil)
  }

  @Test(
    "addresses are written and read as people write them",
    arguments: ["192.0.2.1", "2001:db8::1", "::1", "fe80::1:0:0:2", "2001:db8:1:2:3:4:5:6"])
  func addresses(text: String) throws {
    #expect(try #require(Address(text: text)).text == text)
  }
}
