import CallModel

@testable import CallViews

/// Calls made by hand.
enum SampleAccount {
  static let startMs = 1_767_225_600_000.0

  /// A window with points; what is left of 100 is the score.
  static func window(
    _ index: Int, _ points: ByCause<Int> = [:], state: WindowState = .active, loss: Double? = nil,
    audio: Double? = nil
  ) -> Window {
    let start = startMs + Double(index) * 5000
    var window = Window(index: index, startMs: start, endMs: start + 5000, state: state)
    guard state == .active || state == .stalled else { return window }
    window.score = 100 - points.values.reduce(0, +)
    window.pointsLost = points
    window.inputs.lossShare = loss
    window.audioLQ = audio
    return window
  }

  static func end(_ name: String, _ windows: [Window]) -> EndAccount {
    EndAccount(
      key: Int64(name.count), name: name, direction: name == "caller" ? .outgoing : .incoming, person: nil,
      userAgent: nil, system: nil, networkType: nil, candidateType: nil, relayProtocol: nil,
      score: ScoreFigures(windows), windows: windows, windowSource: .stats, attempts: [], streams: [],
      path: [])
  }

  static func call(
    _ id: String = "c1", outcome: Outcome = .completed, ends: [EndAccount] = [],
    findings: [AccountFinding] = [],
    events: [AccountEvent] = []
  ) -> CallAccount {
    let call = CallFacts(
      key: 1, id: id, run: nil, scenario: nil, sdk: "w3c", sdkVersion: nil, startedMs: startMs,
      durationMs: 252_000,
      outcome: outcome, expectedOutcome: nil, endCode: nil, endReason: nil, setupMs: nil, ringingMs: nil,
      scoreEndpoint: nil, scoreMean: nil, mos: nil, mosScale: nil, model: nil, excluded: nil,
      known: nil)
    return CallAccount(call: call, ends: ends, findings: findings, events: events, sources: [])
  }

  static func event(_ name: EventName, end: String? = "caller", atMs: Double = 0, args: String = "{}")
    -> AccountEvent
  {
    AccountEvent(
      end: end, record: EventRecord(timeMs: startMs + atMs, event: name, raw: name.rawValue, args: args),
      source: 1)
  }

  /// Texts that would do harm where they are obeyed.
  static let hostile = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</script><script>alert(1)</script>",
    "' onload='x",
    "\u{1B}]0;owned\u{07}\u{1B}[2J", "\u{202E}evil\u{202C}\u{200F}", "=cmd|' /C calc'!A0", "-->]]>",
    String(repeating: "A", count: 10_000), "a\u{0}b\r\nc",
  ]
}
