import CallModel
import Testing

@Suite("Media that a description takes away")
struct TakenAwayTests {
  private typealias C = CaptureBuilder

  private static let hosts = ["192.0.2.10", "198.51.100.20"]

  /// A description of an end: its sound, and what it says of its picture.
  private static func sdp(ofB: Bool, picture: String) -> String {
    let sound = CallBuilder.sdp(hosts[ofB ? 1 : 0], ofB ? 50_000 : 40_000)
    switch picture {
    case "": return sound
    case "refused": return sound + "m=video 0 RTP/AVP 97\r\n"
    case "bundled": return sound + "m=video 0 RTP/AVP 97\r\na=bundle-only\r\n"
    default:
      return sound
        + "m=video \(ofB ? 50_002 : 40_002) RTP/AVP 97\r\na=rtpmap:97 VP8/90000\r\na=\(picture)\r\n"
    }
  }

  /// A call with a picture from the sixth second on, of which descriptions say something else at ten and at fourteen seconds.
  private func call(_ offer: String, _ reply: String, thenBack: Bool = false, cut: Bool = false) throws
    -> [String: [String]]
  {
    var call = TalkBuilder()
    func agree(_ ms: Double, _ number: Int, _ offer: String, _ reply: String) {
      call.request(ms, "INVITE", number, body: Self.sdp(ofB: false, picture: offer))
      call.answer(ms + 10, "200 OK", "\(number) INVITE", body: Self.sdp(ofB: true, picture: reply))
      call.request(ms + 20, "ACK", number)
    }
    agree(6000, 2, "sendrecv", "sendrecv")
    agree(10_000, 3, offer, reply)
    if thenBack { agree(14_000, 4, "sendrecv", "sendrecv") }
    for byB in [false, true] { call.talk(from: 1060, to: 20_000, byB: byB) }
    call.request(20_000, "BYE", 5)
    var changes: [String: [String]] = [:]
    for end in ["caller", "callee"] {
      changes[end] = try call.read(at: end).events.filter {
        $0.event == .mediaTakenAway || $0.event == .mediaGivenBack
      }
      .map {
        "\($0.event) \($0.argument("kind") ?? "?") \(Int(($0.timeMs ?? 0) - Double(call.builder.startUs) / 1000))"
      }
    }
    return changes
  }

  private static let back = "media.given-back video"
  private static let taken = "media.taken-away video"

  @Test(
    "a picture that neither end may send any more is told to both, from the answer on",
    arguments: [("refused", "refused"), ("inactive", "inactive"), ("sendrecv", "refused"), ("", "")])
  func takenAway(offer: String, reply: String) throws {
    let changes = try call(offer, reply)
    let all = ["\(Self.back) 6010", "\(Self.taken) 10010"]
    #expect(changes == ["caller": all, "callee": all])
  }

  @Test("one that only one end takes away is told to who sees nothing of it")
  func oneWay() throws {
    let changes = try call("recvonly", "sendonly")
    #expect(changes["callee"] == ["\(Self.back) 6010", "\(Self.taken) 10010"])
    #expect(changes["caller"] == ["\(Self.back) 6010"])
  }

  @Test("it is given back by the next description")
  func givenBack() throws {
    let changes = try call("refused", "refused", thenBack: true)
    #expect(changes["caller"] == ["\(Self.back) 6010", "\(Self.taken) 10010", "\(Self.back) 14010"])
  }

  @Test("port 0 of a picture that is bundled with sound takes nothing away")
  func bundled() throws {
    #expect(try call("bundled", "sendrecv")["caller"] == ["\(Self.back) 6010"])
  }

  /// A call that one end turns into a fax at ten seconds.
  private func fax(_ media: (_ port: Int) -> String) throws -> Recorder {
    var call = TalkBuilder()
    func described(_ host: String, _ port: Int) -> String {
      "v=0\r\no=- 1 2 IN IP4 \(host)\r\ns=-\r\nc=IN IP4 \(host)\r\nt=0 0\r\n" + media(port)
    }
    call.request(10_000, "INVITE", 2, body: described(Self.hosts[1], 50_000), byB: true)
    call.answer(10_010, "200 OK", "2 INVITE", body: described(Self.hosts[0], 40_000), byA: true)
    call.request(10_020, "ACK", 2, byB: true)
    for byB in [false, true] { call.talk(from: 1060, to: 10_000, byB: byB) }
    for n in 0..<500 {
      for byB in [false, true] {
        call.builder.addUDP(
          C.be16(n) + [6, 1, 2, 3, 4, 5, 6, 0, 0], atMs: 10_100 + 20 * Double(n), back: byB)
      }
    }
    call.request(20_200, "BYE", 3)
    return try call.read()
  }

  @Test("fax takes the place of sound, whose end is no outage and no hold")
  func faxed() throws {
    for read in try [
      fax { "m=image \($0) udptl t38\r\n" }, fax { "m=audio 0 RTP/AVP 98\r\nm=image \($0) udptl t38\r\n" },
    ] {
      let taken = try #require(
        read.events.first { $0.event == .mediaTakenAway && $0.argument("kind") == "audio" })
      #expect(taken.timeMs == 1_700_000_010_010)
      #expect(!read.events.contains { $0.event.isHold })
      let (stream, _) = try #require(read.facts.first { $0.value.ssrc == 8 })
      #expect(try #require(read.samples[stream]?.last?[.concealedSamples]) / 48 < 100)
    }
  }
}
