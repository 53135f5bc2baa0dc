import Glibc
import Reporting

/// One call of a simulated night.
struct SimulatedCall {
  var id: String
  var sdk: String
  var scenario: String
  var outcome: String
  var expected: String?
  /// Nil if the call did not get that far.
  var score: Double?
  var setupMs: Double?
  var videoCodec: String
  var network: String
  var candidate: String
  var client: String
  /// Why it was excluded.
  var excluded: String?

  /// Why the callee heard nothing for a while or at all.
  var silence: Silence?
  /// The SDK's code for a failure, if it is not the default.
  var endCode: String?

  enum Silence { case lost, unsent }

  /// Points below the scenario's score, and the index among the SDK's calls.
  var fall = 0.0
  var number = 0

  var poorShare: Double? {
    if silence == .lost { return 1 - Self.audibleShare }
    return score.map { Double(SimulatedWindows.poor($0)) / Double(SimulatedWindows.count) }
  }

  /// The lowest window score, and the tenth percentile.
  var lowest: Double? { silence == .lost ? 0 : windows.map { Double($0.lowest) } }
  var p10: Double? { silence == .lost ? 0 : windows.map { Double($0.p10) } }

  var windows: SimulatedWindows? { score.map { SimulatedWindows(mean: $0, place: number * 7) } }
}

extension FleetPlan {
  /// The calls of a night; the first night is 0.
  func calls(night: Int) -> [SimulatedCall] {
    sdks.flatMap { sdk in calls(of: sdk, night: night) }
  }

  /// One SDK's calls. Each SDK has its own random stream, so that SDKs do not affect each other.
  func calls(of sdk: String, night: Int) -> [SimulatedCall] {
    var random = SeededRandom(seed: seed, stream: "\(sdk)|\(night)")
    let count = callsPerNight / max(1, sdks.count)
    return withIncidents((0..<count).map { call(sdk, night, $0, &random) }, of: sdk, night: night)
  }

  private func call(_ sdk: String, _ night: Int, _ index: Int, _ random: inout SeededRandom) -> SimulatedCall
  {
    let (scenario, condition) = scenario(index % scenarios)
    var call = SimulatedCall(
      id: "\(sdk)-\(index)", sdk: sdk, scenario: scenario, outcome: "completed",
      videoCodec: random.unit() < 0.4 ? "H264" : "VP8",
      network: random.pick(["wifi", "wifi", "ethernet", "cellular"]),
      candidate: random.pick(["host", "host", "srflx", "relay"]),
      client: random.pick(["Chrome 156", "Chrome 155", "Firefox 148", "Safari 27"]))
    var score = condition.score + random.normal() * condition.spread
    call.setupMs = condition.setupMs * random.logNormal(Condition.setupSpread)
    if let regression, night == nights - 1, regression.sdk == sdk,
      regression.codec ?? call.videoCodec == call.videoCodec
    {
      score -= regression.points
    }
    call.score = SimulatedWindows.possible(score)
    (call.fall, call.number) = (condition.score - score, index)
    drawOutcome(&call, random.unit())
    if night == nights - 1, sdk == sdks.last, index < rigFaults {
      (call.excluded, call.score) = (
        "rig fault: the impairment box lost power", call.score.map { SimulatedWindows.possible($0 * 0.3) }
      )
    }
    return call
  }

  private func drawOutcome(_ call: inout SimulatedCall, _ dice: Double) {
    if dice < missing {
      (call.outcome, call.score, call.setupMs) = ("missing", nil, nil)
    } else if dice < missing + failed {
      (call.outcome, call.score, call.setupMs) = ("failed", nil, nil)
    } else if dice < missing + failed + dropped {
      call.outcome = "dropped"
    } else if dice < missing + failed + dropped + busy {
      (call.outcome, call.expected, call.score, call.setupMs) = ("busy", "busy", nil, nil)
    }
  }
}

extension SeededRandom {
  /// A standard normal random number (Marsaglia's polar method).
  mutating func normal() -> Double {
    while true {
      let (x, y) = (unit() * 2 - 1, unit() * 2 - 1)
      let square = x * x + y * y
      if square > 0, square < 1 { return x * (-2 * natural(square) / square).squareRoot() }
    }
  }

  /// A factor around 1 with a normally distributed logarithm.
  mutating func logNormal(_ spread: Double) -> Double { exponential(normal() * spread) }

  mutating func pick(_ words: [String]) -> String { words[below(words.count)] }
}

/// Logarithm and exponential under other names, to avoid ambiguous overloads.
func natural(_ value: Double) -> Double { log(value) }
func exponential(_ value: Double) -> Double { exp(value) }
