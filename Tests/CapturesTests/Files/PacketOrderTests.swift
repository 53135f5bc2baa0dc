import Testing

@Suite("Captures of which the packets are not in the order of time")
struct PacketOrderTests {
  private func notes(_ times: [Double], back: [Double] = []) throws -> [String] {
    var b = CaptureBuilder()
    for (n, ms) in times.enumerated() {
      b.addUDP(CaptureBuilder.rtp(sequence: n, timestamp: 160 * n), atMs: ms)
    }
    for (n, ms) in back.enumerated() {
      b.addUDP(CaptureBuilder.rtp(sequence: n, timestamp: 160 * n, ssrc: 9), atMs: ms, back: true)
    }
    return try Recorder.read(b.pcap()).notes.filter { $0.contains("order of time") || $0.contains("clock") }
  }

  @Test(
    "a clock that was set back amid a call costs nothing, and is reported",
    arguments: [2000.0, 30_000, 35_000])
  func setBack(byMs step: Double) throws {
    var b = CaptureBuilder()
    for n in 0..<1000 {
      let ms = 40_000 + 20 * Double(n) - (n < 500 ? 0 : step)
      for (back, ssrc) in [(false, 1), (true, 2)] {
        b.addUDP(CaptureBuilder.rtp(sequence: n, timestamp: 160 * n, ssrc: ssrc), atMs: ms + 3, back: back)
      }
    }
    let read = try Recorder.read(b.pcap())
    #expect(read.notes.contains { $0.contains("clock was set back once, by \(Int(step / 1000)) s") })
    #expect(!read.notes.contains { $0.contains("order of time") })
    for samples in read.samples.values {
      #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.timeMs < $1.timeMs } && samples.count <= 22)
      let last = try #require(samples.last)
      #expect(last[.packets] == 1000 && (last[.jitterMs] ?? 99) < 2)
      #expect((last[.concealedSamples] ?? 9999) < 800 && (last[.totalSamples] ?? 0) > 19 * 8000)
    }
  }

  @Test("a clock that jumps ahead by two centuries and back was not set back, and its times overflow nowhere")
  func centuries() throws {
    var b = CaptureBuilder()
    let seconds = [1_482_167_074.88, 1_482_167_074.9, 5_261_686_531_844, 356_267_168, 1_482_167_075]
    for (n, second) in seconds.enumerated() {
      b.addUDP(CaptureBuilder.rtp(sequence: n, timestamp: 160 * n), atMs: 1000 * second)
    }
    let read = try Recorder.read(b.pcapng())
    #expect(read.totals.values.map(\.packets) == [5])
    #expect(!read.notes.contains { $0.contains("set back") })
  }

  @Test("two clocks that alternate are none that was set back")
  func twoClocks() throws {
    let times = (0..<400).map { 20 * Double($0) + ($0 % 2 == 0 ? 2000 : 0) }
    #expect(try !notes(times).contains { $0.contains("set back") })
  }

  @Test("one direction behind the other is named, with what mends it")
  func concatenated() throws {
    let direction = stride(from: 0.0, to: 4000, by: 20)
    let found = try #require(try notes(Array(direction), back: Array(direction)).first)
    #expect(found.contains("it goes back once, by up to 3 s") && found.contains("reordercap"))
  }

  @Test("packets that change places by little are in order")
  func overtaken() throws {
    #expect(try notes([0, 20, 60, 40, 80, 10, 100]).isEmpty)
  }
}
