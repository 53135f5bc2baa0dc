import CallModel
import Testing

@Suite("SIP as a proxy sees it")
struct SIPProxyTests {
  typealias C = CaptureBuilder

  /// Who takes part, by the last byte of the address.
  private enum Host: UInt8 {
    case caller = 1
    case proxy = 5
    case first = 10
    case second = 11
  }

  /// A capture on a proxy, message by message.
  private struct Proxy {
    var builder = C()

    mutating func hop(
      _ ms: Double, _ from: Host, _ to: Host, _ start: String, _ cseq: String = "1 INVITE",
      branch: String = "caller", tag: String = "", body: String = ""
    ) {
      let request = start.contains(" ") ? start : "\(start) sip:bob@example.org SIP/2.0"
      let message = CallBuilder.sip(
        start.first?.isNumber == true ? "SIP/2.0 \(start)" : request, cseq, body: body,
        extra: "Via: SIP/2.0/UDP 10.0.0.1;branch=\(branch)\r\n", toTag: tag)
      let packet = builder.ip(
        C.udp(message, from: 5060, to: 5060), proto: 17, from: [10, 0, 0, from.rawValue],
        to: [10, 0, 0, to.rawValue])
      builder.add(packet, atMs: ms)
    }

    mutating func invite(_ ms: Double, _ target: Host, branch: String) {
      hop(ms, .proxy, target, "INVITE", branch: branch, body: CallBuilder.sdp("10.0.0.1", 40_000))
    }

    mutating func begin() {
      hop(0, .caller, .proxy, "INVITE", body: CallBuilder.sdp("10.0.0.1", 40_000))
      hop(1, .proxy, .caller, "100 Trying")
      invite(2, .first, branch: "first")
    }

    /// An answer on its way back, and its acknowledgement to the proxy where it refuses.
    mutating func answer(
      _ ms: Double, _ target: Host, _ start: String, branch: String, forwarded: Bool = true, body: String = ""
    ) {
      hop(ms, target, .proxy, start, branch: branch, tag: branch, body: body)
      if start.first ?? "0" > "2" { hop(ms + 1, .proxy, target, "ACK", "1 ACK", branch: branch, tag: branch) }
      if forwarded { hop(ms + 2, .proxy, .caller, start, tag: branch, body: body) }
    }

    /// The last target answers, talks with one packet in ten lost towards the caller, and is hung up on.
    mutating func talk(with target: Host, branch: String) {
      let address = "10.0.0.\(target.rawValue)"
      answer(600, target, "180 Ringing", branch: branch)
      answer(1000, target, "200 OK", branch: branch, body: CallBuilder.sdp(address, 50_000))
    }

    mutating func finish(with target: Host, branch: String) {
      hop(1050, .caller, .proxy, "ACK", "1 ACK", branch: "ack", tag: branch)
      hop(1051, .proxy, target, "ACK", "1 ACK", branch: "ack2", tag: branch)
      for n in 0..<100 {
        for back in [false, true] where !back || n % 10 != 5 {
          let rtp = C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: back ? 2 : 1, payload: 60)
          let hosts: [[UInt8]] = [[10, 0, 0, 1], [10, 0, 0, target.rawValue]]
          let packet = builder.ip(
            C.udp(rtp, from: back ? 50_000 : 40_000, to: back ? 40_000 : 50_000), proto: 17,
            from: hosts[back ? 1 : 0], to: hosts[back ? 0 : 1])
          builder.add(packet, atMs: 1060 + 20 * Double(n))
        }
      }
      hop(3100, .caller, .proxy, "BYE", "2 BYE", branch: "bye", tag: branch)
      hop(3101, .proxy, target, "BYE", "2 BYE", branch: "bye2", tag: branch)
    }
  }

  private func names(_ read: Recorder) -> [EventName] {
    read.events.map(\.event).filter { $0.group == .call }
  }

  private let whole: [EventName] = [
    .callRequestSent, .callRinging, .callAnswered, .callEstablished, .callEnded,
  ]

  @Test("a call that was passed on is reported once, from end to end, and nothing of it was sent again")
  func passedOn() throws {
    var proxy = Proxy()
    proxy.begin()
    proxy.talk(with: .first, branch: "first")
    proxy.finish(with: .first, branch: "first")
    let read = try Recorder.read(proxy.builder.pcap(), name: "caller.pcap")
    #expect(names(read) == whole)
    #expect(read.events.allSatisfy { $0.anomaly == nil })
    #expect(read.events.filter { $0.args.contains("\"passed_on\":true") }.count == 5)
    // What the callee sends, and loses, is what the caller hears.
    for (facts, totals) in read.streams {
      #expect(facts.direction == (facts.ssrc == 1 ? .outbound : .inbound))
      #expect(totals.lost == (facts.ssrc == 1 ? 0 : 10))
    }
  }

  @Test("the same message between the same addresses was sent again")
  func again() throws {
    var proxy = Proxy()
    proxy.begin()
    proxy.invite(502, .first, branch: "first")
    let read = try Recorder.read(proxy.builder.pcap(), name: "caller.pcap")
    #expect(read.events.filter { $0.anomaly == "sent again" }.map(\.raw) == ["SIP INVITE"])
  }

  @Test(
    "a branch that refuses is no end of the call while another one answers",
    arguments: ["486 Busy Here", "503 Service Unavailable", "302 Moved Temporarily"])
  func nextTarget(refusal: String) throws {
    var proxy = Proxy()
    proxy.begin()
    proxy.answer(100, .first, refusal, branch: "first", forwarded: false)
    proxy.invite(110, .second, branch: "second")
    proxy.talk(with: .second, branch: "second")
    proxy.finish(with: .second, branch: "second")
    let read = try Recorder.read(proxy.builder.pcap(), name: "caller.pcap")
    #expect(names(read) == whole)
    #expect(read.events.contains { $0.event == .unknown && $0.raw == "SIP \(refusal) (INVITE)" })
  }

  @Test(
    "of a forked call the branch that is cancelled is no end, whether before or after the ACK of the other")
  func forked() throws {
    for ms in [950.0, 1020, 1060] {
      var proxy = Proxy()
      proxy.begin()
      proxy.invite(3, .second, branch: "second")
      proxy.talk(with: .first, branch: "first")
      proxy.answer(ms, .second, "487 Request Terminated", branch: "second", forwarded: false)
      proxy.finish(with: .first, branch: "first")
      proxy.builder.frames.sort { $0.timeUs < $1.timeUs }
      let read = try Recorder.read(proxy.builder.pcap(), name: "caller.pcap")
      #expect(names(read) == whole, "487 at \(ms) ms")
    }
  }

  @Test("a forked call says how many phones rang", arguments: [true, false])
  func twoRang(second: Bool) throws {
    var proxy = Proxy()
    proxy.begin()
    proxy.invite(3, .second, branch: "second")
    if second { proxy.answer(50, .second, "180 Ringing", branch: "second") }
    proxy.answer(60, .first, "180 Ringing", branch: "first")
    proxy.talk(with: .first, branch: "first")
    proxy.finish(with: .first, branch: "first")
    proxy.builder.frames.sort { $0.timeUs < $1.timeUs }
    let read = try Recorder.read(proxy.builder.pcap(), name: "caller.pcap")
    let answer = try #require(read.events.first { $0.event == .callAnswered })
    #expect(answer.args.contains("\"phones_rang\":2") == second, "\(answer.args)")
  }

  @Test("where nobody takes the call, the response that the caller got is how it failed")
  func allRefuse() throws {
    var proxy = Proxy()
    proxy.begin()
    proxy.invite(3, .second, branch: "second")
    proxy.answer(100, .first, "503 Service Unavailable", branch: "first", forwarded: false)
    proxy.answer(200, .second, "486 Busy Here", branch: "second")
    proxy.answer(300, .first, "487 Request Terminated", branch: "first", forwarded: false)
    let read = try Recorder.read(proxy.builder.pcap(), name: "caller.pcap")
    #expect(names(read) == [.callRequestSent, .callFailed])
    let failed = try #require(read.events.first { $0.event == .callFailed })
    #expect(failed.args.contains("\"code\":486") && failed.args.contains("\"outcome\":\"busy\""))
  }
}
