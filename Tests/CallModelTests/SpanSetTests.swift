import CallModel
import Testing

@Suite("Sets of time spans")
struct SpanSetTests {
  @Test("overlaps count once, in any order")
  func covered() {
    let given: [(start: Double, end: Double)] = [
      (20, 30), (0, 10), (5, 12), (12, 13), (40, .infinity), (50, 60), (35, 34),
    ]
    let spans = SpanSet(given)
    #expect(spans.covered(from: -10, to: 100) == 13 + 10 + 60)
    #expect(spans.covered(from: 9, to: 21) == 5)
    #expect(spans.covered(from: 13, to: 20) == 0)
    #expect(spans.covered(from: 45, to: 47) == 2)
    let broken: [(start: Double, end: Double)] = [(.nan, 1), (1, .nan)]
    #expect(SpanSet(broken).covered(from: 0, to: 9) == 0)
  }

  @Test("an element without a time stays behind its predecessor")
  func order() {
    let given: [(name: String, time: Double?)] = [("a", nil), ("b", 5), ("c", nil), ("d", 2), ("e", 5)]
    #expect(given.inOrder(by: \.time).map(\.name) == ["a", "d", "b", "c", "e"])
  }
}
