import CallModel
import Testing
import Timeline

@testable import CallViews

@Suite("What an end missed, as it is told")
struct MissedTimeTests {
  private func end(_ fates: (medium: MediaKind, fate: Fate)...) -> EndAccount {
    var end = SampleAccount.end("callee", [SampleAccount.window(0)])
    end.fates = fates
    return end
  }

  private let sound = (medium: MediaKind.audio, fate: Fate(.lost, from: 10_000, to: 18_000))
  private let picture = (medium: MediaKind.video, fate: Fate(.lost, from: 10_500, to: 18_500))
  private let seen = (medium: MediaKind.video, fate: Fate(.arrived, from: 0, to: 60_000))
  private let heard = (medium: MediaKind.audio, fate: Fate(.arrived, from: 0, to: 60_000))

  private func words(_ end: EndAccount) -> [String] { end.missed.map { $0.words(at: "the callee") } }

  @Test("nothing reached an end where all that it was to get is missing")
  func all() {
    #expect(words(end(sound)) == ["Outage: nothing reached the callee"])
    #expect(words(end(picture)) == ["Outage: nothing reached the callee"])
    #expect(words(end(sound, picture, seen)) == ["Outage: nothing reached the callee"])
  }

  @Test("one medium of two is named")
  func one() {
    #expect(words(end(sound, seen)) == ["Outage: no sound reached the callee"])
    #expect(words(end(heard, picture)) == ["Outage: no picture reached the callee"])
  }

  @Test(
    "what arrived and was not heard is no outage",
    arguments: [
      (FateRule.notPlayed, "Sound arrived and was not played at the callee"),
      (.undecodable, "The sound that reached the callee could not be decoded"),
      (.notForwarded, "A server passed on no sound to the callee"),
      (.notSentThoughDue, "No sound was sent to the callee"),
    ])
  func arrived(rule: FateRule, sentence: String) {
    #expect(words(end((.audio, Fate(rule, from: 0, to: 10_000)))) == [sentence])
  }

  @Test("periods that follow each other are one; what was not due, or is not known, is not missed")
  func others() {
    let two = end(sound, (.audio, Fate(.lost, from: 18_000, to: 20_000, proof: .otherEnd)))
    #expect(two.missed == [MissedTime(fromMs: 10_000, untilMs: 20_000, what: .lost, medium: nil)])
    let rest = [FateRule.held, .nothingKnown, .paused, .notSent].map { Fate($0, from: 0, to: 30_000) }
    #expect(rest.allSatisfy { end((.audio, $0)).missed.isEmpty })
  }
}
