import CallModel
import Rendering
import Testing

@testable import Reporting
@testable import CallViews

@Suite("Two scores of one end are told apart")
struct DifferenceWordsTests {
  private static func sentences(_ stats: [Window], _ capture: [Window]) -> [String] {
    var end = SampleAccount.end("callee", stats)
    end.captureWindows = capture
    return DifferenceWords(SampleAccount.call(ends: [end]), zone: .utc).sentences
  }

  private static func late(_ index: Int, _ points: Int, _ delay: Double) -> Window {
    var window = SampleAccount.window(index, [.delay: points])
    window.inputs.delayMs = delay
    return window
  }

  @Test("the table has a line by statistics and one by packets, whose score and points make 100")
  func table() {
    var end = SampleAccount.end("callee", [SampleAccount.window(0, [.loss: 10]), SampleAccount.window(1)])
    end.captureWindows = [SampleAccount.window(0, [.loss: 20, .delay: 5]), SampleAccount.window(1)]
    let lines = DifferenceTable(SampleAccount.call(ends: [end]), zone: .utc).lines(width: 80)
    #expect(
      lines == [
        "                    score  loss  delay", "callee  statistics     95    -5      ·",
        "        packets        88   -10     -2",
      ])
  }

  @Test(
    "with every cause it is no wider than the terminal", arguments: ["callee", "a-participant-with-a-name"])
  func narrow(name: String) {
    var lost: ByCause<Int> = [:]
    for cause in Cause.allCases { lost[cause] = 12 }
    var end = SampleAccount.end(name, [SampleAccount.window(0, lost)])
    end.captureWindows = [SampleAccount.window(0, lost)]
    let lines = DifferenceTable(SampleAccount.call(ends: [end]), zone: .utc).lines(width: 80)
    #expect(lines.count == 3 && lines.allSatisfy { VisibleText.width($0) <= 80 }, "\(lines)")
    #expect(lines[0].hasSuffix("loss jitter delay freeze fps  px bitrate coding"), "\(lines)")
  }

  @Test("which windows are compared is said where one has no score by packets")
  func outage() {
    let clean = [0, 1].map { SampleAccount.window($0) }
    let stalled = SampleAccount.window(2, [.loss: 100], state: .stalled)
    #expect(
      Self.sentences(clean + [stalled], clean) == [
        "The score of the callee, 67, is that of its own statistics: in the 2 windows that both have (of 3; the outage is "
          + "left out) they give 100, its packets alone 100; no window differs by more than 5 points."
      ])
  }

  @Test(
    "windows that begin apart are those of two clocks only if no packet was reported before it came",
    arguments: [0.0, 800])
  func clocks(skewMs: Double) throws {
    var stats = SampleAccount.window(0)
    stats.startMs += 800
    stats.endMs += 800
    var end = SampleAccount.end("callee", [stats])
    end.captureWindows = [SampleAccount.window(0)]
    end.streams = [(StreamSource.stats, 0.0), (.capture, skewMs)].map { source, behindMs in
      StreamAccount(
        key: 1, pc: nil, source: source, chosen: source == .stats, direction: .inbound, kind: .audio,
        codec: "opus", ssrc: 7, screen: false, firstMs: nil, lastMs: stats.endMs - behindMs,
        figures: ["packets": .integer(250)])
    }
    let sentences = try #require(
      DifferenceWords(SampleAccount.call(ends: [end]), zone: .utc).sentences.first)
    #expect(sentences.contains("their clocks are 800 ms apart") == (skewMs == 800))
  }

  @Test("neighbours that differ for the same cause are one sentence")
  func stretch() throws {
    let sentences = Self.sentences(
      (0..<6).map { Self.late($0, 0, 55) }, (0..<6).map { Self.late($0, 37, 655) })
    #expect(sentences.count == 2)
    #expect(
      sentences[0]
        == "The score of the callee, 100, is that of its own statistics; its packets alone give 63; "
        + "6 of 6 windows differ by more than 5 points.")
    #expect(
      sentences[1].hasPrefix(
        "00:00:00–00:00:30, all 6 windows: 63 by packets, 100 by statistics: more points: 37 to delay (655 ms against 55 ms"
      ), "\(sentences[1])")
  }

  @Test("the points of a stretch add up to the difference of its scores")
  func sum() throws {
    let sentences = try #require(
      Self.sentences(
        [SampleAccount.window(0, [.delay: 30, .loss: 7])],
        [SampleAccount.window(0, [.resolution: 21, .coding: 10, .delay: 8, .loss: 6])]
      ).last)
    #expect(sentences.contains("55 by packets, 63 by statistics: more points: 21 to "), "\(sentences)")
    #expect(sentences.contains(", 10 to \(Cause.coding.words) ("))
    #expect(
      sentences.hasSuffix(", but 22 fewer to \(Cause.delay.words), 1 fewer to the others."), "\(sentences)")
  }

  @Test("what lies apart, or has another cause, is told apart")
  func apart() {
    let stats = (0..<4).map { Self.late($0, 0, 55) }
    let capture =
      [Self.late(0, 37, 655), Self.late(1, 0, 55), Self.late(2, 37, 655)]
      + [SampleAccount.window(3, [.freeze: 30])]
    let sentences = Self.sentences(stats, capture)
    #expect(sentences.count == 4)
    #expect(sentences[1].hasPrefix("At 00:00:00 63 by packets, 100 by statistics"))
  }

  @Test(
    "packets counted back to before the first that was captured are no two clocks, if its first report came after it",
    arguments: [900.0, 300])
  func burst(reportedMs: Double) throws {
    var captured = SampleAccount.window(0)
    captured.startMs += 477
    var end = SampleAccount.end("callee", [SampleAccount.window(0)])
    end.captureWindows = [captured]
    end.streams = [(StreamSource.stats, reportedMs), (.capture, 477)].map { source, firstMs in
      StreamAccount(
        key: 1, pc: nil, source: source, chosen: source == .stats, direction: .inbound, kind: .audio,
        codec: "opus", ssrc: 7, screen: false, firstMs: SampleAccount.startMs + firstMs, lastMs: nil,
        figures: [:])
    }
    let sentences = try #require(
      DifferenceWords(SampleAccount.call(ends: [end]), zone: .utc).sentences.first)
    #expect(sentences.contains("their clocks are") == (reportedMs == 300))
  }

  @Test("of pictures that moved alike, what was expected of them differs", arguments: [0.4, 5])
  func rate(ofStatistics rate: Double) throws {
    func window(_ points: Int, _ rate: Double) -> Window {
      var window = SampleAccount.window(0, [.framerate: points])
      window.inputs.frameRate = rate
      return window
    }
    let sentences = try #require(Self.sentences([window(0, rate)], [window(50, 0.4)]).last)
    #expect(sentences.contains("how many frames a second were to be expected does not show") == (rate == 0.4))
    #expect(
      sentences.contains("0.4 against 5 frames a second, frames that the decoder left out") == (rate == 5),
      "\(sentences)")
  }
}
