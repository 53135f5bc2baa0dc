import Testing

@testable import Assessing

@Suite("A way that carries less than is sent on it")
struct CongestionTests {
  /// Polls of a second each: what came, in kb/s, and the round trip, ms.
  private func way(
    _ kilobits: [Double], rtt: [Double], sent: Double? = nil, available: [Double]? = nil
  ) -> WayRates {
    WayRates(
      kilobits.indices.map { second in
        WayRates.Interval(
          startMs: Double(second) * 1000, endMs: Double(second + 1) * 1000, received: kilobits[second] * 1000,
          sent: sent.map { $0 * 1000 }, rttMs: rtt[second % rtt.count],
          available: available.map { $0[second % $0.count] * 1000 })
      })
  }

  private func times(_ count: Int, _ value: Double) -> [Double] { Array(repeating: value, count: count) }

  @Test("A collapse is found to the second, with what was carried before and then")
  func collapse() throws {
    let rates = times(20, 1800) + [1000] + times(9, 190) + times(20, 600)
    let trips = times(22, 20) + times(9, 500) + times(19, 25)
    let found = try #require(Congestion.found(way(rates, rtt: trips), from: nil, lost: 0))
    #expect(abs(found.startMs - 20_500) < 200)
    #expect(abs(found.endMs - 31_000) <= 2000)
    #expect(found.before == 1_800_000 && found.carried == 190_000)
  }

  @Test(
    "No collapse is claimed without a queue, of an outage, or of a rate that wavered before",
    arguments: [
      // The sender turned its picture off.
      (times: 20, then: 60.0, waver: 0.0, queueMs: 0.0),
      // Nothing came at all.
      (times: 20, then: 0.0, waver: 0.0, queueMs: 500.0),
      // It had gone up and down before.
      (times: 20, then: 400.0, waver: 700.0, queueMs: 500.0),
      // It fell by a third.
      (times: 20, then: 1200.0, waver: 0.0, queueMs: 500.0),
    ])
  func none(_ one: (times: Int, then: Double, waver: Double, queueMs: Double)) {
    let before = (0..<one.times).map { 1800 - ($0 % 2 == 0 ? 0 : one.waver) }
    let rates = before + times(20, one.then)
    let trips = times(one.times + 1, 20) + times(19, 20 + one.queueMs)
    #expect(Congestion.found(way(rates, rtt: trips), from: nil, lost: 0) == nil)
  }

  @Test(
    "A way that was narrow throughout is known by the sender's estimate, which holds still, and a queue that fills and empties"
  )
  func narrow() throws {
    let own = way(times(30, 250), rtt: [15, 30, 20, 140, 25])
    let far = way(times(30, 50), rtt: [15], sent: 260, available: [240, 290, 260])
    let found = try #require(Congestion.found(own, from: far, lost: 0))
    #expect(found.carried == 250_000 && found.before == nil)
  }

  @Test("Jitter, a generous estimate, or one that wanders, is no narrow way")
  func notNarrow() {
    let queue: [Double] = [15, 30, 20, 140, 25]
    let own = way(times(30, 250), rtt: queue)
    let jitter = way(times(30, 250), rtt: [110, 150, 200, 260, 130])
    func far(_ available: [Double]) -> WayRates {
      way(times(30, 50), rtt: [15], sent: 260, available: available)
    }
    #expect(Congestion.found(jitter, from: far([240, 290, 260]), lost: 0) == nil)
    #expect(Congestion.found(own, from: far([3000]), lost: 0) == nil)
    #expect(Congestion.found(own, from: far([150, 250, 400]), lost: 0) == nil)
    #expect(Congestion.found(own, from: nil, lost: 0) == nil)
  }

  @Test("Heavy loss alone is none; with a standing queue and a steady rate it is")
  func loss() {
    #expect(Congestion.found(way(times(30, 80), rtt: [40]), from: nil, lost: 0.3) == nil)
    #expect(Congestion.found(way(times(30, 80), rtt: [130, 500, 550, 580]), from: nil, lost: 0.3) != nil)
  }
}
