import CallModel
import Testing

@Suite("ByCause distinguishes nil from zero")
struct ByCauseTests {
  @Test("set, read back, cleared", arguments: Cause.allCases)
  func setAndClear(cause: Cause) {
    var points = ByCause<Int>()
    #expect(points.isEmpty && points[cause] == nil)
    points[cause] = 0
    #expect(!points.isEmpty && points[cause] == 0)
    #expect(Cause.allCases.filter { points[$0] != nil } == [cause])
    points[cause, default: 5] += 3
    #expect(points == [cause: 3])
    points[cause] = nil
    points[cause, default: 5] += 3
    #expect(points[cause] == 8)
  }

  @Test("iterates in the order of causes, in whatever order it was filled")
  func order() {
    let points: ByCause<Double> = [.bitrate: 3, .loss: 1, .freeze: 2]
    #expect(points.map(\.cause) == [.loss, .freeze, .bitrate])
    #expect(points.values == [1, 2, 3])
    #expect(points.mapValues { $0 * 2 } == [.loss: 2, .freeze: 4, .bitrate: 6])
    #expect(points != [.loss: 1, .freeze: 2])
  }
}
