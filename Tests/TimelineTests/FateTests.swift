import CallModel
import Testing
import Timeline

@Suite("What became of a medium")
struct FateTests {
  private func fates(_ sightings: [Sighting], to end: Double = 60_000) -> [Fate] {
    Fate.fates(of: sightings, during: 0...end)
  }

  @Test(
    "each rule has its example",
    arguments: zip(
      Sighting.Saw.allCases,
      [
        .arrived, .notDue, .notSent, .lost, .notForwarded, .notSent, .notSent, .paused, .notDue,
        .silentSource,
        .undecodable,
        .notPlayed,
      ] as [Fate.What]))
  func examples(saw: Sighting.Saw, what: Fate.What) {
    let found = fates([Sighting(saw, from: 10_000, to: 30_000, by: "test")])
    #expect(found.map(\.what) == [.unknown, what, .unknown])
    #expect(found.map(\.startMs) == [0, 10_000, 30_000])
    #expect(found.map(\.endMs) == [10_000, 30_000, 60_000])
    #expect(found[1].witnesses == ["test"])
  }

  @Test("every rule is one that a sighting can reach")
  func reached() {
    let each = Sighting.Saw.allCases.flatMap { saw in
      fates([Sighting(saw, from: 10_000, to: 30_000, by: "a")])
        + fates([Sighting(saw, from: 10_000, to: 60_000, by: "a")])
    }
    #expect(Set(each.map(\.rule)) == Set(FateRule.allCases))
  }

  @Test("silence that lasts to the end was not sent; silence that ends again was not due")
  func silence() {
    #expect(
      fates([Sighting(.silence, from: 20_000, to: 58_000, by: "a")]).map(\.what) == [
        .unknown, .notSent, .unknown,
      ])
    #expect(fates([Sighting(.silence, from: 20_000, to: 40_000, by: "a")])[1].what == .notDue)
  }

  @Test("what is on hold is not lost, and what is lost did not arrive")
  func order() {
    let found = fates([
      Sighting(.carried, from: 0, to: 60_000, by: "windows"),
      Sighting(.lost, from: 10_000, to: 40_000, proof: .sequenceNumbers, by: "numbers"),
      Sighting(.held, from: 20_000, to: 30_000, by: "events"),
    ])
    #expect(found.map(\.what) == [.arrived, .lost, .notDue, .lost, .arrived])
    #expect(found[1].proof == .sequenceNumbers)
  }

  @Test(
    "periods cover the call without holes or overlaps, whatever was seen, in any order", arguments: 0..<50)
  func partition(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let sightings = (0..<Int.random(in: 0..<12, using: &random)).map { number in
      let start = Double.random(in: -5000..<65_000, using: &random)
      return Sighting(
        Sighting.Saw.allCases.randomElement(using: &random) ?? .carried, from: start,
        to: start + Double.random(in: 0..<30_000, using: &random), by: "\(number)")
    }
    let found = fates(sightings)
    #expect(found.first?.startMs == 0 && found.last?.endMs == 60_000)
    #expect(zip(found, found.dropFirst()).allSatisfy { $0.endMs == $1.startMs && $0.rule != $1.rule })
    #expect(found.allSatisfy { $0.lengthMs > 0 })
    #expect(fates(sightings.shuffled(using: &random)) == found)
  }

  @Test("a witness more never turns proven loss into something unproven", arguments: 0..<50)
  func proven(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let lost = Sighting(.lost, from: 10_000, to: 50_000, proof: .otherEnd, by: "far end")
    let others: [Sighting.Saw] = [.carried, .nothing, .notSent, .paused, .silence]
    let more = Sighting(
      others.randomElement(using: &random) ?? .nothing, from: Double.random(in: 0..<30_000, using: &random),
      to: Double.random(in: 30_000..<60_000, using: &random), by: "more")
    let found = fates([lost, more])
    #expect(found.filter { $0.what == .lost }.reduce(0) { $0 + $1.lengthMs } == 40_000)
  }
}
