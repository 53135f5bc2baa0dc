import CallModel
import Testing

@Suite("Redundant audio (RFC 2198)")
struct RedundantSoundTests {
  typealias C = CaptureBuilder

  /// A packet of PCMU behind so many blocks of the packets before it, 20 ms each.
  private func packet(_ n: Int, blocks: Int, type: Int = 121) -> [UInt8] {
    var heads: [UInt8] = []
    for block in stride(from: blocks, to: 0, by: -1) {
      heads += [0x80] + C.be32((160 * block) << 10 | 160).dropFirst()
    }
    return C.rtp(type: type, sequence: n, timestamp: 160 * n, payload: 0) + heads + [0]
      + [UInt8](repeating: 0x55, count: 160 * (blocks + 1))
  }

  private func read(blocks: Int, without lost: Set<Int>) throws -> Recorder {
    var b = C()
    for n in 0..<1000 where !lost.contains(n) { b.addUDP(packet(n, blocks: blocks), atMs: 20 * Double(n)) }
    return try Recorder.read(b.pcap())
  }

  @Test(
    "a lost packet whose sound comes again in the next is not concealed, and the codec is that of the sound")
  func restored() throws {
    let lost = Set(stride(from: 105, to: 900, by: 20))
    let read = try read(blocks: 1, without: lost)
    let stream = try #require(read.streams.first)
    #expect(stream.facts.codec == "PCMU" && stream.facts.payloadType == 0)
    #expect(stream.totals.lost == lost.count)
    #expect(stream.totals.extra?.contains("\"red_restored\":\(lost.count)") == true)
    let last = try #require(read.samples[0]?.last)
    #expect((last[.concealedSamples] ?? 0) < 1000)
    #expect(read.notes.contains { $0.contains("RFC 2198") && $0.contains("\(lost.count) frames") })
  }

  @Test("two in a row are restored by two blocks, not by one", arguments: [1, 2])
  func twoLost(blocks: Int) throws {
    let lost = Set((5..<40).flatMap { [20 * $0, 20 * $0 + 1] })
    let read = try read(blocks: blocks, without: lost)
    let extra = try #require(read.streams.first?.totals.extra)
    #expect(extra.contains("\"red_restored\":\(blocks * lost.count / 2)"))
  }

  @Test("bytes that only look like blocks now and then are no redundant audio")
  func random() throws {
    var generator = SplitMix64(seed: 5)
    var b = C()
    for n in 0..<2000 {
      let payload = (0..<80).map { _ in UInt8.random(in: 0...255, using: &generator) }
      b.addUDP(C.rtp(type: 63, sequence: n, timestamp: 960 * n, payload: 0) + payload, atMs: 20 * Double(n))
    }
    let read = try Recorder.read(b.pcap())
    #expect(read.streams.first?.facts.payloadType == 63)
    #expect(!read.notes.contains { $0.contains("2198") })
  }
}
