import CallModel
import Testing

@Suite("Packets of sound that the jitter buffer discards")
struct DiscardedSoundTests: FindingSuite {
  /// Half a minute of sound at a client that counts packets alone, and discards a share of them from a second on.
  private func trace(_ share: Double, from second: Double = 0) -> Trace {
    var trace = Trace()
    let sound = trace.stream(.audio)
    for time in stride(from: 1.0, through: 30, by: 1) {
      trace.report(
        sound, at: time,
        [.packets: time * 50, .lost: 0, .jitterMs: 4, .discarded: max(0, time - second) * 50 * share])
    }
    return trace
  }

  @Test("cost as much as those that were lost, where nobody counts what was concealed")
  func charged() throws {
    #expect(trace(0).windows().map(\.score).allSatisfy { $0 == 100 })
    let windows = trace(0.2).windows().dropFirst()
    #expect(!windows.isEmpty && windows.allSatisfy { $0.score ?? 100 < 40 })
    #expect(windows.allSatisfy { $0.pointsLost?[.loss] == 0 && $0.pointsLost?[.jitter] ?? 0 > 60 })
    #expect(trace(0.005).windows().allSatisfy { $0.score ?? 0 > 90 })
  }

  @Test("are sound that is not played, where all of them are")
  func allOfThem() {
    let found = findings(trace(1, from: 10)).filter { $0.name == "one-way-audio" }
    #expect(found.map(\.severity) == [.error])
    #expect(found.first?.text.contains("discarded by the jitter buffer") == true)
    #expect(findings(trace(0.9, from: 10)).isEmpty)
  }
}
