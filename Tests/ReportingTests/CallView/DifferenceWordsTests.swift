import CallModel
import Rendering
import Testing

@testable import CallViews

@Suite("Two scores of one end are told apart")
struct DifferenceWordsTests {
  private static func difference(_ stats: [Window], _ capture: [Window]) throws -> EndDifference {
    var end = SampleAccount.end("callee", stats)
    end.captureWindows = capture
    return try #require(DifferenceWords(SampleAccount.call(ends: [end]), zone: .utc).differences.first)
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
    for cause in Cause.allCases { lost[cause] = 9 }
    var end = SampleAccount.end(name, [SampleAccount.window(0, lost)])
    end.captureWindows = [SampleAccount.window(0, lost)]
    let lines = DifferenceTable(SampleAccount.call(ends: [end]), zone: .utc).lines(width: 80)
    #expect(lines.count == 3 && lines.allSatisfy { VisibleText.width($0) <= 80 }, "\(lines)")
    #expect(lines[0].hasSuffix("loss jitter delay freeze fps px rate coding quiet play"), "\(lines)")
  }

  @Test("which windows are compared is said where one has no score by packets")
  func outage() throws {
    let clean = [0, 1].map { SampleAccount.window($0) }
    let stalled = SampleAccount.window(2, [.loss: 100], state: .stalled)
    let difference = try Self.difference(clean + [stalled], clean)
    #expect(difference.rows.isEmpty && difference.reasons.isEmpty)
    #expect(
      difference.summary
        == "The score of the callee, 67, is that of its own statistics: in the 2 windows that both have (of 3; the outage is "
        + "left out) they give 100, its packets alone 100; no window differs by more than 5 points.")
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
        key: 1, source: source, chosen: source == .stats, direction: .inbound, kind: .audio,
        codec: "opus", ssrc: 7, screen: false, firstMs: nil, lastMs: stats.endMs - behindMs,
        figures: ["packets": .integer(250)])
    }
    let summary = try #require(
      DifferenceWords(SampleAccount.call(ends: [end]), zone: .utc).differences.first?.summary)
    #expect(summary.contains("their clocks are 800 ms apart") == (skewMs == 800))
  }

  @Test("neighbours that differ for the same cause are one row, and the cause is explained once")
  func stretch() throws {
    let difference = try Self.difference(
      (0..<6).map { Self.late($0, 0, 55) }, (0..<6).map { Self.late($0, 37, 655) })
    #expect(
      difference.summary
        == "The score of the callee, 100, is that of its own statistics; its packets alone give 63; "
        + "6 of 6 windows differ by more than 5 points.")
    #expect(
      difference.rows == [
        EndDifference.Row(
          at: "00:00:00–00:00:30", stats: 100, packets: 63,
          causes: [EndDifference.Part(cause: .delay, points: -37)])
      ])
    #expect(
      difference.reasons.map(\.text) == [
        "packets do not show what the buffer held back for the picture and the sound device added: both are "
          + "estimated (655 ms from mouth to ear by packets, 55 ms by statistics)"
      ])
  }

  @Test("the points of a row add up to the difference of its scores")
  func sum() throws {
    let difference = try Self.difference(
      [SampleAccount.window(0, [.delay: 30, .loss: 7])],
      [SampleAccount.window(0, [.resolution: 21, .coding: 10, .delay: 8, .loss: 6])])
    let row = try #require(difference.rows.first)
    #expect(row.stats == 63 && row.packets == 55)
    #expect(row.words(\.heading) == "px -21, coding -10, delay +22, others +1")
    #expect(row.causes.reduce(0) { $0 + $1.points } == row.packets - row.stats)
  }

  @Test("what lies apart, or has another cause, is a row of its own")
  func apart() throws {
    let stats = (0..<4).map { Self.late($0, 0, 55) }
    let capture =
      [Self.late(0, 37, 655), Self.late(1, 0, 55), Self.late(2, 37, 655)]
      + [SampleAccount.window(3, [.freeze: 30])]
    let difference = try Self.difference(stats, capture)
    #expect(difference.rows.map(\.at) == ["00:00:00", "00:00:10", "00:00:15"])
    #expect(difference.reasons.map(\.cause) == [.delay, .freeze])
  }

  @Test("a row with many causes is wrapped, and nothing is wider than the terminal")
  func wrapped() throws {
    var lost: ByCause<Int> = [:]
    for cause in Cause.allCases { lost[cause] = 10 }
    let difference = try Self.difference([SampleAccount.window(0)], [SampleAccount.window(0, lost)])
    let lines = difference.lines(width: 80)
    #expect(lines.count > 2 && lines.allSatisfy { VisibleText.width($0) <= 80 }, "\(lines)")
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
        key: 1, source: source, chosen: source == .stats, direction: .inbound, kind: .audio,
        codec: "opus", ssrc: 7, screen: false, firstMs: SampleAccount.startMs + firstMs, lastMs: nil,
        figures: [:])
    }
    let summary = try #require(
      DifferenceWords(SampleAccount.call(ends: [end]), zone: .utc).differences.first?.summary)
    #expect(summary.contains("their clocks are") == (reportedMs == 300))
  }

  @Test("of pictures that moved alike, what was expected of them differs", arguments: [0.4, 5])
  func rate(ofStatistics rate: Double) throws {
    func window(_ points: Int, _ rate: Double) -> Window {
      var window = SampleAccount.window(0, [.framerate: points])
      window.inputs.frameRate = rate
      return window
    }
    let reason = try #require(Self.difference([window(0, rate)], [window(50, 0.4)]).reasons.first?.text)
    #expect(reason.contains("how many frames a second were to be expected") == (rate == 0.4), "\(reason)")
    #expect(reason.hasSuffix("(0.4 frames a second by packets, 5 by statistics)") == (rate == 5), "\(reason)")
  }
}
