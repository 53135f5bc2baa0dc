import CallModel
import Testing

@Suite("Two directions seen from the middle of their path")
struct MiddleOfPathTests {
  private func read(ssrcs: [Int]) throws -> Recorder {
    var b = CaptureBuilder()
    for n in 0..<300 {
      for (i, ssrc) in ssrcs.enumerated() {
        b.addUDP(
          CaptureBuilder.rtp(sequence: n, timestamp: 160 * n, ssrc: ssrc),
          atMs: 20 * Double(n) + 3 * Double(i),
          from: 4000, to: 5000, back: i == 1)
      }
    }
    // Both addresses are public: neither end is known to be the capturing host.
    return try Recorder.read(b.pcap())
  }

  @Test("share what makes them one call where their SSRCs are not random")
  func smallSSRCs() throws {
    func sessions(_ read: Recorder) -> [Set<String>] {
      Set(read.connectionOfStream.values).map { connection in
        Set((read.connections[connection]?.identities ?? []).filter { $0.kind == .session }.map(\.value))
      }
    }
    let small = sessions(try read(ssrcs: [1111, 2222]))
    #expect(small.count == 2 && small[0].count == 1 && small[0] == small[1])
    #expect(sessions(try read(ssrcs: [0x1111_1111, 0x2222_2222])).allSatisfy(\.isEmpty))
  }
}
