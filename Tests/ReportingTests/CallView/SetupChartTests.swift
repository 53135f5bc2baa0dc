import CallModel
import Testing

@testable import Rendering
@testable import CallViews

@Suite("A setup is drawn over exactly the time it took")
struct SetupChartTests {
  private static let start = SampleAccount.startMs

  private static func phase(_ name: PhaseName, _ from: Double, _ lasted: Double) -> Phase {
    var phase = Phase(name, .measured)
    (phase.startMs, phase.durationMs) = (start + from, lasted)
    phase.waitedMs = [.ringing, .firstAudio].contains(name) ? 0 : lasted
    return phase
  }

  private static func attempt(_ phases: [Phase], wall: Double? = 1000, from: EventName? = .callCreated)
    -> SetupAttempt
  {
    var attempt = SetupAttempt(attempt: 1, direction: .outgoing, outcome: .completed, phases: phases)
    (attempt.startMs, attempt.setupMs, attempt.setupWallMs) = (wall.map { _ in start }, wall, wall)
    attempt.fromEvent = from
    return attempt
  }

  @Test("a refusal before the setup is reported beside how long the asking took")
  func refusedBefore() {
    var capture = Self.phase(.capture, -700, 600)
    let rest = { SetupWords.rest(Self.attempt([capture]), SetupChart(Self.attempt([capture]))) }
    capture.cause = "a person or a device"
    #expect(rest() == ["before that: capture 600 ms"])
    capture.cause = "camera refused \(Phase.askedAgain)"
    #expect(rest() == ["before that: capture 600 ms (camera refused at first, and asked again)"])
  }

  @Test("what no phase covers is a row of its own, and the axis begins where the total does")
  func gaps() throws {
    let chart = SetupChart(
      Self.attempt([
        Self.phase(.ice, 700, 100), Self.phase(.dtls, 750, 250), Self.phase(.firstAudio, 1000, 475),
      ]))
    #expect(chart.rows.map(\.name) == ["ice", "dtls", "not accounted for"])
    #expect(chart.rows.first?.parts == [700...800])
    #expect(chart.rows.last?.parts == [0...700])
    #expect(chart.rows.last?.durationMs == 700)
    #expect(chart.connected == 0...1000)
    #expect(chart.later.map(\.name) == ["first-audio"])
    #expect(chart.spanMs == 1475)
    #expect(chart.rows.filter(\.isSlowest).map(\.name) == ["not accounted for"])
  }

  @Test("a camera that was asked for an hour before does not stretch the axis")
  func before() {
    let attempt = Self.attempt([Self.phase(.capture, -3_600_000, 200), Self.phase(.ice, 0, 1000)])
    let chart = SetupChart(attempt)
    #expect(chart.spanMs == 1000)
    #expect(chart.rows.map(\.name) == ["ice"])
    #expect(SetupWords.rest(attempt, chart) == ["before that: capture 200 ms"])
  }

  @Test("where the total is not known, the phases bound the axis")
  func noTotal() {
    let chart = SetupChart(Self.attempt([Self.phase(.ice, 700, 100)], wall: nil, from: nil))
    #expect(chart.connected == nil)
    #expect(chart.rows.map(\.parts) == [[0...100]])
  }

  @Test("a log that begins with the offer gives the least that setup took")
  func fromOfferOn() {
    #expect(
      SetupWords.total(96, of: Self.attempt([], from: .sdpOfferCreated))
        == "at least 96 ms, from the offer on")
    #expect(SetupWords.total(96, of: Self.attempt([])) == "96 ms")
  }

  @Test("the terminal draws the total as a line, and what came after it under a heading")
  func terminal() {
    let lines = SetupBars(
      Self.attempt([
        Self.phase(.ringing, 0, 500), Self.phase(.ice, 500, 250), Self.phase(.firstAudio, 1000, 1000),
      ])
    ).lines(width: 54, ink: TerminalStyle(TerminalFacts()))
    #expect(
      lines == [
        "ringing           ░░░░░░                      500 ms",
        "ice                    ███                    250 ms ◂",
        "not accounted for         ···                 250 ms",
        "connected         ──────────┤                    1 s",
        "until it could be heard and seen",
        "first-audio                  ▒▒▒▒▒▒▒▒▒▒▒         1 s",
        "░ a person's time, not in the total",
      ])
  }
}
