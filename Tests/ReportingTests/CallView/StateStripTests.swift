import CallModel
import Testing

@testable import Reporting
@testable import CallViews

@Suite("The states of a call that only its log tells of")
struct StateStripTests {
  private func event(_ seconds: Double, _ name: String) -> EventRecord {
    EventRecord(timeMs: 1_795_600_000_000 + 1000 * seconds, event: name, raw: name)
  }

  @Test("dialling, ringing, talk, an outage and a hold follow each other without a gap")
  func states() throws {
    let strip = StateStrip([
      event(0, "call.dialing"), event(1, "call.ringing"), event(4, "call.established"),
      event(10, "session.reconnecting"), event(16, "session.connected"), event(20, "call.held"),
      event(30, "call.resumed"), event(40, "call.ended"),
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

  @Test("a call that never began, or that has one state only, has no strip")
  func none() {
    #expect(StateStrip([event(0, "session.connected")]).lines(width: 80).isEmpty)
    #expect(StateStrip([event(0, "call.dialing"), event(9, "call.failed")]).lines(width: 80).isEmpty)
    #expect(StateStrip([]).parts.isEmpty)
  }

  @Test("the client's own quality stands under its states, the worst of each column, and in figures")
  func quality() {
    func rated(_ seconds: Double, _ score: Double) -> EventRecord {
      EventRecord(
        timeMs: 1_795_600_000_000 + 1000 * seconds, event: "media.quality-reported", raw: "q",
        args: #"{"score":\#(score)}"#)
    }
    let lines = StateStrip([
      event(0, "call.dialing"), event(4, "call.established"), rated(8, 100), rated(20, 10), rated(22, 90),
      rated(30, 142), event(40, "call.ended"),
    ]).lines(width: 80)
    #expect(lines.count == 4 && lines[1].count == 64)
    #expect(lines[1].hasPrefix("            ") && lines[1].contains("█") && lines[1].contains("▁"))
    #expect(lines[3] == "▁▄█ quality, the client's own: 100 10 90", "142 is no quality")
  }

  @Test("an outage of a moment still shows in a long call")
  func short() {
    let strip = StateStrip([
      event(0, "call.dialing"), event(1, "call.established"), event(1800, "network.unavailable"),
      event(1810, "network.available"), event(3600, "call.ended"),
    ])
    #expect(strip.lines(width: 80).first?.contains("×") == true)
  }
}
