import CallModel
import Testing

@Suite("What became of every packet")
struct GroundTruthTests {
  private func only(_ builder: CaptureBuilder, assumeRTP: Bool = false) throws -> (StreamFacts, StreamTotals)
  {
    let read = try Recorder.read(builder.pcap(), assumeRTP: assumeRTP)
    #expect(read.error == nil)
    let stream = try #require(read.streams.first)
    #expect(read.streams.count == 1)
    return (stream.facts, stream.totals)
  }

  @Test("a clean stream has no loss and no jitter")
  func clean() throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 500)
    let (facts, totals) = try only(builder)
    #expect(facts.codec == "PCMU" && facts.clockRate == 8000 && facts.kind == .audio)
    #expect(totals.packets == 500 && totals.expected == 500 && totals.lost == 0)
    #expect(totals.jitterMaxMs ?? 1 < 1e-9)
    #expect(totals.bytes == 500 * 160)
  }

  @Test("as many are lost as were left out, first and last present")
  func loss() throws {
    var builder = CaptureBuilder()
    let lost: Set = [3, 50, 51, 52, 300, 498]
    builder.addVoice(count: 500, without: lost)
    let (_, totals) = try only(builder)
    #expect(totals.lost == 6 && totals.packets == 494 && totals.wiresharkLost == 6)
    #expect(totals.extra?.contains("[3,0,1,0,0,0,0,0,0,0,0]") == true, "runs of loss by length")
  }

  @Test("neighbours that changed places are reordered, not lost, also at the very start", arguments: [0, 60])
  func reordered(at place: Int) throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 200)
    let first = builder.frames[place].bytes
    builder.frames[place].bytes = builder.frames[place + 1].bytes
    builder.frames[place + 1].bytes = first
    let (_, totals) = try only(builder)
    #expect(totals.lost == 0 && totals.reordered == 1 && totals.packets == 200)
    #expect(totals.wiresharkLost == (place == 0 ? -1 : 0), "TShark takes the first packet for the lowest")
  }

  @Test("a repeated packet is a duplicate; the same packet seen twice is the capture's doing")
  func duplicates() throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 100)
    builder.addUDP(CaptureBuilder.rtp(sequence: 199, timestamp: 160 * 99), atMs: 1981)
    var twice = builder.frames[50]
    twice.timeUs += 40
    builder.frames.insert(twice, at: 51)
    let (_, totals) = try only(builder)
    #expect(totals.packets == 100 && totals.lost == 0)
    #expect(totals.duplicates == 1 && totals.captureDuplicates == 1)
    #expect(totals.wiresharkPackets == 102 && totals.wiresharkLost == -2)
  }

  @Test("a sender that begins anew has lost nothing")
  func restart() throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 100, first: 100)
    for n in 0..<100 {
      builder.addUDP(
        CaptureBuilder.rtp(sequence: 30_000 + n, timestamp: 160 * (100 + n)), atMs: 2000 + 20 * Double(n))
    }
    let (_, totals) = try only(builder)
    #expect(totals.restarts == 1 && totals.lost == 0 && totals.packets == 200)
  }

  @Test(
    "so does one that skips numbers and no time; what took the time it should have is lost",
    arguments: [
      (60, 0, 0, 0), (900, 0, 777_777, 0), (2000, 0, 0, 0), (300, 0, 6000, 300), (100, 2000, 2000, 100),
    ])
  func step(numbers: Int, ms: Int, timestampMs: Int, lost: Int) throws {
    var builder = CaptureBuilder()
    builder.addVoice(count: 100, first: 100)
    for n in 0..<100 {
      builder.addUDP(
        CaptureBuilder.rtp(sequence: 200 + numbers + n, timestamp: 160 * (100 + n) + 8 * timestampMs),
        atMs: 2000 + Double(ms) + 20 * Double(n))
    }
    let (_, totals) = try only(builder)
    // A timestamp that has just the room for what is missing speaks for loss.
    #expect(totals.packets == 200 && totals.lost == lost && totals.restarts == (lost > 0 ? 0 : 1))
  }

  @Test("sequence numbers and timestamps may wrap")
  func wrap() throws {
    var builder = CaptureBuilder()
    for n in 0..<400 {
      let packet = CaptureBuilder.rtp(sequence: 65_400 + n, timestamp: 0xFFFF_8000 + 160 * n)
      builder.addUDP(packet, atMs: 20 * Double(n))
    }
    let (_, totals) = try only(builder)
    #expect(totals.expected == 400 && totals.lost == 0 && totals.jitterMaxMs ?? 1 < 1e-9)
  }

  @Test("pauses of speech with comfort packets every 400 ms are no loss and no concealment")
  func discontinuous() throws {
    var builder = CaptureBuilder()
    var ms = 0.0
    for n in 0..<200 {
      let pausing = n % 40 >= 20
      builder.addUDP(
        CaptureBuilder.rtp(
          type: 111, sequence: n, timestamp: Int(ms * 48), ssrc: 0xABCD, payload: pausing ? 1 : 80), atMs: ms)
      ms += pausing ? 400 : 20
    }
    let read = try Recorder.read(builder.pcap())
    let totals = try #require(read.streams.first).totals
    #expect(totals.lost == 0)
    #expect(read.streams.first?.facts.clockRate == 48_000)
    #expect(read.streams.first?.facts.clockRateGuessed == true)
    let last = try #require(read.samples[0]?.last)
    #expect((last[.concealedSamples] ?? 0) / (last[.totalSamples] ?? 1) < 0.002)
  }

  @Test(
    "a stall of the way in the first seconds changes nothing of the clock that packets have",
    arguments: [0.0, 400, 600, 1500, 3000])
  func heldUp(untilMs: Double) throws {
    var builder = CallBuilder.webRTC()
    builder.frames = Array(builder.frames.prefix(11))
    for n in 0..<500 {
      let ms = 20 * Double(n)
      // What was sent meanwhile comes when the stall ends, one after the other.
      let cameMs = ms < 60 || ms > untilMs ? ms : untilMs + 0.1 * Double(n)
      builder.addUDP(
        CaptureBuilder.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: 0xABCD_0123, payload: 80),
        atMs: 1400 + cameMs)
    }
    builder.frames.sort { $0.timeUs < $1.timeUs }
    let stream = try #require(try Recorder.read(builder.pcap()).streams.first)
    #expect(stream.facts.clockRate == 48_000 && stream.facts.kind == .audio)
  }

  @Test(
    "sound that is slowed down for seconds keeps the clock of its packets, where they would be too long at any other",
    arguments: [(960, 100.0, 48_000), (960, 200, 48_000), (480, 60, 8000), (320, 20, 16_000)])
  func congested(step: Int, everyMs: Double, clock: Int) throws {
    var builder = CallBuilder.webRTC()
    builder.frames = Array(builder.frames.prefix(11))
    for n in 0..<200 {
      builder.addUDP(
        CaptureBuilder.rtp(type: 111, sequence: n, timestamp: step * n, ssrc: 0xABCD_0123, payload: 80),
        atMs: 1400 + everyMs * Double(n))
    }
    #expect(try Recorder.read(builder.pcap()).streams.first?.facts.clockRate == clock)
  }

  @Test("key presses do not count as jitter")
  func telephoneEvents() throws {
    var builder = CaptureBuilder()
    for n in 0..<200 {
      let event = (100..<110).contains(n)
      builder.addUDP(
        CaptureBuilder.rtp(
          type: event ? 101 : 0, sequence: n, timestamp: event ? 160 * 100 : 160 * n, payload: event ? 4 : 160
        ),
        atMs: 20 * Double(n))
    }
    let (_, totals) = try only(builder)
    #expect(totals.jitterMaxMs ?? 1 < 1e-9)
    #expect(totals.wiresharkJitterMaxMs ?? 0 > 5, "TShark takes the pause for jitter")
  }

  @Test("encrypted datagrams are no streams, whatever their first bytes")
  func noise() throws {
    var builder = CaptureBuilder()
    var generator = SplitMix64(seed: 7)
    for n in 0..<2000 {
      let bytes = (0..<100).map { _ in UInt8.random(in: 0...255, using: &generator) }
      builder.addUDP(bytes, atMs: Double(n))
    }
    #expect(try Recorder.read(builder.pcap()).streams.isEmpty)
  }

  @Test("one packet is enough where the user says that it is RTP")
  func assumed() throws {
    var builder = CaptureBuilder()
    builder.addUDP([UInt8](repeating: 1, count: 40), atMs: 0, from: 1, to: 2)
    builder.addUDP(CaptureBuilder.rtp(sequence: 1, timestamp: 1), atMs: 1)
    #expect(try Recorder.read(builder.pcap()).streams.isEmpty)
    #expect(try only(builder, assumeRTP: true).1.packets == 1)
  }
}
