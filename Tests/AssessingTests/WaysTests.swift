import CallModel
import Testing

@Suite("Of three ends and a server it is told who did not hear or see whom")
struct WaysTests {
  private typealias Counted = MinuteOfCall.Counted

  private let stopped: (Double) -> Double = { min($0, 20) * 50 }
  private let outage: (Double) -> Double = { ($0 <= 20 ? $0 : max(20, $0 - 12)) * 50 }

  private func hearing(_ packets: @escaping (Double) -> Double = { $0 * 50 }) -> Counted {
    MinuteOfCall.hearing(packets)
  }

  /// A call in which Ben receives these streams, and Ana and Cleo send.
  private func verdict(
    _ streams: [Counted], ana: Counted = MinuteOfCall.sending, more: [(name: String, streams: [Counted])] = []
  ) throws -> String {
    try MinuteOfCall(
      [
        ("ana", [ana, hearing(), hearing()]), ("ben", [MinuteOfCall.sending] + streams),
        ("cleo", [MinuteOfCall.sending, hearing(), hearing()]),
      ] + more
    ).verdict
  }

  @Test("a dead stream of two is not hidden by a live one, if both their senders spoke")
  func deadStream() throws {
    #expect(try verdict([hearing(), hearing()]).hasPrefix("good"))
    #expect(try verdict([hearing(stopped), hearing()]) == "silent ben not-forwarded sound-to-end")
    #expect(try verdict([hearing(), hearing(outage)]) == "poor ben not-forwarded long-gap")
  }

  @Test("a sender that stops, or whose microphone gives nothing, is not missed")
  func notSent() throws {
    let streams = [hearing(stopped), hearing()]
    #expect(try verdict(streams, ana: MinuteOfCall.sending(stopped)).hasPrefix("good"))
    var silent = MinuteOfCall.sending
    silent.more = { second, sample in
      sample[.totalAudioEnergy] = min(second, 20) * 0.002
      sample[.totalSamplesDurationMs] = second * 1000
    }
    #expect(try verdict(streams, ana: silent).hasPrefix("good"))
  }

  @Test("another source in its place, a participant who left, and one who is kept from this end")
  func chosen() throws {
    var instead = hearing { max(0, $0 - 20) * 50 }
    instead.reported = 21...60
    let dan: (name: String, streams: [Counted]) = ("dan", [MinuteOfCall.sending, hearing(), hearing()])
    #expect(try verdict([hearing(stopped), hearing(), instead], more: [dan]).hasPrefix("good"))
    var left = hearing()
    left.reported = 1...20
    #expect(try verdict([left, hearing()]).hasPrefix("good"))
    #expect(try verdict([hearing(stopped), hearing()], more: [dan]).hasPrefix("good"))
  }

  @Test("a picture that all who send it went on sending, and of which no stream moved")
  func picture() throws {
    func seeing(_ seconds: @escaping (Double) -> Double) -> Counted {
      Counted(direction: .inbound, kind: .video, packets: { seconds($0) * 90 }) { second, sample in
        sample[.frames] = seconds(second) * 30
        (sample[.width], sample[.height]) = (640, 360)
      }
    }
    let shown = Counted(direction: .outbound, kind: .video, packets: { $0 * 90 })
    func viewers(_ second: [Counted]) throws -> String {
      try MinuteOfCall([
        ("studio", [MinuteOfCall.sending, shown]), ("one", [hearing(), seeing { $0 }]),
        ("two", [hearing()] + second),
      ]).verdict
    }
    #expect(try viewers([seeing { $0 }]).hasPrefix("good"))
    #expect(try viewers([seeing { min($0, 20) }]) == "no-picture two not-forwarded picture-to-end")
    #expect(try viewers([seeing { min($0, 20) }, seeing { $0 }]).hasPrefix("good"))
  }

  @Test("an end that never connected has failed, unless it left before it could")
  func neverConnected() throws {
    func verdict(_ cleo: [(second: Double, name: EventName)]) throws -> String {
      let unsent = Counted(direction: .outbound, packets: { _ in 0 })
      let others: [(second: Double, name: EventName)] = [
        (0, .sdpOfferCreated), (0.5, .iceConnected), (0.6, .callEstablished), (60, .callEnded),
      ]
      return try MinuteOfCall(
        [
          ("ana", [MinuteOfCall.sending, hearing()]), ("ben", [MinuteOfCall.sending, hearing()]),
          ("cleo", [unsent]),
        ], own: ["ana": others, "ben": others, "cleo": [(1, .sdpOfferCreated), (2, .iceChecking)] + cleo]
      ).verdict
    }
    #expect(try verdict([(17, .iceFailed), (18, .callEnded)]) == "failed cleo ice end-failed")
    #expect(try verdict([(15, .callEnded)]) == "failed cleo ice end-failed")
    #expect(try verdict([(5, .callEnded)]).hasPrefix("good"))
  }
}
