import CallModel
import Testing

@Suite("Packets of which a receiver makes nothing")
struct ReceiverDoubtTests {
  typealias C = CaptureBuilder

  /// What the capture tells of B's sound, by what and for how long, s.
  private func spans(_ read: Recorder, _ what: String) -> [(event: EventRecord, length: Double)] {
    read.events.filter { $0.raw == what }.map { event in
      let end = event.argument("until_ms").flatMap(Double.init) ?? 0
      return (event, (end - (event.timeMs ?? 0)) / 1000)
    }
  }

  /// A call of A and B with other lines of media, and A's sound under the first type of its own.
  private func call(
    offer: String = "RTP/AVP 0", answer: String = "RTP/AVP 0", lines: String = "", _ body: (inout C) -> Void
  ) throws -> Recorder {
    var b = C()
    func sdp(_ address: String, _ port: Int, _ media: String) -> String {
      "v=0\r\no=- 1 1 IN IP4 \(address)\r\ns=-\r\nc=IN IP4 \(address)\r\nt=0 0\r\nm=audio \(port) \(media)\r\n\(lines)"
    }
    func at(_ ms: Double, _ message: [UInt8], back: Bool = false) {
      b.addUDP(message, atMs: ms, from: 5060, to: 5060, back: back)
    }
    at(
      0,
      CallBuilder.sip(
        "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: sdp("192.0.2.10", 40_000, offer)))
    at(
      1000,
      CallBuilder.sip(
        "SIP/2.0 200 OK", "1 INVITE", body: sdp("198.51.100.20", 50_000, answer), toTag: "2"), back: true)
    at(1050, CallBuilder.sip("ACK sip:bob@example.org SIP/2.0", "1 ACK", toTag: "2"))
    body(&b)
    at(30_000, CallBuilder.sip("BYE sip:bob@example.org SIP/2.0", "2 BYE", toTag: "2"))
    b.frames.sort { $0.timeUs < $1.timeUs }
    return try Recorder.read(b.pcap(), name: "caller.pcap")
  }

  /// Sound of B every 20 ms.
  private func talk(
    _ b: inout C, type: Int = 0, from start: Double = 1100, to end: Double = 29_000, first: Int = 30_000,
    every stepMs: Double = 20, size: Int = 160, byte: UInt8 = 0x21, timestamp: Int = 0
  ) {
    for (n, ms) in stride(from: start, to: end, by: stepMs).enumerated() {
      var rtp = C.rtp(
        type: type, sequence: first + n, timestamp: timestamp + Int(8 * (ms - start)), ssrc: 8, payload: size)
      for i in 12..<rtp.count { rtp[i] = byte }
      b.addUDP(rtp, atMs: ms, back: true)
    }
  }

  @Test(
    "a payload type that nobody named is reported, whatever was agreed on",
    arguments: [("RTP/AVP 0", 98), ("RTP/AVP 0", 8), ("RTP/AVP 0 8", 18)])
  func neverAgreed(media: String, type: Int) throws {
    let read = try call(offer: media, answer: media) { talk(&$0, type: type) }
    let found = spans(read, "capture.payload-type")
    let first = try #require(found.first)
    #expect(found.count == 1 && abs(first.length - 27.9) < 0.1, "from its first packet on: \(first.length) s")
    #expect(first.event.argument("payload_type") == "\(type)")
    #expect(first.event.argument("sent") == nil, "at the end that it was sent to")
  }

  @Test(
    "a type that the receiver named is agreed, and so is its codec under another number",
    arguments: [
      ("RTP/AVP 0 8", "RTP/AVP 0 8", 8), ("RTP/AVP 96", "RTP/AVP 97", 96), ("RTP/AVP 96", "RTP/AVP 97", 97),
      ("RTP/AVP 0", "RTP/AVP 0 8", 0), ("RTP/AVP 0 8", "RTP/AVP 0", 8),
    ])
  func agreed(offer: String, answer: String, type: Int) throws {
    let lines = "a=rtpmap:96 opus/48000/2\r\na=rtpmap:97 opus/48000/2\r\n"
    let read = try call(offer: offer, answer: answer, lines: lines) { talk(&$0, type: type) }
    #expect(spans(read, "capture.payload-type").isEmpty)
  }

  @Test("comfort noise is no medium, and two seconds are nothing to tell of")
  func besideSound() throws {
    let read = try call {
      talk(&$0, type: 13, from: 1100, to: 9000, every: 200, size: 11)
      talk(&$0, from: 9000, to: 20_000, first: 31_000)
      talk(&$0, type: 8, from: 20_000, to: 20_900, first: 32_000)
      talk(&$0, from: 20_900, first: 33_000)
    }
    #expect(spans(read, "capture.payload-type").isEmpty)
  }

  private static let key =
    "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz\r\n"

  @Test(
    "encrypted numbers that begin anew are refused until they have passed the highest before",
    arguments: [(30_000, 200, true), (29_100, 29_500, true), (30_000, 40_000, false), (60_000, 100, true)])
  func reset(first: Int, then next: Int, isRefused: Bool) throws {
    let read = try call(offer: "RTP/SAVP 0", answer: "RTP/SAVP 0", lines: Self.key) {
      talk(&$0, to: 15_000, first: first, size: 170)
      talk(&$0, from: 15_000, first: next, size: 170, timestamp: 8 * 13_900)
    }
    let found = spans(read, "capture.srtp-reset")
    #expect(found.count == (isRefused ? 1 : 0))
    // Of 29100 on there were 695 before: those from 29500 on are 295 behind, which is passed 6 s later.
    if let length = found.first?.length {
      #expect(abs(length - (next == 29_500 ? 5.9 : 13.9)) < 0.2, "\(length) s")
    }
  }

  @Test("in the clear numbers may begin anew, and so they may with new keys")
  func resetInVain() throws {
    let clear = try call {
      talk(&$0, to: 15_000)
      talk(&$0, from: 15_000, first: 200)
    }
    #expect(spans(clear, "capture.srtp-reset").isEmpty)
    let rekeyed = try call(offer: "RTP/SAVP 0", answer: "RTP/SAVP 0", lines: Self.key) {
      talk(&$0, to: 15_000, size: 170)
      let sdp =
        "v=0\r\nc=IN IP4 198.51.100.20\r\nm=audio 50000 RTP/SAVP 0\r\n"
        + Self.key.replacing("WVN", with: "XVN")
      $0.addUDP(
        Array(
          String(
            decoding: CallBuilder.sip("INVITE sip:a SIP/2.0", "7 INVITE", body: sdp, toTag: "2"),
            as: UTF8.self
          )
          .replacing("From: <sip:alice@example.org>;tag=1", with: "From: <sip:bob@example.org>;tag=2")
          .replacing("To: <sip:bob@example.org>;tag=2", with: "To: <sip:alice@example.org>;tag=1").utf8),
        atMs: 14_990, from: 5060, to: 5060, back: true)
      talk(&$0, from: 15_000, first: 200, size: 170)
    }
    #expect(spans(rekeyed, "capture.srtp-reset").isEmpty)
  }

  @Test("one packet a second is concealed between, and reported", arguments: [500.0, 1000, 4000])
  func sparse(everyMs: Double) throws {
    let read = try call {
      talk(&$0, to: 4000)
      talk(&$0, from: 4000, first: 30_145, every: everyMs, timestamp: 8 * 2900)
    }
    let found = spans(read, "capture.sparse")
    let first = try #require(found.first)
    #expect(found.count == 1 && (20...26).contains(first.length), "\(first.length) s")
    let (stream, _) = try #require(read.facts.first { $0.value.ssrc == 8 })
    let last = try #require(read.samples[stream]?.last)
    let made = try #require(last[.concealedSamples])
    let silent = try #require(last[.silentConcealedSamples])
    let least = (everyMs > 2000 ? 0.3 : 0.6) * first.length
    #expect((made - silent) / 8000 > least, "\(made) concealed, \(silent) as silence")
  }

  @Test("comfort noise, bursts of talk and what keeps a way open are not sparse")
  func notSparse() throws {
    let quiet = try call {
      talk(&$0, to: 4000)
      talk(&$0, type: 13, from: 4000, first: 30_145, every: 1000, size: 1, timestamp: 8 * 2900)
    }
    let bursts = try call { b in
      for n in 0..<12 {
        let start = 1100 + 2000 * Double(n)
        talk(&b, from: start, to: start + 200, first: 30_000 + 10 * n, timestamp: 16_000 * n)
      }
    }
    let kept = try call {
      talk(&$0, to: 4000)
      talk(&$0, from: 4000, first: 30_145, every: 12_000, timestamp: 8 * 2900)
    }
    for read in [quiet, bursts, kept] { #expect(spans(read, "capture.sparse").isEmpty) }
  }

  @Test(
    "digital silence up to the end is reported with its share; what ends was a mute key",
    arguments: [0xFF, 0x7F, 0xD5])
  func digitalSilence(byte: UInt8) throws {
    let whole = try call { talk(&$0, byte: byte) }
    let first = try #require(spans(whole, "capture.digital-silence").first)
    #expect(first.length > 27 && first.event.argument("share").flatMap(Double.init) == 1)
    let half = try call {
      talk(&$0, to: 15_000)
      talk(&$0, from: 15_000, first: 30_695, byte: byte, timestamp: 8 * 13_900)
    }
    let second = try #require(spans(half, "capture.digital-silence").first)
    #expect(abs(second.length - 14) < 0.1)
    let muted = try call {
      talk(&$0, to: 20_000, byte: byte)
      talk(&$0, from: 20_000, first: 30_945, timestamp: 8 * 18_900)
    }
    #expect(spans(muted, "capture.digital-silence").isEmpty)
  }

  @Test("time that jumps ahead is noted as one that steps back is")
  func jump() throws {
    let read = try call {
      talk(&$0, to: 15_000)
      talk(&$0, from: 15_000, first: 30_695, timestamp: 8 * 13_900 + 8000 * 3600)
    }
    let first = try #require(spans(read, "capture.clock-jump").first)
    #expect(first.event.argument("jump_ms") == "3600000")
    #expect(read.notes.contains { $0.contains("stepped forward by 3600 s") })
    let pause = try call {
      talk(&$0, to: 10_000)
      talk(&$0, from: 22_000, first: 30_445, timestamp: 8 * 20_900)
    }
    #expect(spans(pause, "capture.clock-jump").isEmpty)
  }

  @Test("sound of the size that it has without the tag of SRTP was sent in the clear", arguments: [160, 170])
  func inTheClear(size: Int) throws {
    let read = try call(offer: "RTP/SAVP 0", answer: "RTP/SAVP 0", lines: Self.key) { talk(&$0, size: size) }
    #expect(spans(read, "capture.in-the-clear").isEmpty == (size == 170))
  }
}
