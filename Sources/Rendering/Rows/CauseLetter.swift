import CallModel

extension Cause {
  /// The letter below a sparkline and in a bar; must agree with `reports/call/score-lane.js`.
  package var letter: String {
    switch self {
    case .loss: "L"
    case .jitter: "J"
    case .delay: "D"
    case .freeze: "F"
    case .framerate: "R"
    case .resolution: "S"
    case .bitrate: "B"
    case .coding: "C"
    }
  }
}
