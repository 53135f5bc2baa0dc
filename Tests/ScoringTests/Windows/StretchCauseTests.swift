import CallModel
import Scoring
import Testing

/// Whose fault it is that sound was slowed down or sped up.
@Suite("Time-stretching belongs to loss or to jitter")
struct StretchCauseTests {
  /// Half a minute of sound of which shares are lost, concealed and slowed down in every second.
  private func window(
    lost: Double, concealed: Double, slowed: Double, jitterMs: Double, _ model: ScoreModel = .callqa3
  ) throws -> Window {
    var trace = Trace()
    let sound = trace.stream(.audio)
    trace.cleanAudio(sound, until: 30) { time, values in
      values[.packets] = time * 50 * (1 - lost)
      values[.lost] = time * 50 * lost
      values[.concealedSamples] = time * 48_000 * concealed
      values[.insertedSamples] = time * 48_000 * slowed
      values[.jitterMs] = jitterMs
      values[.lastPacketMs] = nil
    }
    return try #require(trace.windows(model).dropFirst(2).first)
  }

  @Test("where packets are lost and the others come evenly, it is loss's")
  func byLoss() throws {
    let window = try window(lost: 0.08, concealed: 0.06, slowed: 0.027, jitterMs: 3)
    #expect(window.score == 35)
    #expect(window.pointsLost?[.jitter] == 0)
    #expect(window.pointsLost?[.loss] == 65)
  }

  @Test(
    "where nothing is lost, or packets come unevenly, it is jitter's",
    arguments: [(0.0, 3.0), (0.03, 25)])
  func byJitter(lost: Double, jitterMs: Double) throws {
    let window = try window(lost: lost, concealed: lost, slowed: 0.05, jitterMs: jitterMs)
    #expect((window.pointsLost?[.jitter] ?? 0) > 3 * (window.pointsLost?[.loss] ?? 0))
  }

  @Test("a little loss does not explain much of it")
  func beyondLoss() throws {
    let window = try window(lost: 0.01, concealed: 0.01, slowed: 0.08, jitterMs: 3)
    #expect((window.pointsLost?[.jitter] ?? 0) > 5 * (window.pointsLost?[.loss] ?? 0))
  }

  /// The third window where sound is slowed down, in a buffer that stays as long as it is told to.
  private func held(targetMs: Double, minimumMs: Double, jitterMs: Double = 3) throws -> Window {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 30) { time, values in
      let played = time * 48_000
      values[.insertedSamples] = played * 0.05
      values[.jitterMs] = jitterMs
      values[.jitterBufferDelayMs] = played * min(targetMs, 200)
      values[.jitterBufferTargetDelayMs] = played * targetMs
      values[.jitterBufferMinimumDelayMs] = played * minimumMs
    }
    return try #require(trace.windows(.callqa3).dropFirst(2).first)
  }

  @Test("where the receiver holds sound longer than the network needs, it is delay's")
  func byWish() throws {
    let wished = try held(targetMs: 1000, minimumMs: 60)
    let asNeeded = try held(targetMs: 1000, minimumMs: 1000)
    #expect(wished.score == asNeeded.score)
    #expect(wished.pointsLost?[.jitter] == 0)
    #expect(wished.pointsLost?[.delay] ?? 0 > 40)
    #expect(asNeeded.pointsLost?[.jitter] ?? 0 > 40)
    let uneven = try held(targetMs: 1000, minimumMs: 60, jitterMs: 30)
    #expect(uneven.pointsLost?[.jitter] ?? 0 > 40, "packets come unevenly")
  }

  @Test("sound that came too late is jitter's beside loss")
  func late() throws {
    let window = try window(lost: 0.03, concealed: 0.09, slowed: 0.02, jitterMs: 8)
    #expect((window.pointsLost?[.jitter] ?? 0) > (window.pointsLost?[.loss] ?? 0))
  }
}
