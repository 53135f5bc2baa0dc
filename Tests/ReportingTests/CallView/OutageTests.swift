import CallModel
import CallStore
import Testing

@testable import Reporting

@Suite("The edges of an outage")
struct OutageTests {
  @Test("lie at the packets beside it, whoever counted those", arguments: [StreamSource.stats, .capture])
  func edges(source: StreamSource) throws {
    let store = try Store(path: "memory", access: .memory)
    let queue = SourceQueue(store, watch: { nil })
    let header = SourceHeader(path: "1", sha256: "1", format: .getstatsLines, importedMs: 1000)
    let start = SampleAccount.startMs
    try queue.write(header, stored: { _ in }) { writer in
      try writer.connection(0, ConnectionFacts())
      var facts = StreamFacts()
      (facts.source, facts.direction, facts.kind, facts.ssrc) = (source, .inbound, .audio, 1)
      try writer.stream(0, of: 0, facts)
      for second in 0...40 {
        // Nothing from 13.6 s to 21.6 s.
        let time = Double(second)
        let last = (13.6..<21.6).contains(time) ? 13.6 : time
        var sample = Sample(timeMs: start + time * 1000)
        sample.set(.packets, (last < 20 ? last : last - 8) * 50)
        sample.set(.lastPacketMs, start + last * 1000)
        try writer.sample(sample, of: 0, extra: nil)
      }
      return SourceStatus(.imported)
    }
    try queue.flush()
    let stream = StreamAccount(
      key: 1, source: source, chosen: true, direction: .inbound, kind: .audio, screen: false, figures: [:],
      parts: [StreamAccount.Part(key: 1)])
    let windows =
      [2, 4, 5].map { SampleAccount.window($0) } + [SampleAccount.window(3, [.loss: 100], state: .stalled)]
    let found = try Outage.find(windows.sorted { $0.index < $1.index }, [stream], in: store)
    let outage = try #require(found.first)
    #expect(abs(outage.fromMs - start - 13_600) <= 50)
    #expect(abs(outage.untilMs - start - 21_600) <= 650)
  }
}
