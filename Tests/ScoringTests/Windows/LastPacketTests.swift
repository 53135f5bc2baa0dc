import CallModel
import Testing

@Suite("When the last packet came")
struct LastPacketTests {
  enum Clock: CaseIterable {
    case zero, epochSeconds, monotonicSeconds, behind, ahead, stepped

    func reported(_ time: Double) -> Double {
      switch self {
      case .zero: 0
      case .epochSeconds: time / 1000
      case .monotonicSeconds: (time - Trace.start) / 1000 + 276_597
      case .behind: time - 3000
      case .ahead: time + 3000
      case .stepped: time < Trace.start + 12_000 ? time : time - 1200
      }
    }
  }

  @Test("On another clock it tells nothing, and costs nothing", arguments: Clock.allCases)
  func otherClock(_ clock: Clock) {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 30) { _, values in
      values[.lastPacketMs] = values[.lastPacketMs].map(clock.reported)
    }
    trace.cleanVideo(trace.stream(.video), until: 30) { _, values in
      values[.lastPacketMs] = values[.lastPacketMs].map(clock.reported)
    }
    #expect(trace.windows().map(\.score) == Array(repeating: 100, count: 6))
  }

  @Test("An outage is seen without it", arguments: Clock.allCases)
  func outage(_ clock: Clock) {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 30) { time, values in
      let missing = min(max(0, time - 9), 12)
      values[.packets] = ((time - missing) * 50).rounded() + 1
      let last = Trace.start + (missing > 0 && missing < 12 ? 9000 : time * 1000)
      values[.lastPacketMs] = clock.reported(last)
      values[.concealedSamples] = missing * 48_000
      values[.silentConcealedSamples] = max(0, missing - 1) * 48_000
    }
    #expect(trace.windows().map(\.state) == [.active, .active, .stalled, .stalled, .active, .active])
  }

  @Test("A picture alone whose clock is not ours has the windows of its length")
  func bounded() {
    var trace = Trace()
    trace.cleanVideo(trace.stream(.video), until: 30) { _, values in values[.lastPacketMs] = 0 }
    #expect(trace.windows().count == 6)
  }
}
