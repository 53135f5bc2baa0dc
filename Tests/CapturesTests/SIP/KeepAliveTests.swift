import CallModel
import Testing

@Suite("RTP packets without payload (RFC 6263)")
struct KeepAliveTests {
  typealias C = CaptureBuilder

  @Test("packets without payload keep a way open and are no sound", arguments: [1000, 5000])
  func emptyPackets(everyMs: Int) throws {
    var b = C()
    for n in 0..<(20_000 / everyMs) {
      b.addUDP(C.rtp(type: 20, sequence: n, timestamp: 0, ssrc: 9, payload: 0), atMs: Double(n * everyMs))
    }
    for n in 0..<1000 {
      b.addUDP(C.rtp(sequence: n, timestamp: 160 * n, ssrc: 8), atMs: 20 * Double(n), back: true)
    }
    let read = try Recorder.read(b.pcap(), assumeRTP: true)
    let silent = try #require(read.facts.first { $0.value.ssrc == 9 }?.key)
    #expect(read.samples[silent] == nil)
    #expect(read.totals[silent]?.probes == read.totals[silent]?.packets)
  }

  @Test("one packet without payload amid sound is no loss")
  func emptyAmidSound() throws {
    var b = C()
    for n in 0..<300 {
      b.addUDP(
        C.rtp(sequence: n, timestamp: 160 * min(n, 100) + 160 * max(0, n - 101), payload: n == 101 ? 0 : 160),
        atMs: 20 * Double(n < 101 ? n : n - 1))
    }
    let read = try Recorder.read(b.pcap())
    let last = try #require(read.samples[0]?.last)
    #expect(last[.lost] == 0)
    #expect((last[.concealedSamples] ?? 0) < 800)
  }
}
