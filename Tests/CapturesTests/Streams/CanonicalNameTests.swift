import CallModel
import Testing

@Suite("Canonical names of senders")
struct CanonicalNameTests {
  private typealias C = CaptureBuilder

  /// A sender report and the name of its sender (RFC 3550 section 6.1).
  private func named(_ name: String, _ ssrc: Int) -> [UInt8] {
    let report = [0x80, 200] + C.be16(6) + C.be32(ssrc) + [UInt8](repeating: 1, count: 20)
    var chunk = C.be32(ssrc) + [1, UInt8(name.utf8.count)] + Array(name.utf8) + [0]
    chunk += [UInt8](repeating: 0, count: (4 - chunk.count & 3) & 3)
    return report + [0x81, 202] + C.be16(chunk.count / 4) + chunk
  }

  /// A voice from A to B, and B's report of its own.
  private func addSound(
    _ b: inout C, port: Int, ssrc: Int, name: String, count: Int = 500, fromMs: Double = 0
  ) {
    for n in 0..<count {
      b.addUDP(
        C.rtp(sequence: n, timestamp: 160 * n, ssrc: ssrc), atMs: fromMs + 20 * Double(n), from: port,
        to: port)
    }
    b.addUDP(named(name, ssrc), atMs: fromMs + 3000, from: port + 1, to: port + 1)
  }

  /// A picture from A to B, 25 frames a second (H.263).
  private func addPicture(_ b: inout C, port: Int, ssrc: Int, name: String, fromMs: Double = 0) {
    for n in 0..<250 {
      b.addUDP(
        C.rtp(type: 34, sequence: n, timestamp: 3600 * n, ssrc: ssrc, marker: true, payload: 900),
        atMs: fromMs + 40 * Double(n) + 1, from: port, to: port)
    }
    b.addUDP(named(name, ssrc), atMs: fromMs + 4000, from: port + 1, to: port + 1)
  }

  private func read(_ add: (inout C) -> Void) throws -> Recorder {
    var b = C()
    add(&b)
    b.frames.sort { $0.timeUs < $1.timeUs }
    return try Recorder.read(b.pcap())
  }

  /// The SSRCs of each connection.
  private func calls(_ read: Recorder) -> Set<Set<UInt32>> {
    Set(
      Dictionary(grouping: read.connectionOfStream.keys) { read.connectionOfStream[$0] }.values.map {
        Set($0.compactMap { read.facts[$0]?.ssrc })
      })
  }

  @Test("sound and picture of one name are one call")
  func one() throws {
    let read = try read {
      addSound(&$0, port: 40_000, ssrc: 11, name: "alice@192.0.2.10")
      addPicture(&$0, port: 40_002, ssrc: 12, name: "alice@192.0.2.10")
    }
    #expect(calls(read) == [[11, 12]])
    #expect(read.samples.values.allSatisfy { $0.count > 8 })
  }

  @Test("sound and picture of different names stay two")
  func two() throws {
    let read = try read {
      addSound(&$0, port: 40_000, ssrc: 11, name: "alice")
      addPicture(&$0, port: 40_002, ssrc: 12, name: "bob")
    }
    #expect(calls(read) == [[11], [12]])
  }

  @Test("calls of a gateway that gives all of them one name stay apart")
  func gateway() throws {
    let voices = try read {
      addSound(&$0, port: 40_000, ssrc: 11, name: "0.0.0@192.0.2.10")
      addSound(&$0, port: 40_002, ssrc: 12, name: "0.0.0@192.0.2.10")
    }
    #expect(calls(voices) == [[11], [12]])
    let mixed = try read {
      addSound(&$0, port: 40_000, ssrc: 11, name: "0.0.0@192.0.2.10")
      addSound(&$0, port: 40_004, ssrc: 13, name: "0.0.0@192.0.2.10")
      addPicture(&$0, port: 40_002, ssrc: 12, name: "0.0.0@192.0.2.10")
    }
    #expect(calls(mixed) == [[11], [12], [13]], "nobody knows whose picture it is")
  }

  @Test("one after the other is two calls")
  func after() throws {
    let read = try read {
      addSound(&$0, port: 40_000, ssrc: 11, name: "alice", count: 200)
      addPicture(&$0, port: 40_002, ssrc: 12, name: "alice", fromMs: 5000)
    }
    #expect(calls(read) == [[11], [12]])
  }

  @Test("names cut short or too long end with the packet")
  func hostile() throws {
    for cut in 0..<24 {
      let read = try read {
        addSound(&$0, port: 40_000, ssrc: 11, name: "alice")
        $0.addUDP(Array(named("alice", 11).dropLast(cut)), atMs: 5000, from: 40_001, to: 40_001)
        $0.addUDP(named("alice", 11) + [0x9F, 202, 0, 2, 1, 200, 0, 0, 9, 9, 9, 9], atMs: 5100, from: 40_001)
      }
      #expect(read.error == nil && calls(read) == [[11]])
    }
  }
}
