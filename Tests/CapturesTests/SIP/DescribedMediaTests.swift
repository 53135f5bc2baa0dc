import CallModel
import Testing

@Suite("What SDP says that a stream carries")
struct DescribedMediaTests {
  typealias C = CaptureBuilder

  @Test(
    "text and control are neither heard nor seen: nothing plays them",
    arguments: [("text", "t140/1000", 1), ("application", "H224/4800", 5)])
  func data(kind: String, map: String, ticks: Int) throws {
    var b = C()
    func sdp(_ address: String, _ port: Int) -> String {
      CallBuilder.sdp(address, port) + "m=\(kind) \(port + 2) RTP/AVP 100\r\na=rtpmap:100 \(map)\r\n"
    }
    b.addUDP(
      CallBuilder.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: sdp("192.0.2.10", 40_000)),
      atMs: 0, from: 5060, to: 5060)
    b.addUDP(
      CallBuilder.sip("SIP/2.0 200 OK", "1 INVITE", body: sdp("198.51.100.20", 50_000)), atMs: 10, from: 5060,
      to: 5060, back: true)
    for n in 0..<150 {
      let voice = C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: 1, payload: 60)
      b.addUDP(voice, atMs: 20 + 20 * Double(n))
      guard n % 30 == 0 else { continue }
      let data = C.rtp(type: 100, sequence: n / 30, timestamp: 20 * ticks * n, ssrc: 2, payload: 2)
      b.addUDP(data, atMs: 21 + 20 * Double(n), from: 40_002, to: 50_002)
    }
    let read = try Recorder.read(b.pcap())
    let (stream, facts) = try #require(read.facts.first { $0.value.ssrc == 2 })
    #expect(facts.kind == nil && facts.codec == map.split(separator: "/").first.map(String.init))
    #expect(read.samples[stream] == nil)
    #expect(read.totals[stream]?.packets == 5)
    #expect(read.totals[stream]?.extra?.contains("\"role\":\"data\"") == true)
    #expect(read.facts.values.contains { $0.ssrc == 1 && $0.kind == .audio })
  }

  @Test(
    "a picture in redundant blocks is named by its codec, and its redundancy counted",
    arguments: [true, false])
  func pictureInBlocks(isClear: Bool) throws {
    var b = C()
    let profile = isClear ? "RTP/AVP" : "RTP/SAVP"
    let sdp =
      "v=0\r\nc=IN IP4 198.51.100.20\r\nm=video 50000 \(profile) 96 122 123\r\n"
      + "a=rtpmap:96 VP8/90000\r\na=rtpmap:122 red/90000\r\na=rtpmap:123 ulpfec/90000\r\n"
    b.addUDP(
      CallBuilder.sip("SIP/2.0 200 OK", "1 INVITE", body: sdp), atMs: 0, from: 5060, to: 5060, back: true)
    // Of each frame two packets, and one that protects them.
    for n in 0..<300 where n % 31 != 7 {
      let part = n % 3
      var rtp = C.rtp(
        type: 122, sequence: n, timestamp: 4500 * (n / 3), ssrc: 1, marker: part == 1,
        payload: 700 - 7 * n % 40)
      rtp[12] = part == 2 ? 123 : 96
      b.addUDP(rtp, atMs: 20 + 50 * Double(n / 3) + Double(part))
    }
    let read = try Recorder.read(b.pcap())
    let (facts, totals) = try #require(read.streams.first)
    #expect(facts.codec == (isClear ? "VP8" : "red") && facts.kind == .video)
    let sent = (0..<300).filter { $0 % 31 != 7 && $0 % 3 == 2 }.count
    #expect(totals.fec == (isClear ? sent : nil))
    #expect((read.samples[0]?.last?[.frames] ?? 0) > 30)
  }

  /// Half a minute of one codec and half of another in one stream, the second from packet 750 on; `stray` packets of the other
  /// codec each.
  private func change(
    from first: (type: Int, clock: Int), to second: (type: Int, clock: Int), stray: Set<Int> = [],
    isDescribed: Bool = true
  ) throws -> (facts: StreamFacts, samples: [Sample], totals: StreamTotals) {
    var b = C()
    let sdp =
      "v=0\r\nc=IN IP4 198.51.100.20\r\nm=audio 50000 RTP/AVP 0 8 96 104\r\n"
      + "a=rtpmap:96 opus/48000/2\r\na=rtpmap:104 AMR-WB/16000\r\n"
    if isDescribed {
      b.addUDP(
        CallBuilder.sip("SIP/2.0 200 OK", "1 INVITE", body: sdp), atMs: 0, from: 5060, to: 5060, back: true)
    }
    var timestamp = 0
    for n in 0..<1500 {
      let codec = n >= 750 && !stray.contains(n) || n < 750 && stray.contains(n) ? second : first
      let rtp = C.rtp(
        type: codec.type, sequence: n, timestamp: timestamp, ssrc: 1, payload: codec.clock == 8000 ? 160 : 80)
      b.addUDP(rtp, atMs: 20 + 20 * Double(n))
      timestamp += (n < 750 ? first : second).clock / 50
    }
    let read = try Recorder.read(b.pcap())
    let facts = try #require(read.facts[0])
    return (facts, try #require(read.samples[0]), try #require(read.totals[0]))
  }

  @Test(
    "another codec at another clock within a stream is played on, and named",
    arguments: [(0, 8000, 96, 48_000), (8, 8000, 104, 16_000), (96, 48_000, 0, 8000)])
  func otherClock(first: Int, firstClock: Int, second: Int, secondClock: Int) throws {
    let read = try change(from: (first, firstClock), to: (second, secondClock))
    #expect(read.facts.payloadType == second && read.facts.clockRate == secondClock)
    #expect(read.facts.codec == [0: "PCMU", 96: "opus", 104: "AMR-WB"][second])
    try expectSteady(read, firstClock)
  }

  @Test(
    "a codec that nobody describes has its clock looked for, wherever in a stream it begins",
    arguments: [(0, 8000, 111, 48_000), (97, 8000, 104, 16_000), (9, 8000, 98, 8000), (111, 48_000, 8, 8000)])
  func namelessCodec(first: Int, firstClock: Int, second: Int, secondClock: Int) throws {
    let read = try change(from: (first, firstClock), to: (second, secondClock), isDescribed: false)
    #expect(read.facts.payloadType == second && read.facts.clockRate == secondClock)
    #expect(read.facts.codec == (second == 8 ? "PCMA" : nil))
    try expectSteady(read, firstClock)
  }

  /// Nothing was lost, concealed, stretched or late where the codec changed.
  private func expectSteady(
    _ read: (facts: StreamFacts, samples: [Sample], totals: StreamTotals), _ firstClock: Int
  ) throws {
    let (_, samples, totals) = read
    let last = try #require(samples.last)
    let all = try #require(last[.totalSamples])
    // Samples are those of the first clock to the end.
    #expect(abs(all / Double(firstClock) - 30) < 0.1, "\(all) samples")
    #expect(abs(try #require(last[.totalSamplesDurationMs]) - 30_000) < 100)
    #expect(try #require(last[.concealedSamples]) < 0.005 * all)
    let delay = try #require(last[.jitterBufferDelayMs]) / (try #require(last[.jitterBufferEmitted]))
    #expect(delay < 100, "\(delay) ms")
    #expect(try #require(totals.jitterMaxMs) < 1 && totals.lost == 0)
    let middle = try #require(samples.first { $0.timeMs > samples[0].timeMs + 12_000 })
    for metric in [Metric.insertedSamples, .removedSamples] {
      let changed = try #require(last[metric]) - #require(middle[metric])
      #expect(changed < 0.02 * Double(firstClock), "\(metric): \(changed)")
    }
    for (before, after) in zip(samples, samples.dropFirst()) {
      #expect(try #require(after[.totalSamples]) >= #require(before[.totalSamples]))
      #expect(try #require(after[.concealedSamples]) >= #require(before[.concealedSamples]))
    }
  }

  @Test("single packets of another codec are no change, and the same clock only changes the name")
  func strays() throws {
    let other = try change(from: (0, 8000), to: (96, 48_000), stray: Set(stride(from: 100, to: 700, by: 100)))
    #expect(try #require(other.totals.jitterMaxMs) < 1)
    #expect(abs(try #require(other.samples.last?[.totalSamples]) - 240_000) < 800)
    let same = try change(from: (0, 8000), to: (8, 8000))
    #expect(same.facts.codec == "PCMA" && same.facts.clockRate == 8000)
    #expect(try #require(same.samples.last?[.concealedSamples]) < 400)
  }

  @Test("noise that nobody describes is no codec, however often it comes")
  func namelessNoise() throws {
    var b = C()
    for n in 0..<1500 {
      let place = n % 250
      // Two seconds of sound, three of noise every 60 ms.
      guard place < 100 || place % 3 == 0 else { continue }
      let number = n / 250 * 150 + (place < 100 ? place : 100 + (place - 100) / 3)
      let rtp = C.rtp(
        type: place < 100 ? 97 : 105, sequence: number, timestamp: 320 * n, payload: place < 100 ? 60 : 11)
      b.addUDP(rtp, atMs: 20 * Double(n))
    }
    let read = try Recorder.read(b.pcap())
    #expect(read.facts[0]?.clockRate == 16_000)
    let last = try #require(read.samples[0]?.last)
    #expect(try #require(last[.concealedSamples]) < 0.01 * #require(last[.totalSamples]))
  }

  @Test("comfort noise is what SDP calls so, at any clock")
  func noiseByName() throws {
    var b = C()
    let sdp =
      "v=0\r\nc=IN IP4 198.51.100.20\r\nm=audio 50000 RTP/AVP 96 105\r\n"
      + "a=rtpmap:96 L16/16000\r\na=rtpmap:105 CN/16000\r\n"
    b.addUDP(
      CallBuilder.sip("SIP/2.0 200 OK", "1 INVITE", body: sdp), atMs: 0, from: 5060, to: 5060, back: true)
    var number = 0
    for n in 0..<1000 {
      let place = n % 250
      guard place < 100 || place == 100 || place == 175 else { continue }
      number += 1
      let rtp = C.rtp(
        type: place < 100 ? 96 : 105, sequence: number, timestamp: 320 * n, ssrc: 1,
        payload: place < 100 ? 640 : 1)
      b.addUDP(rtp, atMs: 20 + 20 * Double(n))
    }
    let last = try #require(try Recorder.read(b.pcap()).samples[0]?.last)
    #expect(try #require(last[.concealedSamples]) < 0.01 * #require(last[.totalSamples]))
  }

  @Test("a description beside other parts of a message is read")
  func multipart() throws {
    var b = C()
    let body =
      "--Part\r\nContent-Type: application/isup; version=itu-t92+\r\n\r\n\u{1}\u{10} \r\n--Part\r\n"
      + "Content-Type: application/sdp\r\n\r\n" + CallBuilder.sdp("192.0.2.10", 40_000)
      + "--Part\r\nContent-Type: application/pidf+xml\r\n\r\nm=audio 40008 RTP/AVP 0\r\n--Part--\r\n"
    let invite = CallBuilder.sip(
      "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: body, content: "multipart/mixed;boundary=Part")
    b.addUDP(invite, atMs: 0, from: 5060, to: 5060)
    b.addUDP(C.rtp(type: 98, sequence: 1, timestamp: 0, payload: 60), atMs: 100, back: true)
    let read = try Recorder.read(b.pcap(), name: "caller.pcap")
    #expect(read.connections.count == 1)
    #expect(read.facts[0]?.codec == "opus" && read.facts[0]?.direction == .inbound)
  }
}
