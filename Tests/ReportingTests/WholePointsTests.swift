import CallModel
import Testing
@testable import CallViews
@testable import Reporting

@Suite("Score and points as whole numbers")
struct WholePointsTests {
  @Test("rounded one by one they would make 99; shown together they make 100")
  func sum() throws {
    let lost: ByCause<Double> = [.loss: 25.45, .delay: 11.35, .freeze: 6.4, .jitter: 3.5, .resolution: 2.3]
    let whole = try #require(PointRounding(score: 51, lost: lost))
    #expect(whole.score == 51)
    #expect(whole.causes.map(\.points) == [26, 11, 6, 4, 2])
    #expect(whole.causes.map(\.cause) == [.loss, .delay, .freeze, .jitter, .resolution])
  }

  @Test("whatever windows there were, the sum is 100 and nothing is a point or more from what it was")
  func every() throws {
    var random = SeededRandom(seed: 5)
    for _ in 0..<500 {
      let windows = Double(1 + random.below(700))
      var points: ByCause<Double> = [:]
      var left = 100.0 * windows
      for cause in Cause.allCases {
        let taken = Double(random.below(Int(left) / 3 + 1))
        points[cause] = taken / windows
        left -= taken
      }
      let whole = try #require(PointRounding(score: left / windows, lost: points))
      #expect(whole.score + whole.lost.values.reduce(0, +) == 100)
      for (cause, value) in points { #expect(abs(Double(whole.lost[cause] ?? 0) - value) < 1) }
    }
  }

  @Test("points of other windows than the score's are not made to fit")
  func strangers() {
    #expect(PointRounding(score: 51, lost: [.loss: 20]) == nil)
    #expect(PointRounding(score: .nan, lost: [:]) == nil)
    #expect(PointRounding(score: 100, lost: [:])?.causes.isEmpty == true)
  }
}
