import CallModel
import Scoring
import SharedRecordings
import Testing

@Suite(
  "Scores of recorded calls",
  .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)))
struct RecordedScoreTests {
  @Test(
    "Nothing done to the network: 100 by the third version, by the fourth less what coding takes",
    arguments: Recordings.cleanEnds)
  func clean(end: String) throws {
    var third = try RecordedEnd(end).scorer(.callqa3, cut: .fromFirstMedia)
    let before = third.finish()
    #expect(before.count == 7)
    // Frames that came unevenly at the very beginning are no freeze to the browser.
    #expect(before.allSatisfy { $0.state == .active } && (before[0].score ?? 0) >= 90)
    #expect(before.dropFirst().allSatisfy { $0.score == 100 })
    for window in try RecordedEnd(end).windows() {
      let lost = window.pointsLost
      #expect((window.score ?? 0) >= (window.index == 0 ? 80 : 90), "\(window.index)")
      #expect(
        (lost?[.coding] ?? 0) + (lost?[.resolution] ?? 0) >= 100 - (window.score ?? 0) - 5, "\(window.index)")
    }
  }

  @Test("Points lost add up, and nothing is out of its range", arguments: Recordings.ends)
  func sums(end: String) throws {
    for window in try RecordedEnd(end).windows() {
      guard let score = window.score, let lost = window.pointsLost else {
        #expect(window.state == .silent || window.state == .unscored)
        continue
      }
      #expect(lost.values.reduce(0, +) == 100 - score)
      #expect((0...100).contains(score) && (0...1).contains(window.confidence ?? -1))
      #expect((0...1).contains(window.inputs.freezeShare ?? 0))
      #expect((0...1).contains(window.inputs.concealedShare ?? 0))
    }
  }

  @Test(
    "An outage of eight seconds is stalled where nothing came, and over soon after",
    arguments: ["callee", "caller"])
  func outage(end: String) throws {
    let windows = try RecordedEnd("t21-outage8/" + end).windows()
    #expect(windows.map(\.state)[2] == .stalled)
    #expect((windows[0].score ?? 0) >= 90 && (windows[3].score ?? 100) < 20)
    #expect(windows[4...].allSatisfy { ($0.score ?? 0) >= 93 })
  }

  @Test("Windows taken as they settle are those of the whole", arguments: Recordings.ends)
  func settled(end: String) throws {
    let recorded = try RecordedEnd(end)
    #expect(recorded.windowsAsTheySettle() == recorded.windows())
  }

  /// Left out: windows that share an outage with their neighbour, where a second more or less decides.
  @Test("Polling half as often agrees within 3 points in 92 % of windows", arguments: [0, 1])
  func thinned(offset: Int) throws {
    var all = 0
    var far: [String] = []
    for end in Recordings.ends {
      let full = try RecordedEnd(end).windows()
      let thin = try RecordedEnd(end, every: 2, offset: offset).windows()
      let stalled = full.filter { $0.state == .stalled }.map(\.index)
      for (one, other) in zip(full, thin) where one.score != nil || other.score != nil {
        guard !stalled.contains(where: { abs($0 - one.index) == 1 }) else { continue }
        all += 1
        if let a = one.score, let b = other.score, abs(a - b) <= 3 { continue }
        far.append("\(end) \(one.index): \(one.score ?? -1) \(other.score ?? -1)")
      }
    }
    #expect(Double(all - far.count) >= 0.92 * Double(all), "\(far.count) of \(all): \(far)")
  }

  @Test("Worse networks score lower")
  func order() throws {
    func mean(_ call: String) throws -> Double {
      let scores = try RecordedEnd(call + "/callee").windows().compactMap(\.score)
      return Double(scores.reduce(0, +)) / Double(max(1, scores.count))
    }
    let means = try ["t00-clean", "t01-loss1", "t03-loss8", "t04-loss15", "t05-loss30"].map(mean)
    #expect(means == means.sorted(by: >))
  }
}
