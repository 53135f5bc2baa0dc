import Testing
@testable import CallViews

@Suite("Points in which two calls differ")
struct DiffPointTests {
  @Test("a share's difference is in points of per cent, any other in its own unit")
  func units() {
    func change(_ unit: DiffPoint.Unit, _ a: Double, _ b: Double) -> String? {
      DiffPoint(section: .call, name: "x", unit: unit, a: .number(a), b: .number(b)).change
    }
    #expect(change(.share, 0.01, 0.3) == "+29 pp")
    #expect(change(.share, 0.05, 0.021) == "−2.9 pp")
    #expect(change(.ms, 400, 900) == "+500 ms")
    #expect(change(.points, 90, 60) == "−30")
    #expect(change(.share, 0.1, 0.1) == nil)
    #expect(change(.ms, 222.6, 637.4) == "+414 ms", "223 and 637, as they are shown")
    #expect(change(.ms, 12.4, 6.6) == "−5 ms")
    #expect(change(.ms, 640, 1234) == "+594 ms", "shown in other units")
  }
}
