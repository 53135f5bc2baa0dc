import Testing

@testable import Reporting

@Suite("Scenarios that scatter unevenly")
struct UnevenScatterTests {
  /// Five calls of each of forty scenarios; of the loud ones they lie 30 points apart, of the others a tenth of one.
  private static func calls(loud: Int) -> [ComparedCall] {
    (0..<200).map { index in
      let scenario = index % 40
      let step = Double(index / 40 - 2) * (scenario < loud ? 15 : 0.05)
      return ComparedCall(
        sdk: "web", scenario: "s\(scenario)", score: 50 + step, setupMs: nil, isPoor: false, isBroken: false)
    }
  }

  /// How many standard errors the interval reaches down.
  private static func reach(loud: Int) throws -> Double {
    let calls = calls(loud: loud)
    var contrast = Contrast(
      PairedSamples(candidate: calls, baseline: calls, figure: .scoreMean), .scoreMean, error: 0.01,
      random: SeededRandom(seed: 1))
    let found = contrast.interval()
    let interval = try #require(found)
    // The variance of a loud scenario: (4 + 1 + 0 + 1 + 4) · 225 / 4, of a mean of five.
    let variance = 2 * Double(loud) * 562.5 / 5 / (40 * 40)
    let low = try #require(interval.low)
    return (interval.estimate - low) / variance.squareRoot()
  }

  @Test(
    "two of forty tell the error from ten calls, and the interval is Student's for as few; forty tell it well"
  )
  func degrees() throws {
    // At 1 %: 2.58 for sixteen degrees of freedom, 2.34 for 320.
    let (few, all) = (try Self.reach(loud: 2), try Self.reach(loud: 40))
    #expect((2.5...2.75).contains(few) && (2.2...2.45).contains(all), "\(few), \(all)")
  }
}
