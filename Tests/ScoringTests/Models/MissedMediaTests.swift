import CallModel
import Scoring
import Testing

@Suite("A window is scored by what became of its media")
struct MissedMediaTests {
  private func window(_ state: WindowState, sound: Double?, picture: Double?) -> Window {
    var window = Window(index: 0, startMs: 0, endMs: 5000, state: state)
    (window.score, window.audioCQ, window.audioLQ, window.video) = (0, sound, sound, picture)
    window.pointsLost = [.loss: 100]
    return window
  }

  @Test("sound that came and is worth nothing is no stall, whatever became of the picture")
  func worthless() {
    let measured = window(.active, sound: 0, picture: 3)
    let judged = ScoreModel.standard.window(measured, missed: [.video: .freeze], unknown: [])
    #expect(judged.state == .active && judged.score == 0)
  }

  @Test("a window in which nothing came stays stalled, and one of which all was missed becomes so")
  func stalled() {
    let silent = ScoreModel.standard.window(
      window(.stalled, sound: 0, picture: nil), missed: [:], unknown: [])
    #expect(silent.state == .stalled)
    let missed = ScoreModel.standard.window(
      window(.active, sound: 80, picture: nil), missed: [.audio: .loss], unknown: [])
    #expect(missed.state == .stalled && missed.score == 0 && missed.pointsLost?[.loss] == 100)
  }
}
