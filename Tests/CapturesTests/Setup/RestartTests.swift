import CallModel
import Testing

@Suite("Calls whose ICE takes another way")
struct RestartTests {
  typealias C = CaptureBuilder

  private static let ssrcs = (first: 0x5EED_0001, second: 0x5EED_0002)

  /// A call from A to B, captured at A, up to its keys.
  private var call: C {
    var b = CallBuilder.webRTC()
    b.frames = Array(b.frames.prefix(11))
    return b
  }

  /// Sound both ways between two ports, the numbers those of the time.
  private func talk(
    _ b: inout C, from startMs: Int, to endMs: Int, _ port: Int = 40_000, _ peer: Int = 50_000,
    skipping: Set<Int> = []
  ) {
    for ms in stride(from: startMs, to: endMs, by: 20) where !skipping.contains(ms) {
      let n = ms / 20
      func rtp(_ ssrc: Int) -> [UInt8] {
        C.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: ssrc, payload: 80)
      }
      b.addUDP(rtp(Self.ssrcs.first), atMs: Double(ms), from: port, to: peer)
      b.addUDP(rtp(Self.ssrcs.second), atMs: Double(ms) + 5, from: port, to: peer, back: true)
    }
  }

  /// A check of A, `receiver:sender`, and how long its answer takes, nil for none.
  private func check(
    _ b: inout C, _ id: UInt8, _ username: String, atMs ms: Double, _ port: Int, _ peer: Int, takesMs: Double?
  ) {
    let check = CallBuilder.check(id: id, username: username, controlling: true)
    b.addUDP(check, atMs: ms, from: port, to: peer)
    if let takesMs {
      b.addUDP(CallBuilder.stun(0x0101, id: id), atMs: ms + takesMs, from: port, to: peer, back: true)
    }
  }

  private func read(_ b: C) throws -> Recorder {
    var sorted = b
    sorted.frames.sort { $0.timeUs < $1.timeUs }
    return try Recorder.read(sorted.pcap(), name: "caller.pcap")
  }

  private func count(_ read: Recorder, _ event: EventName) -> Int { read.events.count { $0.event == event } }

  @Test(
    "a restart on new ports stays one call, however its checks come before its media",
    arguments: [true, false])
  func restart(isMixedFirst: Bool) throws {
    var b = call
    talk(&b, from: 1400, to: 5000)
    // The old port tries the new one of the other end, and nothing answers it.
    let (mixed, new) = isMixedFirst ? (4800.0, 4900.0) : (5500, 4900)
    for n in 0..<12 {
      check(&b, UInt8(100 + n), "dddd:aaaa", atMs: mixed + 1000 * Double(n), 40_000, 51_000, takesMs: nil)
    }
    check(&b, 20, "dddd:cccc", atMs: new, 41_000, 51_000, takesMs: 80)
    talk(&b, from: 5000, to: 20_000, 41_000, 51_000)
    let read = try read(b)
    #expect(read.connections.count == 1 && read.streams.count == 2)
    #expect(read.streams.allSatisfy { $0.totals.lost == 0 && $0.totals.packets == 930 })
    #expect(count(read, .iceFailed) == 0 && count(read, .iceRestarted) == 1)
    let moved = try #require(read.events.first { $0.event == .icePairChanged })
    #expect(count(read, .icePairChanged) == 1)
    #expect(moved.argument("from") == "192.0.2.10:40000>198.51.100.20:50000")
    #expect(moved.argument("to") == "192.0.2.10:41000>198.51.100.20:51000")
    let movedMs = try #require(moved.timeMs) - Double(b.startUs) / 1000
    #expect(abs(movedMs - 5000) < 10)
    let names = try #require(read.connections.values.first).identities.filter { $0.kind == .ufragLocal }
    #expect(Set(names.map(\.value)) == ["aaaa", "cccc"])
  }

  @Test("media under keys that its own checks never agreed upon is that of the call before, after any outage")
  func afterOutage() throws {
    var b = call
    talk(&b, from: 1400, to: 5000)
    check(&b, 20, "dddd:cccc", atMs: 14_900, 41_000, 51_000, takesMs: 80)
    talk(&b, from: 15_000, to: 20_000, 41_000, 51_000)
    let read = try read(b)
    #expect(read.connections.count == 1)
    #expect(read.streams.map(\.totals.lost) == [500, 500])
    #expect(count(read, .iceRestarted) == 1)
  }

  @Test(
    "checks that nobody answered while a call was established are no call, and no end of one",
    arguments: [5000, 25_000])
  func inVain(fromMs: Int) throws {
    var b = call
    talk(&b, from: 1400, to: 20_000)
    for n in 0..<12 {
      check(
        &b, UInt8(100 + n), "ffff:eeee", atMs: Double(fromMs + 1000 * n), 41_000, 50_000, takesMs: nil)
    }
    let read = try read(b)
    let isDuring = fromMs < 20_000
    #expect(read.connections.count == (isDuring ? 1 : 2))
    #expect(count(read, .iceFailed) == (isDuring ? 0 : 1))
    #expect(read.events.contains { $0.event == .unknown && $0.argument("checks") == "12" } == isDuring)
  }

  /// A call with checks of the same fragments on a second pair of ports as well.
  private var twoPairs: C {
    var b = call
    check(&b, 30, "bbbb:aaaa", atMs: 1390, 42_000, 52_000, takesMs: 80)
    return b
  }

  @Test("what ICE moves to another pair after an outage is one stream, and what the outage took is lost")
  func failover() throws {
    var b = twoPairs
    talk(&b, from: 1400, to: 5000)
    talk(&b, from: 9000, to: 20_000, 42_000, 52_000)
    let read = try read(b)
    #expect(read.streams.map(\.totals.lost) == [200, 200])
    #expect(count(read, .icePairChanged) == 1 && count(read, .iceRestarted) == 0)
    #expect(read.connections.count == 1)
  }

  @Test("packets that hop to another pair and back are none that were lost, and no change of path")
  func hops() throws {
    var b = twoPairs
    let astray: Set = [6000, 6060, 9040, 9060]
    talk(&b, from: 1400, to: 20_000, skipping: astray)
    for ms in astray { talk(&b, from: ms, to: ms + 20, 42_000, 52_000) }
    let read = try read(b)
    #expect(
      read.streams.map(\.totals.packets) == [930, 930] && read.streams.allSatisfy { $0.totals.lost == 0 })
    #expect(count(read, .icePairChanged) == 0)
  }

  @Test(
    "sound and picture that are not bundled are one call where an end uses one fragment for both",
    arguments: [(43_000, 53_000, 150.0), (40_000, 53_000, 150), (43_000, 53_000, 9000)])
  func notBundled(port: Int, peer: Int, atMs: Double) throws {
    var b = call
    talk(&b, from: 1400, to: 5000)
    check(&b, 40, "bbbb:eeee", atMs: atMs, port, peer, takesMs: 80)
    for (n, ms) in [0.0, 50, 150].enumerated() {
      b.addUDP(CallBuilder.dtls(1, record: n + 5), atMs: atMs + 100 + ms, from: port, to: peer)
    }
    b.addUDP(CallBuilder.dtls(2, record: 9), atMs: atMs + 300, from: port, to: peer, back: true)
    for n in 0..<100 {
      let rtp = C.rtp(type: 96, sequence: n, timestamp: 3600 * n, ssrc: 0x5EED_0003, payload: 800)
      b.addUDP(rtp, atMs: max(1400, atMs + 400) + 40 * Double(n), from: port, to: peer, back: true)
    }
    let read = try read(b)
    let isOne = port != 40_000 && atMs < 5000
    // What goes on at a port of its own is another answer to one offer, or a restart.
    guard isOne else { return #expect(count(read, .iceRestarted) + read.connections.count == 2) }
    #expect(read.connections.count == 1 && read.streams.count == 3)
    #expect(count(read, .iceRestarted) == 0 && count(read, .dtlsRetransmitted) == 1)
    let connected = read.events.filter { $0.event == .dtlsConnected }
    #expect(connected.map { (($0.timeMs ?? 0) - Double(b.startUs) / 1000).rounded() } == [1351])
    let names = try #require(read.connections.values.first).identities.filter { $0.kind == .ufragLocal }
    #expect(Set(names.map(\.value)) == ["aaaa", "eeee"])
  }

  @Test("what passes twice on one path is two legs, as at a relay")
  func legs() throws {
    var b = twoPairs
    talk(&b, from: 1400, to: 10_000)
    talk(&b, from: 1400, to: 10_000, 42_000, 52_000)
    let read = try read(b)
    #expect(read.streams.count == 4 && read.streams.allSatisfy { $0.totals.duplicates == 0 })
  }

  @Test(
    "a capture begun amid a call is one call, though one end goes on checking from an interface that leads nowhere",
    arguments: [1000.0, 4000, 14_000], [[10, 78, 0, 1], [203, 0, 113, 9]] as [[UInt8]])
  func amidACall(vainMs: Double, interface: [UInt8]) throws {
    var b = C()
    talk(&b, from: 0, to: 20_000)
    for n in 0..<6 {
      let ms = 2500 * Double(n)
      check(&b, UInt8(10 + n), "bbbb:aaaa", atMs: 2000 + ms, 40_000, 50_000, takesMs: 80)
      let vain = CallBuilder.check(id: UInt8(30 + n), username: "bbbb:aaaa", controlling: true)
      b.add(
        b.ip(C.udp(vain, from: 43_000, to: 50_000), proto: 17, from: interface, to: C.b),
        atMs: vainMs + ms)
    }
    let read = try read(b)
    #expect(read.connections.count == 1 && read.streams.count == 2)
    #expect(count(read, .iceFailed) == 0 && count(read, .iceRestarted) == 0)
    let names = try #require(read.connections.values.first).identities.filter { $0.kind == .ufragRemote }
    #expect(names.map(\.value) == ["bbbb"])
    #expect(!read.transports.isEmpty, "round trips are the call's")
  }

  @Test("checks of a call begun before the capture are none of its setup")
  func consent() throws {
    var b = C()
    talk(&b, from: 0, to: 20_000)
    check(&b, 20, "bbbb:aaaa", atMs: 2000, 40_000, 50_000, takesMs: 80)
    let read = try read(b)
    #expect(count(read, .iceChecking) == 0)
    let connected = read.events.filter { $0.event == .iceConnected }
    #expect(connected.count == 1 && connected.first?.timeMs == nil)
    #expect(connected.first?.argument("checks") == "1")
  }
}
