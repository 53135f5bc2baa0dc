import CallModel
import Testing

@Suite("Signs of life in a silence")
struct SignsOfLifeTests {
  typealias C = CaptureBuilder

  /// A WebRTC call whose media stops after seven seconds, and goes on with the next numbers ten seconds later; `beside`
  /// says what the far end sends meanwhile.
  private func silence(beside: (inout CaptureBuilder, _ ms: Double, _ id: UInt8) -> Void) throws -> Recorder {
    var b = CallBuilder.webRTC()
    for (place, ms) in stride(from: 7500.0, to: 17_000, by: 1000).enumerated() {
      beside(&b, ms, UInt8(100 + place))
    }
    for n in 300..<600 {
      let rtp = C.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: 2, payload: 80)
      b.addUDP(rtp, atMs: 11_365 + 20 * Double(n), back: true)
    }
    return try Recorder.read(b.pcap(), name: "caller.pcap")
  }

  private func signs(_ read: Recorder) -> [Double] {
    let start = read.transports.values.joined().map(\.timeMs).min() ?? 0
    return read.transports.values.joined().filter { $0.rttMs == nil }.map {
      ($0.timeMs - start + 80).rounded()
    }
  }

  @Test("checks and reports of the far end are kept where no media of it passes")
  func kept() throws {
    let checks = try silence { b, ms, id in
      b.addUDP(CallBuilder.check(id: id, username: "aaaa:bbbb", controlling: false), atMs: ms, back: true)
    }
    #expect(signs(checks).count >= 8)
    #expect(signs(checks).allSatisfy { (8000...17_300).contains($0) })
    let reports = try silence { b, ms, _ in
      b.addUDP([0x80, 201] + C.be16(1) + C.be32(2) + [UInt8](repeating: 7, count: 14), atMs: ms, back: true)
    }
    #expect(signs(reports).count >= 8)
  }

  @Test("what this end sends says nothing of the far one, nor does anything beside media")
  func notKept() throws {
    let own = try silence { b, ms, id in
      b.addUDP(CallBuilder.check(id: id, username: "bbbb:aaaa", controlling: true), atMs: ms)
    }
    #expect(signs(own).isEmpty)
    var talking = CallBuilder.webRTC()
    for ms in stride(from: 2000.0, to: 7000, by: 500) {
      let check = CallBuilder.check(id: UInt8(ms / 100), username: "aaaa:bbbb", controlling: false)
      talking.addUDP(check, atMs: ms, back: true)
    }
    talking.frames.sort { $0.timeUs < $1.timeUs }
    #expect(try signs(Recorder.read(talking.pcap(), name: "caller.pcap")).isEmpty)
  }

  /// A call whose far end sends its last packet after seven seconds, while this one goes on to 20 s and then hangs up.
  private func death(
    answersUntil last: Double, media until: Int = 300, hangsUp: Bool = true
  ) throws -> Recorder {
    var b = CallBuilder.webRTC()
    for n in 300..<930 {
      let ms = 1360 + 20 * Double(n)
      b.addUDP(C.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: 1, payload: 80), atMs: ms)
      if n < until {
        let rtp = C.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: 2, payload: 80)
        b.addUDP(rtp, atMs: ms + 5, back: true)
      }
    }
    for (n, ms) in stride(from: 2500.0, to: 20_000, by: 2500).enumerated() {
      let id = UInt8(50 + n)
      b.addUDP(CallBuilder.check(id: id, username: "bbbb:aaaa", controlling: true), atMs: ms)
      if ms <= last { b.addUDP(CallBuilder.stun(0x0101, id: id), atMs: ms + 80, back: true) }
    }
    if hangsUp {
      b.addUDP(
        [21, 0xFE, 0xFD, 0, 1, 0, 0, 0, 0, 0, 9, 0, 20] + [UInt8](repeating: 3, count: 20), atMs: 20_000)
    }
    b.frames.sort { $0.timeUs < $1.timeUs }
    return try Recorder.read(b.pcap(), name: "caller.pcap")
  }

  private func broken(_ read: Recorder) -> [EventRecord] {
    read.events.filter { $0.event == .iceDisconnected }
  }

  @Test("an end that sends nothing and answers no check any more is gone, before the other one hangs up")
  func gone() throws {
    let event = try #require(broken(try death(answersUntil: 5500)).first)
    #expect(event.argument("gone") == "remote")
    let names = try death(answersUntil: 5500).events.map(\.event)
    #expect(names.firstIndex(of: .iceDisconnected) ?? .max < names.firstIndex(of: .callEnded) ?? 0)
    #expect(try broken(death(answersUntil: 20_000)).isEmpty, "it is silent, and answers")
    #expect(try broken(death(answersUntil: 5500, media: 930)).isEmpty, "it answers no more, and talks")
    #expect(try broken(death(answersUntil: 0)).isEmpty == false, "the checks of the setup were answered")
  }
}
