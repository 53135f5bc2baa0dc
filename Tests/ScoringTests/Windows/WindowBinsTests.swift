import CallModel
import Testing

@testable import Scoring

@Suite("What is gathered by window lies in order, whatever the order in which it came")
struct WindowBinsTests {
  @Test("as a dictionary would have it")
  func asDictionary() {
    var generator = SplitMix64(seed: 1)
    for _ in 0..<50 {
      var bins = WindowBins<Int>()
      var expected: [Int: Int] = [:]
      for step in 0..<200 {
        // Mostly near the end, at times far back or far ahead.
        let index =
          Int.random(in: 0..<10, using: &generator) == 0 ? Int.random(in: 0..<5000, using: &generator) : step
        bins[index, default: 0] += step
        expected[index, default: 0] += step
        if step % 50 == 49 {
          let limit = Int.random(in: 0..<step, using: &generator)
          bins.forget(before: limit)
          expected = expected.filter { $0.key >= limit }
        }
      }
      #expect(bins.indices == expected.keys.sorted())
      for index in 0..<5000 { #expect(bins[index] == expected[index]) }
    }
  }
}
