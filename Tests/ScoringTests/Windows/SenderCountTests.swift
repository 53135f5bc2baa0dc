import CallModel
import Testing

@Suite("What the sender's reports say of a time without packets")
struct SenderCountTests {
  /// What became of what is missing.
  enum Fate: CaseIterable {
    /// The network lost it.
    case lost
    /// It was never sent.
    case unsent
    /// No report of the sender tells.
    case untold
  }

  /// Puts the sender's count into a report when a new one came, every `every` seconds.
  private static func setSenderReport(
    _ sent: (Double) -> Double, at time: Double, every: Double, _ values: inout [Metric: Double]
  ) {
    let last = (time / every).rounded(.down) * every - 0.3
    guard last > time - 1, last > 0 else { return }
    values[.farPackets] = sent(last).rounded(.down)
    values[.farPacketsMs] = Trace.start + last * 1000
  }

  /// Sound that stops for a while; connectivity checks and RTCP go on.
  private func sound(
    from: Double, to: Double, _ fate: Fate, reports: Double = 5, until end: Double = 40,
    passes: Double = 1
  ) -> Trace {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: end) { time, values in
      let missing = min(max(0, time - from), to - from)
      values[.packets] = ((time - missing) * 50).rounded(.down) + 1
      if missing > 0 { values[.lastPacketMs] = Trace.start + (time <= to ? from : time) * 1000 - 5 }
      (values[.concealedSamples], values[.silentConcealedSamples]) = (
        missing * 48_000, max(0, missing - 0.12) * 48_000
      )
      guard fate != .untold else { return }
      Self.setSenderReport(
        { ($0 - (fate == .unsent ? min(max(0, $0 - from), to - from) : 0)) * 50 * passes },
        at: time, every: reports, &values)
    }
    for time in stride(from: 0.6, through: end, by: 1) { trace.path(at: time, bytes: time * 1000) }
    return trace
  }

  @Test(
    "Sound that was sent and did not come is lost, wherever it stops and for however long",
    arguments: [(15.1, 18.1), (16.4, 22.4), (12.0, 30), (21.0, 60)])
  func lostSound(from: Double, to: Double) throws {
    let windows = sound(from: from, to: to, .lost).windows()
    let missing = windows.map {
      max(0, min($0.endMs, Trace.start + to * 1000) - max($0.startMs, Trace.start + from * 1000)) / 1000
    }
    for (window, seconds) in zip(windows, missing) where seconds > 0.5 {
      #expect(try #require(window.score) < 60, "\(seconds) s of \(window)")
      let points = try #require(window.pointsLost)
      #expect(points[.loss] ?? 0 > 80 * (points[.jitter] ?? 0) / 20)
    }
    for (window, seconds) in zip(windows, missing) where seconds == 0 { #expect(window.score == 100) }
  }

  @Test("A sender that paused lost nothing; where no report tells, something else that came speaks for it")
  func unsentSound() {
    for fate in [Fate.unsent, .untold] {
      for (from, to) in [(15.1, 18.1), (16.4, 22.4), (12.0, 30), (21.0, 60)] {
        let scores = sound(from: from, to: to, fate).windows().compactMap(\.score)
        #expect(scores.min() ?? 0 >= 97, "\(fate) from \(from) to \(to)")
      }
    }
  }

  @Test("The score is the same as windows settle")
  func settled() {
    for fate in Fate.allCases {
      let trace = sound(from: 151, to: 158.2, fate, until: 400)
      let pieces = trace.pieces(asTheySettle: true)
      #expect(pieces.settled.count > 40)
      #expect(pieces.settled + pieces.rest == trace.windows())
    }
  }

  @Test("Who passes on less than the sender says does not lose what it does not pass on")
  func serverBetween() {
    let scores = sound(from: 25, to: 31, .unsent, reports: 2, passes: 2).windows().compactMap(\.score)
    #expect(scores.min() ?? 0 >= 97)
    let paused = sound(from: 25, to: 31, .lost, reports: 2, passes: 2).windows().compactMap(\.score)
    #expect(paused.min() ?? 0 >= 97, "nor does it where the sender goes on and the server passes nothing on")
  }

  /// A picture beside clean sound that stops from 15 s to 23 s; its sender slows down meanwhile.
  private func picture(
    _ fate: Fate, asked: Double = 0, screen: Bool = false, padded: Bool = false, to: Double = 23,
    until end: Double = 40
  ) -> [Window] {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: end)
    let picture = trace.stream(.video)
    trace.streams[picture].screen = screen
    trace.cleanVideo(picture, until: end) { time, values in
      let missing = min(max(0, time - 15), to - 15)
      // The sender probes the path now and then.
      let padding = padded ? (missing / 2).rounded(.down) * 2 : 0
      values[.packets] = (time - missing) * 100 + padding
      values[.frames] = ((time - missing) * 20).rounded(.down)
      values[.interFrameDelayMs] = (missing > 0 && time < to ? 15 : time) * 1000 - 60
      if missing > 0, time < to { values[.lastPacketMs] = Trace.start + 15_000 - 10 }
      values[.pli] = time > 18.5 ? 1 : 0
      values[.lost] = time > to ? 105 * asked : 0
      values[.nack] = time > to ? 20 * asked : 0
      guard fate != .untold else { return }
      Self.setSenderReport(
        { time in
          let missing = min(max(0, time - 15), to - 15)
          return (time - missing) * 100 + (padded ? (missing / 2).rounded(.down) * 2 : 0)
            + (fate == .lost ? 40 * min(missing, 1) + 6 * missing : 0)
        }, at: time, every: 1, &values)
    }
    return trace.windows()
  }

  private func freezePoints(_ windows: [Window]) -> [Int] { windows.map { $0.pointsLost?[.freeze] ?? 0 } }

  @Test("A picture that was sent and did not come stands still", arguments: [23.0, 60])
  func lostPicture(to: Double) {
    let points = freezePoints(picture(.lost, to: to))
    #expect(points[3] > 30)
    #expect(points[4] > (to == 23 ? 20 : 30))
    #expect(points[..<3].allSatisfy { $0 == 0 })
  }

  @Test("A camera that was off does not, and one of which no report tells is taken for such")
  func unsentPicture() {
    for fate in [Fate.unsent, .untold] { #expect(freezePoints(picture(fate)).allSatisfy { $0 == 0 }) }
  }

  @Test(
    "Numbers that are missing and asked for again were sent, more than came with them, as slow as their sender became"
  )
  func askedAgain() {
    #expect(freezePoints(picture(.untold, asked: 1))[3] > 30)
  }

  @Test("A shared screen that shows nothing new is free though its receiver asked for a key frame")
  func stillScreen() {
    #expect(freezePoints(picture(.unsent, screen: true, padded: true)).allSatisfy { $0 == 0 })
    #expect(freezePoints(picture(.lost, screen: true, to: 60))[4] > 30)
    #expect(
      freezePoints(picture(.untold, screen: true, padded: true))[3] > 30,
      "where no report tells, as asked for")
  }
}
