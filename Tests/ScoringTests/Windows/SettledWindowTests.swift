import CallModel
import Testing

@Suite("Windows are given as soon as nothing can change them")
struct SettledWindowTests {
  /// Twenty minutes of sound and picture, with one trouble from minute five on.
  private func call(_ trouble: Trouble) -> Trace {
    var trace = Trace()
    let sound = trace.stream(.audio)
    let picture = trace.stream(.video)
    trace.cleanAudio(sound, until: 1200) { time, values in
      values[.concealedSamples] = (time / 7).rounded(.down) * 300
      if trouble == .outage { Self.hold(&values, at: time, from: 300, to: 308) }
      if trouble == .soundEnds { Self.hold(&values, at: time, from: 300, to: .infinity) }
    }
    trace.cleanVideo(picture, until: trouble == .pictureGoes ? 300 : 1200) { time, values in
      if trouble == .pictureMuted { Self.hold(&values, at: time, from: 300, to: 420) }
      if trouble == .freezes {
        values[.freezeCount] = (time / 20).rounded(.down)
        values[.freezeMs] = (time / 20).rounded(.down) * 700
      }
    }
    for second in stride(from: 2.0, to: trouble == .noMoreTrips ? 300 : 1200, by: 5) {
      trace.path(at: second, bytes: second * 100_000, rttMs: 40 + second / 10)
    }
    if trouble == .secondSound {
      let second = trace.stream(.audio)
      for time in stride(from: 600.0, through: 900, by: 1) {
        trace.report(
          second, at: time,
          [
            .packets: (time - 599.5) * 50, .lost: 0, .totalSamples: (time - 599.5) * 48_000,
            .concealedSamples: 480,
            .lastPacketMs: Trace.start + time * 1000,
          ])
      }
    }
    return trace
  }

  enum Trouble: CaseIterable {
    case none, outage, soundEnds, pictureMuted, pictureGoes, freezes, noMoreTrips, secondSound
  }

  /// What a counter showed when nothing came any more, and as if nothing had been missed afterwards.
  private static func hold(_ values: inout [Metric: Double], at time: Double, from: Double, to: Double) {
    guard time > from, time <= to else { return }
    for metric: Metric in [.packets, .frames, .bytes, .interFrameDelayMs] {
      values[metric] = values[metric].map { $0 * from / time }
    }
    values[.lastPacketMs] = Trace.start + from * 1000 - 10
    if let samples = values[.totalSamples] {
      values[.concealedSamples] = (values[.concealedSamples] ?? 0) + samples * (1 - from / time)
    }
  }

  @Test("Whatever happens, they are those of the whole call", arguments: Trouble.allCases)
  func same(trouble: Trouble) {
    let trace = call(trouble)
    let (settled, rest) = trace.pieces(asTheySettle: true)
    #expect(settled + rest == trace.windows())
  }

  @Test(
    "Few of them wait",
    arguments: [Trouble.none, .outage, .freezes, .pictureGoes, .noMoreTrips, .secondSound])
  func early(trouble: Trouble) {
    let (settled, rest) = call(trouble).pieces(asTheySettle: true)
    #expect(settled.count > 200 && rest.count < 20)
    #expect(settled.map(\.index) == Array(0..<settled.count))
  }
}
