import CallModel
import Testing

@testable import Assessing

@Suite("Windows in little room")
struct PackedWindowTests {
  /// A window that knows everything, one that knows nothing, and one with a label of its model.
  private var some: [Window] {
    var full = Window(index: 0, startMs: 1.25, endMs: 5001.25, state: .active)
    full.score = 41
    (full.audioCQ, full.audioLQ, full.video) = (41.5, 52.25, 73.125)
    full.pointsLost = [
      .loss: 0, .jitter: 3, .delay: 6, .freeze: 9, .framerate: 12, .resolution: 15, .bitrate: 18,
    ]
    full.inputs.lossShare = 0
    (full.inputs.concealedShare, full.inputs.delayMs, full.inputs.rttMs) = (0.1, 210.5, 100.25)
    (full.inputs.freezeShare, full.inputs.frameRate) = (0.5, 19.75)
    (full.inputs.height, full.inputs.bitrateBps) = (360, 123_456.5)
    (full.clientScore, full.confidence, full.changed) = (77, 0.9, true)
    let empty = Window(index: 1, startMs: 5001.25, endMs: 10_001.25, state: .unscored)
    var labelled = Window(index: 2, startMs: 10_001.25, endMs: 15_001.25, state: .stalled)
    (labelled.score, labelled.label) = (0, "MOS 4.21")
    labelled.pointsLost = [.loss: 100]
    return [full, empty, labelled]
  }

  @Test("What goes in comes out, and unknown is not zero")
  func roundTrip() {
    var packed = PackedWindows()
    #expect(packed.isEmpty && Array(packed.unpacked).isEmpty)
    packed.append(contentsOf: some)
    #expect(!packed.isEmpty && Array(packed.unpacked) == some)
  }

  @Test("Many of them come out in their order, however they were given")
  func many() {
    let windows = (0..<9000).map { index in
      var window = Window(
        index: index, startMs: Double(index) * 5000, endMs: Double(index + 1) * 5000, state: .active)
      window.score = index % 101
      window.inputs.delayMs = index % 7 == 0 ? nil : Double(index) / 3
      return window
    }
    var packed = PackedWindows()
    packed.append(contentsOf: Array(windows[..<1500]))
    for window in windows[1500...] { packed.append(window) }
    #expect(Array(packed.unpacked) == windows)
  }

  @Test("The figures of a call are those of its windows")
  func statistics() {
    let figures = ScoreStatistics(of: some)
    #expect(figures.mean == 20.5 && figures.min == 0 && figures.p10 == 0)
    #expect(figures.poorShare == 1 && figures.unscoredShare == 1.0 / 3)
    #expect(figures.pointsLost[.loss] == 50 && figures.pointsLost[.jitter] == 1.5)
    #expect(figures.topCause == .loss)
    #expect(ScoreStatistics(of: [Window]()).mean == nil)
  }
}
