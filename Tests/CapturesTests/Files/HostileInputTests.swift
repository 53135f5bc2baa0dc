import CallModel
import SharedRecordings
import Testing

@Suite("A malformed capture never crashes")
struct HostileInputTests {
  /// One capture of every kind of thing that is parsed.
  static let originals: [String: [UInt8]] = {
    var mixed = CallBuilder.webRTC()
    mixed.frames = Array(mixed.frames.prefix(60)) + CallBuilder.sipCall().frames.prefix(30)
    let sip = CallBuilder.sip(
      "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: CallBuilder.sdp("192.0.2.10", 4))
    mixed.add(mixed.ip(CaptureBuilder.tcp(sip, from: 4000, to: 5060, sequence: 9), proto: 6), atMs: 5000)
    let rtp = CaptureBuilder.rtp(sequence: 1, timestamp: 1, payload: 30)
    for n in 0..<5 {
      let framed = CaptureBuilder.be16(rtp.count) + rtp
      mixed.add(
        mixed.ip(CaptureBuilder.tcp(framed, from: 4001, to: 9000, sequence: 1 + n * framed.count), proto: 6),
        atMs: 5001)
      mixed.addUDP([0x40, 0] + CaptureBuilder.be16(rtp.count) + rtp, atMs: 5002, to: 3478)
      mixed.add(mixed.ip(Array(repeating: 7, count: 64), proto: 17, fragment: 0x2000 + n), atMs: 5003)
      mixed.addUDP([0x81, 200, 0, 12] + [UInt8](repeating: 3, count: 48), atMs: 5004)
    }
    return [
      "pcap": mixed.pcap(), "pcapng": mixed.pcapng(dropped: 3),
      "split.pcapng": mixed.pcapng(snaplens: [100, 200]),
    ]
  }()

  @Test("bits flipped anywhere", arguments: originals.keys.sorted(), 0..<60)
  func bitFlips(name: String, seed: Int) throws {
    var bytes = try #require(Self.originals[name])
    var generator = SplitMix64(seed: UInt64(seed))
    for _ in 0..<Int.random(in: 1...40, using: &generator) {
      let at = Int.random(in: 0..<bytes.count, using: &generator)
      bytes[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    }
    _ = try Recorder.read(bytes, name: name)
  }

  @Test("cut anywhere", arguments: originals.keys.sorted(), 0..<25)
  func cuts(name: String, seed: Int) throws {
    let bytes = try #require(Self.originals[name])
    var generator = SplitMix64(seed: UInt64(seed))
    let length = Int.random(in: 0..<bytes.count, using: &generator)
    _ = try Recorder.read(Array(bytes.prefix(length)), name: name, piece: 1 + seed * 31)
  }

  @Test("times before the epoch and after the end of time")
  func times() throws {
    var b = CaptureBuilder()
    b.startUs = 0
    for n in 0..<60 {
      // 9.3e9 s are more nanoseconds than 64 bits have.
      b.addUDP(CaptureBuilder.rtp(sequence: n, timestamp: n * 160), atMs: n < 30 ? 9.3e12 : 9.2e12)
    }
    for n in 0..<60 {
      b.addUDP(CaptureBuilder.rtp(sequence: 60 + n, timestamp: n * 160), atMs: n < 30 ? -5e12 : 1.7e12)
    }
    for bytes in [b.pcap(), b.pcapng()] { _ = try Recorder.read(bytes, assumeRTP: true) }
  }

  @Test("a TCP segment half the numbers away, at once and after one that waits", arguments: [0, 1])
  func farthestSegment(waiting: Int) throws {
    var b = CaptureBuilder()
    let sip = CallBuilder.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE")
    let next = 1000 + sip.count
    var sequences = [1000, next + 0x8000_0000]
    // What waits lies half the numbers behind what is expected once what was missing has come.
    if waiting > 0 { sequences = [1000, next + sip.count + 0x8000_0000, next] }
    for (n, sequence) in sequences.enumerated() {
      b.add(
        b.ip(CaptureBuilder.tcp(sip, from: 4000, to: 5060, sequence: sequence), proto: 6), atMs: Double(n))
    }
    let read = try Recorder.read(b.pcap())
    #expect(read.packetCount == sequences.count)
  }

  @Test("lengths that cannot be", arguments: originals.keys.sorted(), 0..<60)
  func lengths(name: String, seed: Int) throws {
    var bytes = try #require(Self.originals[name])
    var generator = SplitMix64(seed: UInt64(1000 + seed))
    for _ in 0..<12 {
      let at = Int.random(in: 0..<(bytes.count - 4), using: &generator)
      let value: [UInt8] =
        [[0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0, 0]]
        .randomElement(using: &generator) ?? []
      bytes.replaceSubrange(at..<(at + value.count), with: value)
    }
    _ = try Recorder.read(bytes, name: name)
  }

  @Test(
    "the same on captures of the world",
    .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)),
    arguments: SharedCaptures.names)
  func world(name: String) throws {
    let original = try SharedCaptures.bytes(name)
    guard original.count < 20_000 else { return }
    var generator = SplitMix64(seed: UInt64(original.count))
    for _ in 0..<8 {
      var bytes = original
      for _ in 0..<30 {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(
          in: 0...255, using: &generator)
      }
      _ = try Recorder.read(bytes, name: name)
    }
  }
}
