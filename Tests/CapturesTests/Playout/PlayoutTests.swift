import Testing

@testable import Packets
@testable import Playout

@Suite("Playout as libwebrtc does it")
struct PlayoutTests {
  @Test("steady packets want the least delay, a late one in ten what hides it")
  func wantedDelay() {
    var steady = TargetDelay()
    var uneven = TargetDelay()
    for i in 0..<500 {
      let now = Double(i) * 20
      steady.take(delayMs: 0, overtaken: false, atMs: now)
      uneven.take(delayMs: i % 10 == 0 ? 110 : 0, overtaken: false, atMs: now)
    }
    #expect(steady.ms == 20 && uneven.ms == 120)
    steady.minMs = 300
    #expect(steady.ms == 300)
  }

  @Test("packets that are overtaken often are waited for, rare ones are not")
  func overtaken() {
    var often = TargetDelay()
    var rarely = TargetDelay()
    for i in 0..<2000 {
      let now = Double(i) * 20
      often.take(delayMs: i % 10 == 0 ? 150 : 0, overtaken: i % 10 == 0, atMs: now)
      rarely.take(delayMs: i == 1500 ? 150 : 0, overtaken: i == 1500, atMs: now)
    }
    #expect(often.ms == 160 && rarely.ms == 20)
  }

  @Test(
    "delays of 0 that were only counted are as good as those that were added",
    arguments: [0, 1, 2, 100, 5000])
  func zeros(count: Int) {
    var added = DelayHistogram(memory: 0.9993)
    for _ in 0..<count { added.add(0) }
    var counted = DelayHistogram(memory: 0.9993, afterZeros: count)
    for delay in [150, 0, 40, 0, 0, 150, 310.0] {
      added.add(delay)
      counted.add(delay)
    }
    for bucket in 0..<DelayHistogram.count {
      #expect(abs(added.share(bucket) - counted.share(bucket)) < 1e-9)
    }
  }

  @Test("lateness is against the fastest of two seconds, and forgets")
  func history() {
    var history = ArrivalHistory()
    let first = history.take(mediaMs: 0, arrivalMs: 50)
    #expect(first == nil)
    let second = history.take(mediaMs: 20, arrivalMs: 90)
    #expect(second?.delayMs == 20 && second?.overtaken == false && history.greatestMs == 20)
    let again = history.take(mediaMs: 20, arrivalMs: 100)
    #expect(again == nil)
    for i in 2..<120 { _ = history.take(mediaMs: Double(i) * 20, arrivalMs: Double(i) * 20 + 70) }
    #expect(history.greatestMs == 0 && history.delayMs(of: 2380, atMs: 2450) == 0)
  }

  @Test("sound follows a late picture by 80 ms a second at most, and the picture follows late sound")
  func lipSync() {
    var sync = LipSync()
    var sound = 0.0
    for _ in 0..<3 {
      if let step = sync.step(relativeMs: 2000, soundMs: 60, pictureMs: 40) { sound = step.soundMs }
    }
    #expect(sound == 240)
    var other = LipSync()
    var picture = 0.0
    for _ in 0..<20 {
      if let step = other.step(relativeMs: 0, soundMs: 200, pictureMs: max(20, picture)) {
        picture = step.pictureMs
      }
    }
    #expect(picture > 150 && picture < 200)
    var together = LipSync()
    let nothing = together.step(relativeMs: 0, soundMs: 60, pictureMs: 40)
    #expect(nothing == nil)
  }

  @Test("pictures without jitter wait 11 ms; repairs add nine tenths of the round trip, 200 ms at most")
  func frameJitter() {
    var jitter = FrameJitter()
    for i in 0..<100 { jitter.take(delayMs: 0, bytes: 2000, atMs: Double(i) * 50) }
    let calm = jitter.ms(atMs: 5000, roundTripMs: 100)
    for _ in 0..<3 { jitter.takeRepaired(atMs: 5000) }
    let repaired = jitter.ms(atMs: 5050, roundTripMs: 100)
    let far = jitter.ms(atMs: 5050, roundTripMs: 900)
    let later = jitter.ms(atMs: 66_000, roundTripMs: 900)
    #expect(calm == 11 && repaired == 101 && far == 211 && later == 11)
  }

  @Test("the clock of media finds rate and offset, and a way that became longer")
  func mediaClock() throws {
    var clock = MediaClock()
    for i in 0..<200 { clock.take(mediaMs: Double(i) * 50, arrivalMs: Double(i) * 50 + 30) }
    let before = try #require(clock.arrivalMs(of: 10_000))
    #expect(abs(before - 10_030) < 1)
    for i in 200..<300 { clock.take(mediaMs: Double(i) * 50, arrivalMs: Double(i) * 50 + 430) }
    let after = try #require(clock.arrivalMs(of: 15_000))
    #expect(abs(after - 15_430) < 40)
  }

  /// A packet with a payload of so many bytes, the first two given.
  private func packet(_ bytes: Int, _ start: [UInt8] = [0, 0]) throws -> RTPPacket {
    let rtp =
      CaptureBuilder.rtp(type: 111, sequence: 1, timestamp: 960, payload: 0) + start
      + [UInt8](repeating: 9, count: bytes - 2)
    return try rtp.withUnsafeBytes {
      let bytes = Octets(try #require($0.baseAddress), count: $0.count)
      return try #require(RTPPacket(bytes, wireLength: $0.count, timeNs: 0))
    }
  }

  @Test(
    "redundancy of Opus is speech's: packets larger than speech takes carry none", arguments: [80, 160, 640])
  func music(bytes: Int) throws {
    var fec = InBandFEC()
    for second in 1...5 {
      fec.reported(atMs: 1000 * Double(second), expected: 50 * second, lost: 4 * second)
    }
    #expect(fec.isOn)
    let packet = try packet(bytes)
    let carried = (0..<100).count { _ in fec.isCarried(packet, level: 20, lengthMs: 20) }
    #expect((carried > 50) == (bytes < 640))
  }

  @Test("what takes few bits has no room for redundancy", arguments: [40, 55, 80, 100])
  func thin(bytes: Int) throws {
    var fec = InBandFEC()
    for second in 1...5 {
      fec.reported(atMs: 1000 * Double(second), expected: 50 * second, lost: 4 * second)
    }
    let packet = try packet(bytes)
    let spoken = (0..<100).count { _ in fec.isCarried(packet, level: 20, lengthMs: 20) }
    #expect((spoken > 50) == (bytes > 70), "\(bytes * 400) bit/s")
  }

  @Test("packets in the clear say themselves whether they carry redundancy")
  func clear() throws {
    var fec = InBandFEC()
    fec.isClear = true
    func isCarried(_ configuration: UInt8, _ flags: UInt8) throws -> Bool {
      fec.isCarried(try packet(80, [configuration << 3, flags]), level: nil, lengthMs: 20)
    }
    #expect(try isCarried(9, 0b0100_0000) && !isCarried(9, 0b1000_0000), "SILK, 20 ms")
    #expect(try isCarried(11, 0b0001_0000) && !isCarried(11, 0b1110_0000), "SILK, 60 ms")
    #expect(try isCarried(15, 0b1100_0000) && !isCarried(15, 0b1011_1111), "with CELT beside it")
    #expect(try !isCarried(31, 0b1111_1111), "CELT alone")
  }

  @Test("sound whose time steps back while its numbers go on begins anew, once")
  func stepBack() throws {
    func concealed(back: Int) throws -> (share: Double, noted: Bool) {
      var b = CaptureBuilder()
      for n in 0..<1500 {
        let timestamp = 1_000_000 + 160 * n - (n < 750 ? 0 : back)
        b.addUDP(CaptureBuilder.rtp(sequence: n, timestamp: timestamp), atMs: 20 * Double(n))
      }
      let read = try Recorder.read(b.pcap())
      let last = try #require(read.samples.values.first?.last)
      let share = (last[.concealedSamples] ?? 0) / (last[.totalSamples] ?? 1)
      return (share, read.notes.contains { $0.contains("stepped back") })
    }
    let far = try concealed(back: 8 * 8000)
    #expect(far.share < 0.02 && far.noted)
    // A jitter buffer takes what is a little older for late.
    let near = try concealed(back: 3 * 8000)
    #expect(near.share > 0.09 && near.share < 0.12 && !near.noted)
  }
}
