import CallModel
import Testing

@testable import CallViews

@Suite("The states of a call that only its log tells of")
struct StateStripTests {
  private func event(_ seconds: Double, _ name: EventName) -> EventRecord {
    EventRecord(timeMs: 1_795_600_000_000 + 1000 * seconds, event: name, raw: name.rawValue)
  }

  @Test("dialling, ringing, talk, an outage and a hold follow each other without a gap")
  func states() throws {
    let strip = StateStrip([
      event(0, .callDialing), event(1, .callRinging), event(4, .callEstablished),
      event(10, .sessionReconnecting), event(16, .sessionConnected), event(20, .callHeld),
      event(30, .callResumed), event(40, .callEnded),
    ])
    #expect(
      strip.parts.map(\.state) == [.dialling, .ringing, .connected, .out, .connected, .held, .connected])
    #expect(strip.parts.map { ($0.untilMs - $0.fromMs) / 1000 } == [1, 3, 6, 6, 4, 10, 10])
    let lines = strip.lines(width: 80)
    try #require(lines.count == 2)
    #expect(lines[0].count == 64 && lines[0].contains("×") && lines[0].contains("h"))
    #expect(
      lines[1] == "· dialling 1 s, ░ ringing 3 s, █ connected 20 s, h held 10 s, × out 6 s", "\(lines)")
  }

  /// What a ringing that ended by an event, and an outcome, make of a call.
  private func attempt(_ outcome: Outcome, answer: EventName? = nil) -> SetupAttempt {
    var ringing = Phase(.ringing, answer == nil ? .unknown : .measured)
    (ringing.fromEvent, ringing.toEvent) = (.callRinging, answer)
    return SetupAttempt(attempt: 1, direction: .outgoing, outcome: outcome, phases: [ringing])
  }

  private func states(_ events: [EventRecord], _ attempt: SetupAttempt) -> [String] {
    StateStrip(events, attempts: [attempt]).parts.map {
      "\($0.state.rawValue) \(Int(($0.untilMs - $0.fromMs) / 1000))"
    }
  }

  @Test("it rings until the answer, not until media flow")
  func answered() {
    let events = [
      event(0, .callDialing), event(1, .callRinging), event(5, .callMediaPending),
      event(17, .callEstablished), event(57, .callEnded),
    ]
    #expect(
      states(events, attempt(.completed, answer: .callMediaPending)) == [
        "dialling 1", "ringing 4", "connecting 12", "connected 40",
      ])
    #expect(
      states([events[0], events[1], events[2], events[4]], attempt(.failed, answer: .callMediaPending))
        == [
          "dialling 1", "ringing 4", "connecting 52",
        ])
  }

  @Test("what never stood was never connected, and its path was not out")
  func neverEstablished() {
    let events = [
      event(0, .callDialing), event(7, .callEstablished), event(8, .iceChecking),
      event(22, .iceFailed), event(30, .callEnded),
    ]
    #expect(states(events, attempt(.failed)) == ["dialling 7", "connecting 23"])
  }

  @Test("whoever waits to be let in is not connected")
  func waiting() {
    let events = [
      event(0, .tokenRequested), event(0.5, .conferenceWaiting), event(2, .callEstablished),
      event(62.5, .conferenceAdmitted), event(72.5, .callEnded),
    ]
    #expect(states(events, attempt(.completed)) == ["dialling 0", "waiting 62", "connected 10"])
    #expect(
      states([events[0], events[1], events[2], events[4]], attempt(.rejected)) == [
        "dialling 0", "waiting 72",
      ])
  }

  @Test("a call that never began, or that has one state only, has no strip")
  func none() {
    #expect(StateStrip([event(0, .sessionConnected)]).lines(width: 80).isEmpty)
    #expect(StateStrip([event(0, .callDialing), event(9, .callFailed)]).lines(width: 80).isEmpty)
    #expect(StateStrip([]).parts.isEmpty)
  }

  @Test("the client's own quality stands under its states, the worst of each column, and in figures")
  func quality() {
    func rated(_ seconds: Double, _ score: Double) -> EventRecord {
      EventRecord(
        timeMs: 1_795_600_000_000 + 1000 * seconds, event: .mediaQualityReported, raw: "q",
        args: #"{"score":\#(score)}"#)
    }
    let lines = StateStrip([
      event(0, .callDialing), event(4, .callEstablished), rated(8, 100), rated(20, 10), rated(22, 90),
      rated(30, 142), event(40, .callEnded),
    ]).lines(width: 80)
    #expect(lines.count == 4 && lines[1].count == 64)
    #expect(lines[1].hasPrefix("            ") && lines[1].contains("█") && lines[1].contains("▁"))
    #expect(lines[3] == "▁▄█ quality, the client's own: 100 10 90", "142 is no quality")
  }

  @Test("an outage of a moment still shows in a long call")
  func short() {
    let strip = StateStrip([
      event(0, .callDialing), event(1, .callEstablished), event(1800, .networkUnavailable),
      event(1810, .networkAvailable), event(3600, .callEnded),
    ])
    #expect(strip.lines(width: 80).first?.contains("×") == true)
  }
}
