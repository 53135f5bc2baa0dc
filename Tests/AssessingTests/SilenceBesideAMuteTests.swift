import CallModel
import Testing

@Suite("Silence that lasts longer than the mute in it, and silence that the ends saw for different times")
struct SilenceBesideAMuteTests {
  private typealias Counted = MinuteOfCall.Counted

  /// Audio whose packets flow for the whole minute, silent in the given seconds.
  private func sound(_ direction: StreamDirection, silent: Range<Double>) -> Counted {
    Counted(direction: direction, packets: { $0 * 50 }) { second, sample in
      MinuteOfCall.played(second, &sample)
      let missed = max(0, min(second, silent.upperBound) - silent.lowerBound)
      sample[.totalAudioEnergy] = (second - missed) * 0.002
    }
  }

  /// The verdict on a call in which the callee hears nothing in some seconds, and the caller's microphone gives nothing
  /// in others; the caller is muted from 20 s to 40 s.
  private func verdict(heard: Range<Double>, spoken: Range<Double>, isMuted: Bool = true) throws -> String {
    let mute: [(Double, EventName)] = [(20.0, .callMuted), (40.0, .callUnmuted)]
    return try MinuteOfCall(
      [
        ("caller", [sound(.outbound, silent: spoken), MinuteOfCall.hearing()]),
        ("callee", [sound(.inbound, silent: heard), MinuteOfCall.sending]),
      ],
      events: [(0.5, .callEstablished)] + (isMuted ? mute : []) + [(60, .callEnded)]
    ).verdict
  }

  @Test("a mute is no fault, but what stays silent after it is")
  func afterMute() throws {
    #expect(try verdict(heard: 20..<40, spoken: 20..<40).hasPrefix("good"))
    let unheard = try verdict(heard: 20..<61, spoken: 20..<40)
    #expect(unheard == "silent callee silent-source sound-to-end")
    let dead = try verdict(heard: 20..<61, spoken: 20..<61)
    #expect(dead == "not-sent callee silent-source not-sent-to-end")
    // Polls see the end of a mute late.
    #expect(try verdict(heard: 20..<48, spoken: 20..<46).hasPrefix("good"))
  }

  @Test("a microphone that gave nothing is no proof, though its end saw less of the silence")
  func seenForLess() throws {
    let word = try verdict(heard: 44..<61, spoken: 47..<61, isMuted: false)
    #expect(word == "not-sent callee silent-source not-sent-to-end")
    #expect(
      try verdict(heard: 44..<61, spoken: 61..<62, isMuted: false)
        == "silent callee silent-source sound-to-end")
  }

  @Test("a pause of the sender does not end an outage to the end of the call", arguments: [38.0, 46])
  func pauseInOutage(pause: Double) throws {
    func sent(_ second: Double) -> Double { 50 * (second - max(0, min(second - pause, 4))) }
    let call = try MinuteOfCall([
      (
        "callee",
        [
          MinuteOfCall.reported(MinuteOfCall.hearing { min($0, 30) * 50 }, sent: sent),
          MinuteOfCall.sending,
        ]
      )
    ])
    #expect(try call.verdict == "silent callee lost-on-path sound-to-end")
  }
}
