import CallModel
import Testing

@Suite("A phone behind a NAT that names its private address")
struct BehindNATTests {
  private typealias C = CaptureBuilder

  /// The messages of the number-th agreement: A's INVITE 20 ms before B's answer, and an ACK.
  private static func agree(
    _ number: Int, atMs: Double, on descriptions: (offer: String, answer: String),
    _ send: (Double, [UInt8], _ isBack: Bool) -> Void
  ) {
    let (request, tag) = ("\(number) INVITE", number == 1 ? "" : "2")
    let line = "sip:bob@example.org SIP/2.0"
    send(atMs - 20, CallBuilder.sip("INVITE \(line)", request, body: descriptions.offer, toTag: tag), false)
    send(atMs, CallBuilder.sip("SIP/2.0 200 OK", request, body: descriptions.answer, toTag: "2"), true)
    send(atMs + 10, CallBuilder.sip("ACK \(line)", "\(number) ACK", toTag: "2"), false)
  }

  /// What the extra of B's sound says, which goes to the private address up to a moment and to the public one from then on.
  private func extra(learntAtMs: Double, farEnd: [UInt8] = [203, 0, 113, 7]) throws -> String {
    var b = C()
    func send(_ ms: Double, _ message: [UInt8], back: Bool = false) {
      let (from, to) = back ? (C.b, farEnd) : (farEnd, C.b)
      b.add(b.ip(C.udp(message, from: 5060, to: 5060), proto: 17, from: from, to: to), atMs: ms)
    }
    func sound(_ n: Int, _ ssrc: Int, from: ([UInt8], Int), to: ([UInt8], Int)) {
      let rtp = C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: ssrc, payload: 60)
      b.add(
        b.ip(C.udp(rtp, from: from.1, to: to.1), proto: 17, from: from.0, to: to.0),
        atMs: 1060 + 20 * Double(n))
    }
    Self.agree(
      1, atMs: 1000, on: (CallBuilder.sdp("192.168.1.5", 4000), CallBuilder.sdp("198.51.100.20", 50_000))
    ) {
      send($0, $1, back: $2)
    }
    for n in 0..<500 {
      sound(n, 70_001, from: (farEnd, 21_044), to: (C.b, 50_000))
      let isPublic = 20 * Double(n) >= learntAtMs
      sound(n, 70_002, from: (C.b, 50_000), to: isPublic ? (farEnd, 21_044) : ([192, 168, 1, 5], 4000))
    }
    let read = try Recorder.read(b.pcap())
    let (stream, _) = try #require(read.facts.first { $0.value.ssrc == 70_002 })
    return read.totals[stream]?.extra ?? ""
  }

  /// What the extra of A's sound to `port` of B says. B names 50000, or from 5 s on 50100 if it moves, and sends from there.
  private func extra(sentTo port: Int, moves: Bool = false, alsoFrom other: Int? = nil) throws -> String {
    var b = C()
    func send(_ ms: Double, _ message: [UInt8], back: Bool = false) {
      b.addUDP(message, atMs: ms, from: 5060, to: 5060, back: back)
    }
    Self.agree(
      1, atMs: 500, on: (CallBuilder.sdp("192.0.2.10", 40_000), CallBuilder.sdp("198.51.100.20", 50_000))
    ) {
      send($0, $1, back: $2)
    }
    if moves {
      Self.agree(
        2, atMs: 5020, on: (CallBuilder.sdp("192.0.2.10", 40_000), CallBuilder.sdp("198.51.100.20", 50_100))
      ) {
        send($0, $1, back: $2)
      }
    }
    for n in 0..<650 {
      let ms = 600 + 20 * Double(n)
      func sound(_ ssrc: Int) -> [UInt8] {
        C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: ssrc, payload: 60)
      }
      b.addUDP(sound(70_001), atMs: ms, to: port)
      b.addUDP(sound(70_002), atMs: ms + 1, to: moves && ms > 5030 ? 50_100 : 50_000, back: true)
      if let other { b.addUDP(sound(70_003), atMs: ms + 2, to: other, back: true) }
    }
    let read = try Recorder.read(b.pcap())
    let (stream, _) = try #require(read.facts.first { $0.value.ssrc == 70_001 })
    return read.totals[stream]?.extra ?? ""
  }

  @Test("sound to a port that SDP does not name, or to where the far end was before, went astray")
  func elsewhere() throws {
    #expect(try !extra(sentTo: 50_000).contains("astray"))
    let port = try extra(sentTo: 50_010)
    #expect(
      port.contains(
        #""astray":{"to":"198.51.100.20:50010","far_end":"198.51.100.20:50000","named":true,"from_ms":"#),
      "\(port)")
    #expect(
      try !extra(sentTo: 50_010, alsoFrom: 50_010).contains("astray"), "whoever sends there listens there")
    let former = try extra(sentTo: 50_000, moves: true)
    #expect(former.contains(#""far_end":"198.51.100.20:50100""#), "\(former)")
    #expect(
      former.contains(#""from_ms":170000000503"#) || former.contains(#""from_ms":170000000504"#), "\(former)")
    #expect(try !extra(sentTo: 50_100, moves: true).contains("astray"))
  }

  /// A description that A sends: when, from which host, and where it has A's audio, which comes from there.
  private struct Step {
    var ms: Double
    var host: [UInt8]
    var audio: [UInt8]
  }

  /// What the extra of B's sound says, which goes where `sentTo` has it.
  private func extra(_ steps: [Step], sentTo: (Double) -> [UInt8]?) throws -> String {
    var b = C()
    func send(_ ms: Double, _ payload: [UInt8], _ port: Int, from: [UInt8], to: [UInt8]) {
      b.add(b.ip(C.udp(payload, from: port, to: port), proto: 17, from: from, to: to), atMs: ms)
    }
    for (number, step) in steps.enumerated() {
      let offer = CallBuilder.sdp(step.audio.map(String.init).joined(separator: "."), 40_000)
      Self.agree(number + 1, atMs: step.ms + 20, on: (offer, CallBuilder.sdp("198.51.100.20", 40_000))) {
        send($0, $1, 5060, from: $2 ? C.b : step.host, to: $2 ? step.host : C.b)
      }
    }
    for n in 0..<1000 {
      let ms = 100 + 20 * Double(n)
      func sound(_ ssrc: Int) -> [UInt8] {
        C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: ssrc, payload: 60)
      }
      let audio = try #require(steps.last { $0.ms + 50 <= ms }).audio
      send(ms, sound(70_000 + Int(audio[3])), 40_000, from: audio, to: C.b)
      if let to = sentTo(ms) { send(ms + 1, sound(80_000), 40_000, from: C.b, to: to) }
    }
    let read = try Recorder.read(b.pcap())
    // Media that goes to another address may be a stream of its own there.
    let streams = read.facts.filter { $0.value.ssrc == 80_000 }.keys
    #expect(!streams.isEmpty)
    return streams.compactMap { read.totals[$0]?.extra }.joined(separator: "\n")
  }

  @Test("a phone that goes on in another network says so from there; what goes to the old one went astray")
  func handover() throws {
    let new: [UInt8] = [203, 0, 113, 9]
    let steps = [Step(ms: 0, host: C.a, audio: C.a), Step(ms: 5000, host: new, audio: new)]
    let left = try extra(steps) { _ in C.a }
    #expect(left.contains(#""far_end":"203.0.113.9:40000","named":true"#), "\(left)")
    #expect(try !extra(steps) { $0 < 5030 ? C.a : new }.contains("astray"))
  }

  @Test("after music from a server of its own, what goes on to the server went astray")
  func music() throws {
    let server: [UInt8] = [203, 0, 113, 50]
    let steps = [
      Step(ms: 0, host: C.a, audio: C.a), Step(ms: 5000, host: C.a, audio: server),
      Step(ms: 10_000, host: C.a, audio: C.a),
    ]
    func sent(after: [UInt8]) throws -> String {
      try extra(steps) { $0 < 5000 ? C.a : $0 < 10_060 ? nil : after }
    }
    let left = try sent(after: server)
    #expect(left.contains(#""astray":{"to":"203.0.113.50:40000""#), "\(left)")
    #expect(try !sent(after: C.a).contains("astray"))
  }

  @Test("sound that goes there all the time went astray, and none that follows the far end's own")
  func astray() throws {
    #expect(try extra(learntAtMs: 99_000).contains(#""to":"192.168.1.5:4000","far_end":"203.0.113.7:21044""#))
    #expect(try !extra(learntAtMs: 300).contains("astray"))
    #expect(try !extra(learntAtMs: 99_000, farEnd: [192, 168, 1, 9]).contains("astray"), "one network")
  }
}
