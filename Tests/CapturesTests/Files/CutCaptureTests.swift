import CallModel
import Foundation
import Testing

@testable import Packets
@testable import Signalling

@Suite("Captures that lack part of what passed")
struct CutCaptureTests {
  typealias C = CaptureBuilder

  /// A call whose descriptions are behind so much else that a snaplen of 400 cuts them off, and its sound.
  private func call(offer: String = "", answer: String = "") -> C {
    let long = "X-Info: " + String(repeating: "y", count: 300) + "\r\n"
    var b = C()
    func message(_ first: String, _ sequence: String, ms: Double, body: String = "", tag: String = "2") {
      b.addUDP(
        CallBuilder.sip(first, sequence, body: body, extra: body.isEmpty ? "" : long, toTag: tag), atMs: ms,
        from: 5060, to: 5060, back: first.hasPrefix("SIP"))
    }
    message(
      "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", ms: 0,
      body: CallBuilder.sdp("192.0.2.10", 40_000) + offer, tag: "")
    message("SIP/2.0 180 Ringing", "1 INVITE", ms: 100)
    message(
      "SIP/2.0 200 OK", "1 INVITE", ms: 1000, body: CallBuilder.sdp("198.51.100.20", 50_000) + answer)
    message("ACK sip:bob@example.org SIP/2.0", "1 ACK", ms: 1050)
    for n in 0..<300 {
      b.addUDP(C.rtp(sequence: n, timestamp: 160 * n, ssrc: 7), atMs: 1100 + 20 * Double(n))
      b.addUDP(C.rtp(sequence: n, timestamp: 160 * n, ssrc: 8), atMs: 1105 + 20 * Double(n), back: true)
    }
    message("BYE sip:bob@example.org SIP/2.0", "2 BYE", ms: 7200)
    return b
  }

  private func expectOneCall(_ read: Recorder) {
    #expect(read.streams.count == 2)
    for connection in Set(read.connectionOfStream.values) {
      #expect(read.connections[connection]?.identities.contains { $0.kind == .sip } == true)
    }
  }

  @Test("media between the two hosts is that of the call whose descriptions the snaplen cut")
  func cutDescription() throws {
    let read = try Recorder.read(call().pcap(snaplen: 400))
    expectOneCall(read)
    #expect(read.notes.contains { $0.contains("2 SIP messages were cut by the snaplen") })
    let whole = try Recorder.read(call().pcap())
    expectOneCall(whole)
    #expect(!whole.notes.contains { $0.contains("cut") })
  }

  @Test(
    "a message that the snaplen cut within its head tells what its whole lines tell, and one without a call is counted",
    arguments: [(200, "4 SIP messages were cut", false), (120, "5 SIP messages were cut", true)])
  func cutHead(snaplen: Int, said: String, isUnusable: Bool) throws {
    let read = try Recorder.read(call().pcap(snaplen: snaplen))
    let cut = read.notes.first { $0.contains("SIP messages were cut") } ?? ""
    #expect(cut.contains("too little left to show which call") == isUnusable, "\(read.notes)")
    guard !isUnusable else { return }
    expectOneCall(read)
    let names = Set(read.events.map(\.event))
    #expect(
      names.isSuperset(of: [
        .callRequestSent, .callRinging, .callAnswered, .callEstablished, .callEnded,
      ]))
  }

  @Test("who may send audio is unknown if the snaplen truncated what says it")
  func cutDirection() throws {
    let b = call(offer: "a=recvonly\r\n", answer: "a=sendonly\r\n")
    func senders(snaplen: Int) throws -> String? {
      let events = try Recorder.read(b.pcap(snaplen: snaplen)).events
      return try #require(events.first { $0.event == .callEstablished }).argument("sound_from")
    }
    let longest = b.frames.map(\.bytes.count).max() ?? 0
    #expect(Set(try stride(from: 400, to: longest, by: 7).map(senders)) == ["unknown", "callee"])
    #expect(try senders(snaplen: longest) == "callee")
  }

  @Test("a picture whose section the snaplen cut off is of the call whose sound was described")
  func cutSecondSection() throws {
    var b = C()
    let rest = String(repeating: "a=x-info:yyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n", count: 10)
    for (first, back, ms) in [
      ("INVITE sip:bob@example.org SIP/2.0", false, 0.0), ("SIP/2.0 200 OK", true, 1000),
    ] {
      b.addUDP(
        CallBuilder.sip(
          first, "1 INVITE",
          body: CallBuilder.sdp(back ? "198.51.100.20" : "192.0.2.10", back ? 50_000 : 40_000) + rest
            + "m=video \(back ? 50_002 : 40_002) RTP/AVP 96\r\na=rtpmap:96 VP8/90000\r\n",
          toTag: back ? "2" : ""),
        atMs: ms, from: 5060, to: 5060, back: back)
    }
    b.addUDP(
      CallBuilder.sip("ACK sip:bob@example.org SIP/2.0", "1 ACK", toTag: "2"), atMs: 1050, from: 5060,
      to: 5060)
    for n in 0..<200 {
      let ms = 1100 + 20 * Double(n)
      b.addUDP(C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: 7), atMs: ms)
      b.addUDP(
        C.rtp(type: 96, sequence: n, timestamp: 1800 * n, ssrc: 9), atMs: ms + 3, from: 40_002, to: 50_002)
    }
    let read = try Recorder.read(b.pcap(snaplen: 450))
    expectOneCall(read)
    #expect(
      !read.events.contains { $0.args.contains("\"agreed\"") || $0.event == .mediaTakenAway },
      "what was cut is not what was refused: \(read.events.map(\.raw))")
  }

  @Test(
    "of a change that was cut before it says who may send, silence from then on is no loss",
    arguments: [330, 1500])
  func cutHold(snaplen: Int) throws {
    var b = C()
    func signal(_ ms: Double, _ first: String, _ sequence: String, _ direction: String?, tag: String = "2") {
      let back = first.hasPrefix("SIP")
      let sdp = CallBuilder.sdp(back ? "198.51.100.20" : "192.0.2.10", back ? 50_000 : 40_000)
      b.addUDP(
        CallBuilder.sip(first, sequence, body: direction.map { sdp + "a=\($0)\r\n" } ?? "", toTag: tag),
        atMs: ms,
        from: 5060, to: 5060, back: back)
    }
    signal(0, "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", "sendrecv", tag: "")
    signal(500, "SIP/2.0 200 OK", "1 INVITE", "sendrecv")
    signal(550, "ACK sip:bob@example.org SIP/2.0", "1 ACK", nil)
    for n in 0..<800 {
      let ms = 600 + 20 * Double(n)
      if n < 200 {
        b.addUDP(C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: 7, payload: 60), atMs: ms)
      }
      b.addUDP(
        C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: 8, payload: 60), atMs: ms + 5, back: true)
    }
    signal(4600, "INVITE sip:bob@example.org SIP/2.0", "2 INVITE", "recvonly")
    signal(4700, "SIP/2.0 200 OK", "2 INVITE", "sendonly")
    signal(4750, "ACK sip:bob@example.org SIP/2.0", "2 ACK", nil)
    signal(16_700, "BYE sip:bob@example.org SIP/2.0", "3 BYE", nil)
    b.frames.sort { $0.timeUs < $1.timeUs }
    let read = try Recorder.read(b.pcap(snaplen: snaplen))
    let stream = try #require(read.facts.first { $0.value.ssrc == 7 }?.key)
    let played = (read.samples[stream] ?? []).filter { $0.timeMs > 1_700_000_006_000 }
    let concealed = played.compactMap { $0[.concealedSamples] }.max() ?? 0
    let before =
      (read.samples[stream] ?? []).filter { $0.timeMs < 1_700_000_004_500 }
      .compactMap { $0[.concealedSamples] }.max() ?? 0
    #expect(
      read.events.contains {
        $0.event == .mediaTakenAway && $0.args.contains("\"cut\"") == (snaplen < 1000)
      }, "\(read.events.map(\.event))")
    #expect(concealed - before < 48_000, "what did not have to come was not concealed: \(concealed - before)")
  }

  @Test("of a description that was cut amid a line only whole lines count")
  func cutLine() throws {
    let sdp = CallBuilder.sdp("192.0.2.10", 40_000)
    let invite = CallBuilder.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: sdp)
    let port = try #require(sdp.range(of: "m=audio 400"))
    let cut = invite.count - sdp.utf8.count + sdp[..<port.upperBound].utf8.count
    let message = try #require(
      invite.withUnsafeBytes { all in all.baseAddress.flatMap { SIPMessage(Octets($0, count: all.count)) } })
    invite.withUnsafeBytes { all in
      guard let base = all.baseAddress else { return }
      let body = Octets(base, count: cut).from(message.bodyAt)
      #expect(SIPBody.description(message, body) == nil)
    }
  }

  @Test("a capture cut so short that no SIP can be read says so")
  func cutHead() throws {
    let read = try Recorder.read(call().pcap(snaplen: 96))
    #expect(read.notes.contains { $0.contains("5 SIP messages were cut by the snaplen") })
  }

  @Test("datagrams of which a fragment is missing are counted at the end, and the call's media joins it")
  func missingFragments() throws {
    var b = call()
    // INVITE and 200 in two fragments each, of which the capture has the first.
    for i in [0, 2] {
      let ip = Array(b.frames[i].bytes.dropFirst(14))
      let first = Array(ip[..<6]) + [0x20, 0] + ip[8..<(20 + 200)]
      let length = C.be16(first.count)
      b.frames[i].bytes = Array(b.frames[i].bytes.prefix(14)) + first[..<2] + length + first[4...]
      b.frames[i].wireLength = b.frames[i].bytes.count
    }
    let read = try Recorder.read(b.pcap())
    expectOneCall(read)
    #expect(read.notes.contains { $0.hasPrefix("2 datagrams in IP fragments") })
  }
}
