import CallModel
import Scoring
import Testing

/// Sound of 12 s, then nothing more, while the reports go on for 9 s.
@Suite("Where the call is over, its last window ends")
struct EndOfCallTests {
  private func call(mediaUntil end: Double = 12.2, closedAt closed: Double? = nil) -> Trace {
    var trace = Trace()
    let sound = trace.stream(.audio)
    trace.cleanAudio(sound, until: 21) { time, values in
      guard time > end else { return }
      values[.packets] = (end * 50).rounded(.down) + 1
      values[.lastPacketMs] = Trace.start + end * 1000
      values[.concealedSamples] = (time - end) * 48_000
      values[.silentConcealedSamples] = (time - end) * 48_000
    }
    for time in stride(from: 1.0, through: 21, by: 1) {
      trace.path(at: time, bytes: min(time, end) * 10_000)
      guard let closed else { continue }
      trace.transports[trace.transports.count - 1].dtlsState = time >= closed ? "closed" : "connected"
    }
    return trace
  }

  private func scores(_ trace: Trace, endedAt: Double? = nil) -> [Int?] {
    let ended = endedAt.map { Trace.start + $0 * 1000 }
    return trace.windows(.standard, endedMs: ended).map(\.score)
  }

  @Test("nobody says that it is over: an outage")
  func outage() {
    #expect(scores(call()).last == 0)
  }

  @Test("the far end closed the connection")
  func closed() {
    #expect(scores(call(closedAt: 13)) == [100, 100])
    #expect(scores(call(mediaUntil: 14, closedAt: 14)) == [100, 100, 100])
  }

  @Test("an end hung up, by the events")
  func hungUp() {
    #expect(scores(call(), endedAt: 12.25) == [100, 100])
    #expect(scores(call(mediaUntil: 14), endedAt: 14) == [100, 100, 100])
  }

  @Test("an outage before the end of the call stays one")
  func outageBefore() {
    #expect(scores(call(mediaUntil: 5), endedAt: 15.1) == [100, 0, 0])
    #expect(scores(call(mediaUntil: 5, closedAt: 15)) == [100, 0, 0])
  }

  @Test("media that goes on speaks against it: an end of another connection, or a clock that is wrong")
  func goesOn() {
    #expect(scores(call(closedAt: 5)) == scores(call()))
    #expect(scores(call(), endedAt: 5).last == 0)
  }

  @Test("one connection of two is closed: the other is not over")
  func oneOfTwo() {
    var trace = call(closedAt: 13)
    for time in stride(from: 1.01, through: 21, by: 1) {
      trace.path(at: time, bytes: min(time, 12.2) * 10_000)
      trace.transports[trace.transports.count - 1].dtlsState = "connected"
    }
    #expect(scores(trace).last == 0)
  }
}
