import CallModel

@testable import CallViews

/// A two-ended call of any length with a sample a second, audio and video, that never repeats itself.
enum LongCall {
  static let startMs = 1_767_225_600_000.0

  static func page(hours: Double, _ resources: PageResources) -> CallPage {
    let seconds = Int(hours * 3600)
    let ends = ["caller", "callee"].enumerated().map { end($1, seconds, seed: $0 + 1) }
    let call = CallFacts(
      key: 1, id: "long", run: nil, scenario: nil, sdk: "w3c", sdkVersion: nil, startedMs: startMs,
      durationMs: Double(seconds) * 1000, outcome: .completed, expectedOutcome: nil, endCode: nil,
      endReason: nil,
      setupMs: 500, ringingMs: nil, scoreEndpoint: "callee", scoreMean: 80, mos: nil, mosScale: nil,
      model: "callqa", excluded: nil, known: nil)
    // An encoder without bandwidth changes its picture all the time, and each time is a finding of its own.
    let events = stride(from: 0, to: seconds, by: 4).map { at in
      AccountEvent(
        end: at % 8 == 0 ? "caller" : "callee",
        record: EventRecord(
          timeMs: startMs + Double(at) * 1000, event: .mediaResolutionChanged, raw: "x",
          args: #"{"direction":"inbound","ssrc":"3890770882","mid":"1","from":"640x360","to":"480x270"}"#),
        source: 1)
    }
    let findings = stride(from: 0, to: seconds, by: 9).map { at in
      let from = startMs + Double(at) * 1000
      var finding = Finding(
        .bandwidthStarved, .warning, evidence: Evidence(),
        text: "The sender's bandwidth is too small for its picture: 110 kb/s for 640x360.")
      (finding.startMs, finding.endMs) = (from, from + 8000)
      return AccountFinding(end: at % 2 == 0 ? "caller" : "callee", finding: finding)
    }
    let account = CallAccount(call: call, ends: ends, findings: findings, events: events, sources: [])
    return CallPage(account, lanes: lanes(seconds), zone: .utc, resources: resources)
  }

  private static func end(_ name: String, _ seconds: Int, seed: Int) -> EndAccount {
    let windows = (0..<seconds / 5).map { index -> Window in
      let start = startMs + Double(index) * 5000
      var window = Window(index: index, startMs: start, endMs: start + 5000, state: .active)
      let loss = Int(noise(index, seed) * 30)
      let delay = Int(noise(index, seed + 7) * 10)
      window.score = 100 - loss - delay
      window.pointsLost = [.loss: loss, .delay: delay]
      window.inputs.delayMs = 80 + noise(index, seed + 9) * 100
      window.audioCQ = Double(100 - loss)
      window.confidence = 0.95
      return window
    }
    return EndAccount(
      key: Int64(seed), name: name, direction: nil, person: nil, userAgent: nil, system: nil,
      networkType: nil,
      candidateType: nil, relayProtocol: nil, score: ScoreFigures(windows), windows: windows,
      windowSource: .stats,
      attempts: [], streams: [], path: [])
  }

  private static func lanes(_ seconds: Int) -> [TimelineLane] {
    TimelineLane.all.enumerated().map { place, lane in
      var lane = lane
      let kinds = ["loss", "jitter", "bitrate"].contains(lane.id) ? 2 : 1
      for end in 0..<2 {
        for kind in 0..<kinds {
          var series = Series()
          for second in 0..<seconds {
            let value = noise(second, place * 10 + end * 3 + kind) * lane.top / lane.scale
            series.append(Double(second) * 1000 + noise(second, 99) * 20, value)
          }
          lane.lines.append(
            TimelineLane.Line(
              end: end, label: "end \(end), stream \(kind)", dash: kind == 0 ? .dashed : .solid,
              isStep: false,
              series: series.thinned(to: TimelineLaneBuilder.maxPoints)))
        }
      }
      return lane
    }
  }

  /// A number in 0..<1 that looks random and never changes.
  private static func noise(_ index: Int, _ seed: Int) -> Double {
    var x = UInt64(index &* 7919 &+ seed &* 104_729 &+ 1) &* 0x9E37_79B9_7F4A_7C15
    x ^= x >> 29
    x = x &* 0xBF58_476D_1CE4_E5B9
    return Double((x ^ x >> 32) & 0xFFFF) / 65536
  }
}
