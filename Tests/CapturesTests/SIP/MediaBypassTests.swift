import CallModel
import Testing

@Suite("Media that passes a user agent by from another INVITE on")
struct MediaBypassTests {
  typealias C = CaptureBuilder

  private enum Host: UInt8 {
    case caller = 1
    case agent = 5
    case callee = 10
    var address: String { "10.0.0.\(rawValue)" }
  }

  private var builder = C()
  private var numbers = [0, 0]

  private mutating func send(_ ms: Double, _ payload: [UInt8], _ from: (Host, Int), _ to: (Host, Int)) {
    let udp = C.udp(payload, from: from.1, to: to.1)
    let packet = builder.ip(
      udp, proto: 17, from: [10, 0, 0, from.0.rawValue], to: [10, 0, 0, to.0.rawValue])
    builder.add(packet, atMs: ms)
  }

  /// A message of a leg, whose parties have the tags `near` and `far`: who sent the request, and whether it is an answer.
  private mutating func say(
    _ ms: Double, _ start: String, _ cseq: String, _ leg: String, by from: Host, to: Host,
    asked: (String, String), names host: (Host, Int)? = nil
  ) {
    let text = String(
      decoding: CallBuilder.sip(
        start, cseq, body: host.map { CallBuilder.sdp($0.0.address, $0.1) } ?? "", call: leg), as: UTF8.self
    )
    .replacing("From: <sip:alice@example.org>;tag=1", with: "From: <sip:alice@example.org>;tag=\(asked.0)")
    .replacing(
      "To: <sip:bob@example.org>",
      with: "To: <sip:bob@example.org>\(asked.1.isEmpty ? "" : ";tag=\(asked.1)")")
    send(ms, Array(text.utf8), (from, 5060), (to, 5060))
  }

  /// Both ends talk through the agent, or past it.
  private mutating func talk(from start: Double, to end: Double, direct: Bool) {
    for ms in stride(from: start, to: end, by: 20) {
      for side in 0...1 {
        let n = numbers[side]
        let rtp = C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: 70_001 + side, payload: 60)
        let (caller, callee) = ((Host.caller, 40_000), (Host.callee, 50_000))
        if direct {
          send(ms, rtp, side == 0 ? caller : callee, side == 0 ? callee : caller)
        } else {
          send(ms, rtp, side == 0 ? caller : callee, (.agent, side == 0 ? 60_000 : 60_002))
          let other = C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: 80_001 + side, payload: 60)
          send(ms + 1, other, (.agent, side == 0 ? 60_002 : 60_000), side == 0 ? callee : caller)
        }
        numbers[side] += 1
      }
    }
  }

  /// Two calls of an agent which after so long lets media go past it, and asks the legs for that in that order.
  private static func read(viaMs: Double, askedFirst: String) throws -> Recorder {
    var t = Self()
    let invite = "INVITE sip:bob@example.org SIP/2.0"
    t.say(0, invite, "1 INVITE", "one", by: .caller, to: .agent, asked: ("a", ""), names: (.caller, 40_000))
    t.say(9, invite, "1 INVITE", "two", by: .agent, to: .callee, asked: ("s", ""), names: (.agent, 60_002))
    let ok = "SIP/2.0 200 OK"
    t.say(500, ok, "1 INVITE", "two", by: .callee, to: .agent, asked: ("s", "b"), names: (.callee, 50_000))
    t.say(505, ok, "1 INVITE", "one", by: .agent, to: .caller, asked: ("a", "p"), names: (.agent, 60_000))
    let ack = "ACK sip:bob@example.org SIP/2.0"
    t.say(510, ack, "1 ACK", "one", by: .caller, to: .agent, asked: ("a", "p"))
    t.say(510, ack, "1 ACK", "two", by: .agent, to: .callee, asked: ("s", "b"))
    t.talk(from: 520, to: 520 + viaMs, direct: false)
    let again = 520 + viaMs
    for (i, leg) in [askedFirst, askedFirst == "one" ? "two" : "one"].enumerated() {
      let ms = again + 40 * Double(i)
      let (party, tags) = leg == "one" ? (Host.caller, ("p", "a")) : (.callee, ("s", "b"))
      let (own, other): ((Host, Int), (Host, Int)) =
        leg == "one"
        ? ((.caller, 40_000), (.callee, 50_000)) : ((.callee, 50_000), (.caller, 40_000))
      t.say(ms, invite, "2 INVITE", leg, by: .agent, to: party, asked: tags, names: other)
      t.say(ms + 10, ok, "2 INVITE", leg, by: party, to: .agent, asked: tags, names: own)
      t.say(ms + 20, ack, "2 ACK", leg, by: .agent, to: party, asked: tags)
    }
    t.talk(from: again + 80, to: again + 8080, direct: true)
    t.say(
      again + 8100, "BYE sip:bob@example.org SIP/2.0", "2 BYE", "one", by: .caller, to: .agent,
      asked: ("a", "p"))
    t.say(
      again + 8110, "BYE sip:bob@example.org SIP/2.0", "3 BYE", "two", by: .agent, to: .callee,
      asked: ("s", "b"))
    t.builder.frames.sort { $0.timeUs < $1.timeUs }
    return try Recorder.read(t.builder.pcap())
  }

  /// Call-ID of a stream's call.
  private func call(of stream: Int, _ read: Recorder) -> String? {
    read.connectionOfStream[stream].flatMap { read.connections[$0] }?.identities.first { $0.kind == .sip }?
      .value
  }

  @Test("both directions are one call's, whatever was sent before", arguments: [0, 3000.0], ["one", "two"])
  func together(viaMs: Double, askedFirst: String) throws {
    let read = try Self.read(viaMs: viaMs, askedFirst: askedFirst)
    let last = read.totals.filter { ($0.value.lastMs ?? 0) > Double(C().startUs) / 1000 + viaMs + 8000 }
    #expect(last.count == 2 && last.values.allSatisfy { $0.lost == 0 && ($0.packets ?? 0) >= 390 })
    #expect(Set(last.keys.map { call(of: $0, read) }).count == 1)
    // Nothing is concealed where what passed the agent ended.
    for (stream, samples) in read.samples {
      let made = try #require(samples.last?[.concealedSamples])
      #expect(made < 4800, "\(stream): \(made / 48) ms")
    }
    let events = read.events.filter { $0.raw == "capture.media-elsewhere" }
    let owner = try #require(last.keys.first.flatMap { call(of: $0, read) })
    // Once an end.
    #expect(events.count == 2 && events.allSatisfy { $0.args == "{\"call\":\"\(owner)\"}" }, "\(events)")
  }
}
