import CallModel
import IO
import Testing

@Suite("What a DTLS handshake shows")
struct DTLSTests {
  typealias C = CaptureBuilder

  /// When the handshake of a call was over, ms from its beginning.
  private func connectedMs(_ b: C) throws -> Double {
    let read = try Recorder.read(b.pcap(), name: "caller.pcap")
    let connected = read.events.filter { $0.event == .dtlsConnected }
    #expect(Set(connected.map(\.timeMs)).count == 1)
    return try #require(connected.first?.timeMs) - Double(b.startUs) / 1000
  }

  /// The checks and the handshake of a call, which ends at 1,351 ms.
  private var handshake: C {
    var b = CallBuilder.webRTC()
    b.frames = Array(b.frames.prefix(11))
    return b
  }

  /// Application data, as data channels send it.
  private let data: [UInt8] =
    [23, 0xFE, 0xFD] + C.be16(1) + C.be16(0) + C.be32(9) + C.be16(40)
    + [UInt8](repeating: 5, count: 40)

  /// An encrypted receiver report.
  private let report: [UInt8] = [0x81, 201, 0, 7] + C.be32(2) + [UInt8](repeating: 0xA5, count: 38)

  @Test("an encrypted handshake record amid the call is none of its setup", arguments: [false, true])
  func late(back: Bool) throws {
    let again = CallBuilder.dtls(20, message: 3, epoch: 1)
    var call = CallBuilder.webRTC()
    call.addUDP(again, atMs: 3000, back: back)
    call.frames.sort { $0.timeUs < $1.timeUs }
    #expect(abs(try connectedMs(call) - 1351) < 0.01)
    for proof in [data, report] {
      var b = handshake
      b.addUDP(proof, atMs: 1400, back: !back)
      b.addUDP(again, atMs: 3000, back: back)
      #expect(abs(try connectedMs(b) - 1351) < 0.01, "who sends under the keys has the other's Finished")
    }
  }

  @Test("an alert says what it is where it can be read, and nothing where it cannot")
  func alert() throws {
    func said(_ epoch: Int, _ body: [UInt8]) throws -> [String] {
      var b = handshake
      b.frames = Array(b.frames.prefix(6))
      b.addUDP(CallBuilder.dtls(1), atMs: 190)
      b.addUDP(CallBuilder.dtls(2), atMs: 250, back: true)
      b.addUDP(
        [21, 0xFE, 0xFD] + C.be16(epoch) + C.be16(0) + C.be32(1) + C.be16(body.count) + body, atMs: 300)
      return try Recorder.read(b.pcap(), name: "caller.pcap").events.filter { $0.event == .dtlsFailed }
        .map(\.args)
    }
    #expect(try said(0, [2, 40]) == ["{\"by\":\"local\",\"alert\":40}"])
    #expect(try said(1, [UInt8](repeating: 7, count: 26)) == ["{\"by\":\"local\"}"])
  }

  @Test("a Finished that had to be sent again ends the handshake when it came")
  func repeated() throws {
    var b = handshake
    b.addUDP(data, atMs: 1352, back: true)
    b.addUDP(CallBuilder.dtls(20, message: 3, epoch: 1), atMs: 2351, back: true)
    b.addUDP(data, atMs: 2400)
    #expect(abs(try connectedMs(b) - 2351) < 0.01)
  }

  @Test("in DTLS 1.3 keys are renewed by messages that look like the handshake's")
  func keyUpdate() throws {
    func unified(_ epoch: UInt8) -> [UInt8] {
      [0x2C | epoch, 0, 1, 0, 30] + [UInt8](repeating: 7, count: 30)
    }
    var b = C()
    b.addUDP(CallBuilder.dtls(1), atMs: 0)
    b.addUDP(CallBuilder.dtls(2), atMs: 50, back: true)
    b.addUDP(unified(2), atMs: 50.1, back: true)
    b.addUDP(unified(2), atMs: 100)
    b.addUDP(unified(3), atMs: 150, back: true)
    b.addUDP(unified(6 & 3), atMs: 60_000)
    #expect(abs(try connectedMs(b) - 100) < 0.01)
  }

  /// A call under DTLS 1.3, its handshake captured or not, that both ends talk in for ten seconds, A for as long more as said.
  private func talk(hasHandshake: Bool = true, longerMs: Int = 0) -> C {
    var b = handshake
    b.frames = Array(b.frames.prefix(6))
    if hasHandshake {
      b.addUDP(CallBuilder.dtls(1), atMs: 190)
      b.addUDP(CallBuilder.dtls(2), atMs: 250, back: true)
      b.addUDP(unified(2, length: 400), atMs: 250.1, back: true)
      b.addUDP(unified(2, length: 60), atMs: 300)
      b.addUDP(unified(3, length: 35), atMs: 350, back: true)
    }
    for n in 0..<(10_000 + longerMs) / 20 {
      let ms = 400 + 20 * Double(n)
      let sound = C.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: 1, payload: 80)
      b.addUDP(sound, atMs: ms)
      guard ms < 10_400 else { continue }
      b.addUDP(
        C.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: 2, payload: 80), atMs: ms + 5, back: true)
    }
    return b
  }

  /// An encrypted record of DTLS 1.3 (RFC 9147 section 4).
  private func unified(_ epoch: UInt8, length: Int) -> [UInt8] {
    [0x2C | epoch, 0x20, 0x4D] + C.be16(length) + [UInt8](repeating: 7, count: length)
  }

  @Test(
    "under DTLS 1.3 a record as long as an alert is a hang-up, and nothing is played beyond it",
    arguments: [(true, true, 10_410.0), (false, true, 10_410), (true, false, 10_330)])
  func closeNotify(hasHandshake: Bool, byOther: Bool, endedMs: Double) throws {
    var b = talk(hasHandshake: hasHandshake)
    if !byOther {
      // What the other end sent before it heard of it comes later.
      let end = b.startUs + Int64(endedMs * 1000)
      b.frames.removeAll { $0.timeUs > end && Array($0.bytes[26..<30]) == C.a }
    }
    b.addUDP(unified(3, length: 19), atMs: endedMs, back: byOther)
    b.frames.sort { $0.timeUs < $1.timeUs }
    // Who stays goes on looking for the other.
    for n in 0..<20 {
      let check = CallBuilder.check(id: UInt8(50 + n), username: "bbbb:aaaa", controlling: true)
      b.addUDP(check, atMs: 11_000 + 500 * Double(n))
    }
    b.addUDP(report, atMs: 21_000)
    let read = try Recorder.read(b.pcap(), name: "caller.pcap")
    let ended = read.events.filter { $0.event == .callEnded }
    #expect(ended.count == 1 && ended.first?.raw == "DTLS alert")
    #expect(abs(try #require(ended.first?.timeMs) - Double(b.startUs) / 1000 - endedMs) < 0.01)
    let inbound = try #require(read.facts.first { $0.value.direction == .inbound }?.key)
    let played = try #require(read.samples[inbound]?.last?[.totalSamplesDurationMs])
    #expect(abs(played - 10_000) < 500)
  }

  @Test("new keys, acknowledgements and data are no hang-up, nor is an alert after which its sender goes on")
  func noHangUp() throws {
    var b = talk()
    for (n, length) in [30, 35, 51, 11, 80].enumerated() {
      b.addUDP(unified(3, length: length), atMs: 5000 + Double(n), back: n % 2 == 0)
    }
    b.frames.sort { $0.timeUs < $1.timeUs }
    #expect(try Recorder.read(b.pcap(), name: "caller.pcap").events.allSatisfy { $0.event != .callEnded })
    b = talk(longerMs: 5000)
    b.addUDP(unified(3, length: 19), atMs: 10_410)
    b.frames.sort { $0.timeUs < $1.timeUs }
    #expect(try Recorder.read(b.pcap(), name: "caller.pcap").events.allSatisfy { $0.event != .callEnded })
  }

  /// What a handshake came to, ms from its beginning: of DTLS 1.3 up to the other end's flight, and what follows.
  private func outcome(_ following: (inout C) -> Void) throws -> [String] {
    var b = handshake
    b.frames = Array(b.frames.prefix(6))
    b.addUDP(CallBuilder.dtls(1), atMs: 190)
    b.addUDP(CallBuilder.dtls(2), atMs: 250, back: true)
    b.addUDP(unified(2, length: 400), atMs: 250.1, back: true)
    // What came of the ClientHello is acknowledged under the keys of data already.
    b.addUDP(unified(3, length: 51), atMs: 250.2, back: true)
    following(&b)
    let outcomes: [EventName] = [.dtlsConnected, .dtlsFailed, .callFailed, .callEnded]
    return try Recorder.read(b.pcap(), name: "caller.pcap").events.filter { outcomes.contains($0.event) }
      .map { event in
        let ms = event.timeMs.map { Int(($0 - Double(b.startUs) / 1000).rounded()) }
        return "\(event.event) \(ms ?? -1)" + (event.argument("by").map { " \($0)" } ?? "")
      }
  }

  @Test("who never took up the keys, and answers the other's last flight with an alert, refuses them")
  func refused() throws {
    func speak(_ b: inout C) {
      b.addUDP(unified(2, length: 60), atMs: 300)
      for n in 0..<50 {
        let rtp = C.rtp(type: 111, sequence: n, timestamp: 960 * n, ssrc: 1, payload: 80)
        b.addUDP(rtp, atMs: 301 + 2 * Double(n))
      }
    }
    let alert = unified(3, length: 19)
    let refused = try outcome { b in
      speak(&b)
      b.addUDP(alert, atMs: 420, back: true)
      b.addUDP(alert, atMs: 500)
    }
    #expect(refused == ["dtls.failed 420 remote", "call.failed 420"])
    for proof in [data, report, unified(3, length: 81)] {
      let hungUp = try outcome { b in
        speak(&b)
        b.addUDP(proof, atMs: 410, back: true)
        b.addUDP(alert, atMs: 420, back: true)
      }
      #expect(hungUp == ["dtls.connected 300", "call.ended 420"], "it sent something under the keys")
    }
    let later = try outcome { b in
      speak(&b)
      b.addUDP(alert, atMs: 5000, back: true)
    }
    #expect(later == ["dtls.connected 300", "call.ended 5000"], "it only listened")
    let soon = try outcome { $0.addUDP(alert, atMs: 1050, back: true) }
    #expect(!soon.contains { $0.hasPrefix("dtls.failed") }, "who refuses does so at once: \(soon)")
  }

  @Test("a client that refuses sends its alert where its Finished would be")
  func refusedByClient() throws {
    let alert = unified(2, length: 19)
    #expect(
      try outcome { $0.addUDP(alert, atMs: 300) } == ["dtls.failed 300 local", "call.failed 300"])
    let acknowledged = try outcome { b in
      b.addUDP(alert, atMs: 260)
      b.addUDP(unified(2, length: 60), atMs: 300)
    }
    #expect(acknowledged == ["dtls.connected 300"], "an acknowledgement of nothing is as long")
    let repeated = try outcome { b in
      b.addUDP(alert, atMs: 260)
      b.addUDP(unified(2, length: 400), atMs: 3250, back: true)
    }
    #expect(repeated.isEmpty, "nobody sends a flight again after an alert")
  }

  /// A Certificate message of one certificate.
  private let certificate: [UInt8] = {
    let der = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 3) }
    return [0] + C.be16(der.count + 3) + [0] + C.be16(der.count) + der
  }()

  private func fingerprint(ofPieces pieces: [Range<Int>]) throws -> String? {
    var b = C()
    b.addUDP(CallBuilder.dtls(1), atMs: 0, back: true)
    for (n, piece) in pieces.enumerated() {
      let body: [UInt8] =
        [11, 0] + C.be16(certificate.count) + C.be16(1) + [0] + C.be16(piece.lowerBound) + [0]
        + C.be16(piece.count) + certificate[piece]
      let record: [UInt8] = [22, 0xFE, 0xFD] + C.be16(0) + C.be16(0) + C.be32(n) + C.be16(body.count) + body
      b.addUDP(record, atMs: Double(1 + n))
    }
    let read = try Recorder.read(b.pcap())
    return read.connections.values.flatMap(\.identities).first { $0.kind == .fingerprintLocal }?.value
  }

  @Test("a certificate is whole when each of its bytes is there, however its fragments were cut")
  func fragments() throws {
    let hash = SHA256()
    certificate.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[6...])) }
    let digits = Array(hash.hexDigest().uppercased())
    let whole = stride(from: 0, to: digits.count, by: 2).map { String(digits[$0...$0 + 1]) }
      .joined(separator: ":")
    #expect(try fingerprint(ofPieces: [0..<306]) == whole)
    #expect(try fingerprint(ofPieces: [200..<306, 0..<100, 100..<200]) == whole)
    // The second fragment is lost; the flight comes again in smaller ones.
    let cut = [0..<100, 200..<306, 0..<60, 60..<160]
    #expect(try fingerprint(ofPieces: cut) == nil)
    #expect(try fingerprint(ofPieces: cut + [160..<306]) == whole)
    #expect(try fingerprint(ofPieces: [0..<100, 50..<306]) == whole)
  }

  @Test("what a relay passes on was not sent again: a capture there has both legs")
  func relayed() throws {
    let once = handshake
    var b = once
    b.frames = []
    for frame in once.frames {
      let ms = Double(frame.timeUs - b.startUs) / 1000
      let payload = Array(frame.bytes[42...])
      let isBack = frame.bytes[26] != C.a[0]
      let wrapped = [0x40, 0x01] + C.be16(payload.count) + payload
      // From A to the relay and from there to B, or back.
      let legs: [([UInt8], Int, Int)] = [(wrapped, 40_000, 3478), (payload, 49_152, 50_000)]
      for (n, leg) in (isBack ? legs.reversed() : legs).enumerated() {
        b.addUDP(leg.0, atMs: ms + 0.3 * Double(n), from: leg.1, to: leg.2, back: isBack)
      }
    }
    let (direct, both) = (try Recorder.read(once.pcap()), try Recorder.read(b.pcap()))
    for name in [EventName.iceChecking, .iceConnected, .dtlsRetransmitted] {
      // How long the sender waited is told by the legs between which it lies: to a millisecond.
      func names(_ capture: Recorder) -> Set<String> {
        Set(
          capture.events.filter { $0.event == name }.map { $0.args.split(separator: ",\"waited_ms\"")[0] }
            .map(String.init))
      }
      #expect(names(both) == names(direct), "\(name)")
    }
  }
}
