import CallModel
import Foundation
import Testing

@testable import Captures
@testable import Packets
@testable import Signalling

@Suite("Captures that lack part of what passed")
struct CutCaptureTests {
  typealias C = CaptureBuilder

  /// A call whose descriptions are behind so much else that a snaplen of 400 cuts them off, and its sound.
  private func call() -> C {
    let long = "X-Info: " + String(repeating: "y", count: 300) + "\r\n"
    var b = C()
    func message(_ first: String, _ sequence: String, ms: Double, body: String = "", tag: String = "2") {
      b.addUDP(
        CallBuilder.sip(first, sequence, body: body, extra: body.isEmpty ? "" : long, toTag: tag), atMs: ms,
        from: 5060, to: 5060, back: first.hasPrefix("SIP"))
    }
    message(
      "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", ms: 0, body: CallBuilder.sdp("192.0.2.10", 40_000),
      tag: "")
    message("SIP/2.0 180 Ringing", "1 INVITE", ms: 100)
    message("SIP/2.0 200 OK", "1 INVITE", ms: 1000, body: CallBuilder.sdp("198.51.100.20", 50_000))
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
