import CallModel
import Testing

@testable import Reporting
@testable import Rendering
@testable import CallViews

@Suite("Outages that an end tells of")
struct OutageTests {
  private func end(_ spans: [MediaSpan], hears: Bool = true, sees: Bool = false) -> EndAccount {
    func stream(_ kind: MediaKind) -> StreamAccount {
      StreamAccount(
        key: 1, source: .stats, chosen: true, direction: .inbound, kind: kind, screen: false,
        figures: ["packets": .integer(1000)])
    }
    var end = SampleAccount.end("callee", [SampleAccount.window(0)])
    end.streams = (hears ? [stream(.audio)] : []) + (sees ? [stream(.video)] : [])
    end.spans = spans
    return end
  }

  private let sound = MediaSpan(.outage, .audio, from: 10_000, to: 18_000)
  private let picture = MediaSpan(.outage, .video, from: 10_500, to: 18_500)

  @Test("an outage of the sound is one of a call without a picture")
  func soundAlone() { #expect(end([sound]).outages == [Outage(fromMs: 10_000, untilMs: 18_000)]) }

  @Test("of a call with a picture nothing reached the end only if both are missing")
  func both() {
    #expect(end([sound], sees: true).outages.isEmpty)
    #expect(end([sound, picture], sees: true).outages.count == 1)
  }

  @Test("a call of a picture alone has the outages of the picture")
  func pictureAlone() { #expect(end([picture], hears: false, sees: true).outages.count == 1) }

  @Test("what was not sent, held, or not reported is no outage")
  func others() {
    let spans = [MediaSpan.Kind.notSent, .hold, .freeze, .gap].map {
      MediaSpan($0, .audio, from: 0, to: 30_000)
    }
    #expect(end(spans).outages.isEmpty)
  }
}
