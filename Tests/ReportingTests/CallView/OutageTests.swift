import CallModel
import CallStore
import Testing

@testable import Reporting

@Suite("The edges of an outage")
struct OutageTests {
  /// Sound of which nothing came from 13.6 s to 21.6 s, or in another time.
  private func sound(
    _ store: Store, _ source: StreamSource, every: Double = 1, missing: Range<Double> = 13.6..<21.6
  ) throws -> StreamAccount {
    let concealed = missing.upperBound - missing.lowerBound
    let queue = SourceQueue(store, watch: { nil })
    let header = SourceHeader(path: "1", sha256: "1", format: .getstatsLines, importedMs: 1000)
    let start = SampleAccount.startMs
    try queue.write(header, stored: { _ in }) { writer in
      try writer.connection(0, ConnectionFacts())
      var facts = StreamFacts()
      (facts.source, facts.direction, facts.kind, facts.ssrc) = (source, .inbound, .audio, 1)
      try writer.stream(0, of: 0, facts)
      for time in stride(from: 0, through: 40, by: every) {
        let last = missing.contains(time) ? missing.lowerBound : time
        var sample = Sample(timeMs: start + time * 1000)
        sample.set(.packets, ((last < missing.upperBound ? last : last - concealed) * 50).rounded())
        sample.set(.lastPacketMs, start + last * 1000)
        sample.set(.totalSamples, time * 48_000)
        sample.set(.concealedSamples, min(max(0, time - missing.lowerBound), concealed) * 48_000)
        try writer.sample(sample, of: 0, extra: nil)
      }
      return SourceStatus(.imported)
    }
    try queue.flush()
    return StreamAccount(
      key: 1, source: source, chosen: true, direction: .inbound, kind: .audio, screen: false,
      figures: ["total_samples": .integer(40 * 48_000), "concealed_samples": .real(concealed * 48_000)],
      parts: [StreamAccount.Part(key: 1)])
  }

  private func outages(
    _ windows: [Window], every: Double = 1, _ source: StreamSource = .stats,
    missing: Range<Double> = 13.6..<21.6
  ) throws -> [Outage] {
    let store = try Store(path: "memory", access: .memory)
    return try Outage.find(
      windows, [sound(store, source, every: every, missing: missing)], in: store)
  }

  /// A window in which that part of the sound was lost.
  private func starved(_ index: Int, _ share: Double) -> Window {
    var window = SampleAccount.window(index, [.loss: 60])
    window.inputs.concealedShare = share
    return window
  }

  @Test("lie at the packets beside it, whoever counted those", arguments: [StreamSource.stats, .capture])
  func edges(source: StreamSource) throws {
    let windows =
      [2, 4, 5].map { SampleAccount.window($0) } + [SampleAccount.window(3, [.loss: 100], state: .stalled)]
    let outage = try #require(outages(windows.sorted { $0.index < $1.index }, source).first)
    #expect(abs(outage.fromMs - SampleAccount.startMs - 13_600) <= 50)
    #expect(abs(outage.untilMs - SampleAccount.startMs - 21_600) <= 50)
  }

  @Test("are found where no whole window is empty, however seldom reports come", arguments: [1.0, 5, 10])
  func noWindow(every: Double) throws {
    let windows = [starved(2, 0.3), starved(3, 0.9), starved(4, 0.4), SampleAccount.window(5)]
    let found = try outages(windows, every: every)
    let outage = try #require(found.first)
    #expect(found.count == 1)
    #expect(abs(outage.fromMs - SampleAccount.startMs - 13_600) <= (every < 10 ? 50 : 3700))
    #expect(abs(outage.lengthMs - 8000) <= 50)
  }

  @Test("are told from two and a half seconds on", arguments: [2.0, 3, 4.8])
  func short(length: Double) throws {
    let windows = [SampleAccount.window(2), starved(3, length / 5), SampleAccount.window(4)]
    let found = try outages(windows, missing: 15.1..<15.1 + length)
    #expect(found.count == (length > 2.5 ? 1 : 0))
    for outage in found { #expect(abs(outage.lengthMs - length * 1000) <= 50) }
  }

  @Test("A far end that sent nothing makes none, nor does loss beside it")
  func pause() throws {
    #expect(try outages((2...5).map { SampleAccount.window($0) }).isEmpty)
    let silent = SampleAccount.window(3, state: .silent)
    #expect(try outages([starved(2, 0.5), silent, SampleAccount.window(4)]).isEmpty)
  }

  @Test(
    "What was made up while the far end sent no sound is none that an end missed", arguments: [1.0, 5, 10])
  func pausedSound(every: Double) throws {
    let store = try Store(path: "memory", access: .memory)
    var stream = try sound(store, .stats, every: every)
    let start = SampleAccount.startMs
    stream.pausedSamples = try stream.madeUp(inSilences: [(start + 13_600, start + 21_600)], in: store)
    #expect(try #require(stream.concealedShare) < (every < 5 ? 0.001 : 0.08))
    let sent = try stream.madeUp(inSilences: [(start + 25_000, start + 35_000)], in: store)
    #expect(sent == 0, "silence that is sent is played")
  }
}
