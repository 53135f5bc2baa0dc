import CallModel
import Testing

@testable import Verdicts

@Suite("Means over long times give only what holds however the loss was spread")
struct SummedLossTests {
  private func judged(_ share: Double, seconds: Double = 200, clean: Bool = true) -> String {
    call(end("caller", MadeMedium.summed(share, seconds: seconds, clean: clean))).judged
  }

  @Test("poor from a tenth of the time, fair from a twentieth, good under half a per cent")
  func bounds() {
    #expect(judged(0.191) == "poor by loss-in-figures")
    #expect(
      judged(0.189) == "fair by some-loss-in-figures" && judged(0.146) == "fair by some-loss-in-figures")
    #expect(judged(0.144) == "unjudged by loss-unplaced" && judged(0.005) == "unjudged by loss-unplaced")
    #expect(judged(0.004) == "good by clean-figures")
    #expect(judged(0.004, clean: false) == "unjudged by loss-unplaced")
  }

  @Test("a short call needs 7.5 s of it, a long one a minute")
  func lengths() {
    #expect(
      judged(0.26, seconds: 30) == "fair by some-loss-in-figures"
        && judged(0.33, seconds: 30) == "poor by loss-in-figures")
    #expect(judged(0.12, seconds: 3000) == "poor by loss-in-figures", "2.2 % of 50 minutes are 67 s")
    #expect(judged(0.5, seconds: 4) == "unjudged by too-short")
  }

  @Test("one end that is undecided keeps the other from calling it good")
  func ends() {
    let both = call(end("caller", MadeMedium.summed(0)), end("callee", MadeMedium.summed(0.05)))
    #expect(both.judged == "unjudged by loss-unplaced")
    #expect(
      call(end("caller", MadeMedium.summed(0)), end("callee", MadeMedium.summed(0.3))).judged
        == "poor by loss-in-figures")
  }

  @Test("the basis is text and back")
  func basis() {
    let basis = Verdict.Basis.figures(per: "minute", by: "zoom")
    #expect(basis.rawValue == "figures per minute (zoom)" && Verdict.Basis(rawValue: basis.rawValue) == basis)
  }
}

extension MadeMedium {
  /// A medium of which only a mean is known.
  static func summed(_ share: Double, seconds: Double = 200, clean: Bool = true) -> MadeMedium {
    var made = MadeMedium(seconds: seconds)
    made.evidence.scored = []
    var summed = SummedLoss()
    summed.add(share: share, lengthMs: seconds * 1000)
    summed.isClean = summed.isClean && clean
    made.evidence.summed = summed
    return made
  }
}
