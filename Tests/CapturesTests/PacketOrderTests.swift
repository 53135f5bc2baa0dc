import Testing

@testable import Captures

@Suite("Captures of which the packets are not in the order of time")
struct PacketOrderTests {
  private func notes(_ times: [Double]) throws -> [String] {
    var b = CaptureBuilder()
    for (n, ms) in times.enumerated() {
      b.addUDP(CaptureBuilder.rtp(sequence: n, timestamp: 160 * n), atMs: ms)
    }
    return try Recorder.read(b.pcap()).notes.filter { $0.contains("order of time") }
  }

  @Test("one direction behind the other is named, with what mends it")
  func concatenated() throws {
    let direction = stride(from: 0.0, to: 4000, by: 20)
    let found = try #require(try notes(Array(direction) + Array(direction)).first)
    #expect(found.contains("1 times it goes back, by up to 3 s") && found.contains("reordercap"))
  }

  @Test("packets that change places by little are in order")
  func overtaken() throws {
    #expect(try notes([0, 20, 60, 40, 80, 10, 100]).isEmpty)
  }
}
