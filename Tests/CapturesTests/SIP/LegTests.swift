import CallModel
import Testing

@Suite("Calls that a back-to-back user agent carries on")
struct LegTests {
  typealias C = CaptureBuilder

  /// The last bytes of the addresses of who takes part.
  private enum Host: UInt8 {
    case caller = 1
    case agent = 5
    case callee = 10
  }

  /// A call through an agent that has another Call-ID on its other side, captured there; media goes between `first` and
  /// `second` addresses as the legs name them. `changing` the SSRC where it is anchored; `names` of the call in the INVITEs.
  private func twoLegs(
    anchored: Bool, changing: Bool = false, names: [String: String] = [:], tags: [String: String] = [:]
  ) throws
    -> Recorder
  {
    var b = C()
    func hop(
      _ ms: Double, _ from: Host, _ to: Host, _ start: String, _ cseq: String, _ leg: String,
      _ sdp: String = ""
    ) {
      let message = CallBuilder.sip(
        start, cseq, body: sdp, extra: "User-Agent: \(from)\r\n" + (names[leg] ?? ""), call: leg,
        toTag: start.hasPrefix("INVITE") ? "" : leg)
      let text = String(decoding: message, as: UTF8.self).replacing(
        "tag=1\r\n", with: "tag=\(tags[leg] ?? "of-\(leg)")\r\n")
      b.add(packet(Array(text.utf8), from, to, 5060, 5060), atMs: ms)
    }
    func packet(_ payload: [UInt8], _ from: Host, _ to: Host, _ source: Int, _ destination: Int) -> [UInt8] {
      var frame = C()
      return frame.ip(
        C.udp(payload, from: source, to: destination), proto: 17, from: [10, 0, 0, from.rawValue],
        to: [10, 0, 0, to.rawValue])
    }
    let (caller, callee) = (CallBuilder.sdp("10.0.0.1", 40_000), CallBuilder.sdp("10.0.0.10", 50_000))
    let toCaller = anchored ? CallBuilder.sdp("10.0.0.5", 60_000) : callee
    let toCallee = anchored ? CallBuilder.sdp("10.0.0.5", 60_002) : caller
    hop(0, .caller, .agent, "INVITE sip:bob@example.org SIP/2.0", "1 INVITE", "leg-1", caller)
    let number = tags.isEmpty ? "900 INVITE" : "1 INVITE"
    hop(5, .agent, .callee, "INVITE sip:bob@example.org SIP/2.0", number, "leg-2", toCallee)
    hop(100, .callee, .agent, "SIP/2.0 180 Ringing", number, "leg-2")
    hop(105, .agent, .caller, "SIP/2.0 180 Ringing", "1 INVITE", "leg-1")
    hop(1000, .callee, .agent, "SIP/2.0 200 OK", number, "leg-2", callee)
    hop(1005, .agent, .caller, "SIP/2.0 200 OK", "1 INVITE", "leg-1", toCaller)
    hop(1010, .caller, .agent, "ACK sip:bob@example.org SIP/2.0", "1 ACK", "leg-1")
    hop(1015, .agent, .callee, "ACK sip:bob@example.org SIP/2.0", "900 ACK", "leg-2")
    for n in 0..<250 {
      let ms = 1020 + 20 * Double(n)
      func rtp(_ ssrc: Int) -> [UInt8] {
        C.rtp(type: 98, sequence: n, timestamp: 960 * n, ssrc: ssrc, payload: 60)
      }
      if anchored {
        b.add(packet(rtp(70_001), .caller, .agent, 40_000, 60_000), atMs: ms)
        b.add(packet(rtp(changing ? 80_001 : 70_001), .agent, .callee, 60_002, 50_000), atMs: ms + 1)
        b.add(packet(rtp(70_002), .callee, .agent, 50_000, 60_002), atMs: ms + 2)
        b.add(packet(rtp(changing ? 80_002 : 70_002), .agent, .caller, 60_000, 40_000), atMs: ms + 3)
      } else {
        b.add(packet(rtp(70_001), .caller, .callee, 40_000, 50_000), atMs: ms)
        b.add(packet(rtp(70_002), .callee, .caller, 50_000, 40_000), atMs: ms + 2)
      }
    }
    hop(6100, .caller, .agent, "BYE sip:bob@example.org SIP/2.0", "2 BYE", "leg-1")
    hop(6105, .agent, .callee, "BYE sip:bob@example.org SIP/2.0", "901 BYE", "leg-2")
    return try Recorder.read(b.pcap())
  }

  @Test("legs that name the same addresses for media are one call with one pair of ends")
  func direct() throws {
    let read = try twoLegs(anchored: false)
    #expect(read.connections.count == 2)
    for connection in read.connections.values {
      #expect(connection.identities.contains(Identity(.sip, "leg-1@example.org")))
      #expect(connection.identities.contains(Identity(.sip, "leg-2@example.org")))
    }
    // Each end is named by itself.
    #expect(Set(read.connections.values.map(\.userAgent)) == ["caller", "callee"])
    #expect(Set(read.connectionOfStream.values).count == 2)
    let names: [EventName] = [.callAnswered, .callEstablished, .callEnded, .callUpdated]
    // Once an end each.
    #expect(names.map { name in read.events.filter { $0.event == name }.count } == [2, 2, 2, 0])
    let ended = try #require(read.events.first { $0.event == .callEnded })
    #expect(ended.args.contains("\"by\":\"caller\"") && ended.raw == "SIP BYE")
    let start = try #require(read.events.compactMap(\.timeMs).min())
    #expect(try #require(ended.timeMs) - start == 6100)
  }

  @Test("legs between which media is passed on as it is are one call")
  func passedOn() throws {
    let read = try twoLegs(anchored: true)
    #expect(read.connections.count == 2)
    for connection in read.connections.values {
      #expect(connection.identities.filter { $0.kind == .sip }.count == 2)
    }
    #expect(Set(read.connections.values.map(\.userAgent)) == ["caller", "callee"])
    let names: [EventName] = [.callIncoming, .callAnswered, .callEstablished, .callEnded]
    #expect(names.map { name in read.events.filter { $0.event == name }.count } == [1, 2, 2, 2])
  }

  @Test(
    "legs that bear one name are one call, whatever becomes of media",
    arguments: [
      ("Session-ID: ab30317f1a784dc48ff824d0d3715d86;remote=47755a9de7794ba387653f2099600ef2\r\n", nil),
      ("P-Charging-Vector: icid-value=\"1234bc9876e-feed-4\";orig-ioi=home\r\n", nil),
      ("", "X-CID: leg-1@example.org\r\n"),
    ])
  func named(first: String, second: String?) throws {
    let read = try twoLegs(
      anchored: true, changing: true, names: ["leg-1": first, "leg-2": second ?? first])
    #expect(read.connections.count == 2)
    #expect(Set(read.connections.values.map(\.userAgent)) == ["caller", "callee"])
    #expect(read.events.filter { $0.event == .callEnded }.count == 2)
  }

  @Test(
    "legs of one caller's tag and number are one call, where the second comes from whom the first went to")
  func hidden() throws {
    let read = try twoLegs(anchored: true, changing: true, tags: ["leg-1": "a7f3c2b1", "leg-2": "a7f3c2b1"])
    #expect(read.connections.count == 2)
    #expect(read.events.filter { $0.event == .callEnded }.count == 2)
  }

  @Test(
    "legs between which media is anchored and made anew stay two calls",
    arguments: ["", "Session-ID: 00000000000000000000000000000000\r\n"])
  func anchored(name: String) throws {
    let read = try twoLegs(anchored: true, changing: true, names: ["leg-1": name, "leg-2": name])
    #expect(read.connections.count == 4)
    #expect(read.connections.values.allSatisfy { $0.identities.filter { $0.kind == .sip }.count == 1 })
    #expect(Set(read.connectionOfStream.values).count == 4)
  }
}
