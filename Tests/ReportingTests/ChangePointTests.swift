import Testing

@testable import Reporting

@Suite("Since when, and is it going on")
struct ChangePointTests {
  private let night = 1_795_000_000_000.0

  /// A call a minute; a share of those in a time has the trouble, of the others hardly any.
  private func changePoint(bad: ClosedRange<Int>?, of minutes: Int = 300, share: Int = 1) -> ChangePoint? {
    ChangePoint(
      (0..<minutes).map { minute in
        let isBad = bad.map { $0.contains(minute) && minute % share == 0 } ?? false
        return ChangePoint.Point(
          timeMs: night + Double(minute) * 60_000, value: isBad || minute % 97 == 5 ? 1 : 0)
      })
  }

  private func minutes(_ ms: Double?) -> Double? { ms.map { ($0 - night) / 60_000 } }

  @Test("what begins amid the night and goes on has a beginning and no end")
  func began() throws {
    let found = try #require(changePoint(bad: 130...299, share: 2))
    let from = try #require(minutes(found.fromMs))
    #expect(abs(from - 130) <= 3 && found.untilMs == nil)
    #expect(found.hours.count == 5 && (found.hours[0] ?? 1) < 0.1 && (found.hours[4] ?? 0) > 0.4)
  }

  @Test("what came and went has both, what was there from the first call on only an end")
  func went() throws {
    let found = try #require(changePoint(bad: 100...180))
    let (from, until) = (try #require(minutes(found.fromMs)), try #require(minutes(found.untilMs)))
    #expect(abs(from - 100) <= 3 && abs(until - 180) <= 3)
    let early = try #require(changePoint(bad: 0...90))
    let end = try #require(minutes(early.untilMs))
    #expect(early.fromMs == nil && abs(end - 90) <= 3)
  }

  @Test("what is there all night, or by chance, has neither; of a few calls nothing is said")
  func even() throws {
    let all = try #require(changePoint(bad: 0...299, share: 3))
    #expect(all.fromMs == nil && all.untilMs == nil)
    let none = try #require(changePoint(bad: nil))
    #expect(none.fromMs == nil && none.untilMs == nil)
    #expect(changePoint(bad: 0...9, of: 11) == nil)
  }

  @Test("what was bad from the first call on and got a little worse was there all night")
  func worsened() throws {
    var random = SeededRandom(seed: 78, stream: "changePoint")
    func changePoint(_ quarters: [Double]) -> ChangePoint? {
      ChangePoint(
        (0..<400).map { minute in
          let lost = quarters[minute / 100] + 6 * (random.unit() - 0.5)
          return ChangePoint.Point(timeMs: night + Double(minute) * 60_000, value: lost)
        })
    }
    let bad = try #require(changePoint([14.9, 15.1, 16.3, 16]))
    #expect(bad.fromMs == nil && bad.untilMs == nil)
    let eased = try #require(changePoint([16, 16.3, 12, 11.9]))
    #expect(eased.fromMs == nil && eased.untilMs == nil)
    let began = try #require(changePoint([0.4, 15.1, 16.3, 16]))
    let from = try #require(minutes(began.fromMs))
    #expect(abs(from - 100) <= 3 && began.untilMs == nil)
  }

  @Test("chance is taken for a change at most once in fifty nights", arguments: [UInt64(1), 2, 3])
  func chance(_ seed: UInt64) {
    var random = SeededRandom(seed: seed, stream: "changePoint")
    var alarms = 0
    for _ in 0..<300 {
      let points = (0..<120).map { minute in
        ChangePoint.Point(
          timeMs: night + Double(minute) * 60_000, value: Double(random.next() % 1000) / 1000 < 0.2 ? 1 : 0)
      }
      let found = ChangePoint(points)
      if found?.fromMs != nil || found?.untilMs != nil { alarms += 1 }
    }
    #expect(alarms <= 6, "\(alarms) of 300")
  }
}
