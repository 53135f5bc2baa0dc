import CallModel
import Testing

/// Ports that the next call of the same two hosts uses again.
@Suite("Two calls between the same addresses")
struct SamePortsTests {
  private typealias C = CaptureBuilder
  private typealias S = CallBuilder

  private func addVoice(
    _ b: inout C, fromMs: Double, count: Int = 100, ssrcs: (there: Int, back: Int?),
    ports: (Int, Int) = (40_000, 50_000),
    first: Int = 0
  ) {
    for n in 0..<count {
      func packet(_ ssrc: Int) -> [UInt8] {
        C.rtp(sequence: first + n, timestamp: 160 * (first + n), ssrc: ssrc)
      }
      let ms = fromMs + 20 * Double(n)
      b.addUDP(packet(ssrcs.there), atMs: ms, from: ports.0, to: ports.1)
      if let back = ssrcs.back {
        b.addUDP(packet(back), atMs: ms + 5, from: ports.0, to: ports.1, back: true)
      }
    }
  }

  private func addCall(_ b: inout C, atMs: Double, call: String, hangsUp: Bool = true) {
    func at(_ ms: Double, _ message: [UInt8], back: Bool = false) {
      b.addUDP(message, atMs: atMs + ms, from: 5060, to: 5060, back: back)
    }
    at(
      0,
      S.sip("INVITE sip:bob@example.org SIP/2.0", "1 INVITE", body: S.sdp("192.0.2.10", 40_000), call: call))
    at(
      500, S.sip("SIP/2.0 200 OK", "1 INVITE", body: S.sdp("198.51.100.20", 50_000), call: call, toTag: "2"),
      back: true)
    at(550, S.sip("ACK sip:bob@example.org SIP/2.0", "1 ACK", call: call, toTag: "2"))
    if hangsUp { at(2700, S.sip("BYE sip:bob@example.org SIP/2.0", "2 BYE", call: call, toTag: "2")) }
  }

  private func read(_ b: C) throws -> Recorder {
    var b = b
    b.frames.sort { $0.timeUs < $1.timeUs }
    return try Recorder.read(b.pcap())
  }

  /// SSRCs by the call that they are of: its Call-ID, else the names of its connections.
  private func calls(_ b: C) throws -> [Set<UInt32>] {
    let read = try read(b)
    var calls: [String: Set<UInt32>] = [:]
    for (stream, facts) in read.facts {
      guard let connection = read.connectionOfStream[stream], let of = read.connections[connection],
        let ssrc = facts.ssrc
      else { continue }
      let sip = of.identities.first { $0.kind == .sip }?.value
      let number = of.name?.split(separator: "#").last.map(String.init) ?? "?"
      calls[sip ?? "#\(number)", default: []].insert(ssrc)
    }
    return calls.values.sorted { ($0.min() ?? 0) < ($1.min() ?? 0) }
  }

  @Test("both ends silent, and then both with another SSRC, are another call; without SIP that is noted")
  func bothAnew() throws {
    var b = C()
    addVoice(&b, fromMs: 0, ssrcs: (11, 12))
    addVoice(&b, fromMs: 8000, ssrcs: (21, 22))
    #expect(try calls(b) == [[11, 12], [21, 22]])
    #expect(try read(b).notes.contains { $0.contains("1 calls without SIP follow others") })
  }

  @Test("a call that a long silence, or its end, parts from the one before is parted once")
  func partedOnce() throws {
    var b = C()
    addVoice(&b, fromMs: 0, ssrcs: (11, 12))
    addVoice(&b, fromMs: 70_000, ssrcs: (21, 22))
    #expect(try calls(b) == [[11, 12], [21, 22]])
    let read = try read(b)
    #expect(!read.notes.contains { $0.contains("separated by a silence") }, "\(read.notes)")
    #expect(Set(read.connections.values.compactMap { $0.name?.split(separator: "#").last }) == ["0", "1"])
  }

  @Test(
    "one end with another SSRC, or both after a short pause, go on with the same call",
    arguments: [(8000.0, 21, 12), (8000, 11, 22), (4000, 21, 22)])
  func goesOn(ms: Double, there: Int, back: Int) throws {
    var b = C()
    addVoice(&b, fromMs: 0, ssrcs: (11, 12))
    addVoice(&b, fromMs: ms, ssrcs: (there, back), first: 100)
    #expect(try calls(b).count == 1)
  }

  @Test(
    "an INVITE after all that passed before takes the addresses over, whether the call before hung up or not")
  func invited() throws {
    for hangsUp in [false, true] {
      var b = C()
      addCall(&b, atMs: 0, call: "one", hangsUp: hangsUp)
      addVoice(&b, fromMs: 600, ssrcs: (11, 12))
      addCall(&b, atMs: 4000, call: "two")
      addVoice(&b, fromMs: 4600, ssrcs: (21, 22))
      #expect(try calls(b) == [[11, 12], [21, 22]], "hung up: \(hangsUp)")
    }
  }

  @Test("media before the INVITE of the next call there is none of it")
  func mediaBefore() throws {
    var b = C()
    addVoice(&b, fromMs: 0, ssrcs: (11, 12))
    addCall(&b, atMs: 4000, call: "one")
    addVoice(&b, fromMs: 4600, ssrcs: (21, 22))
    #expect(try calls(b) == [[11, 12], [21, 22]])
  }

  @Test("media long after a call was hung up is none of it")
  func mediaAfter() throws {
    var b = C()
    addCall(&b, atMs: 0, call: "one")
    addVoice(&b, fromMs: 600, ssrcs: (11, 12))
    addVoice(&b, fromMs: 12_000, ssrcs: (21, 22))
    #expect(try calls(b) == [[11, 12], [21, 22]])
  }

  @Test(
    "media that passes already at the address that an INVITE names is that call's: the capture was merged from two clocks"
  )
  func mediaFirst() throws {
    var b = C()
    addVoice(&b, fromMs: 0, count: 300, ssrcs: (11, 12))
    addCall(&b, atMs: 1500, call: "one", hangsUp: false)
    let read = try read(b)
    #expect(try calls(b) == [[11, 12]])
    #expect(read.connections.values.allSatisfy { $0.identities.contains { $0.kind == .sip } })
    let directions = read.connections.values.map { $0.direction }
    #expect(Set(directions) == [.outgoing, .incoming])
  }
}
