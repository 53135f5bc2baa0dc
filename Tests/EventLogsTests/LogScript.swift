import CallModel
import SetupTime

/// The moment at which every script begins, ms since the epoch.
let scriptStart = 1_795_226_100_000.0

/// A run log told in short: `120 onRinging {"x":1}`, milliseconds from the start, the SDK's own name, arguments.
func runLog(_ sdk: String, call: String = "c1", _ lines: [String]) -> String {
  lines.map { line in
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    let ts = (Double(words[0]) ?? 0) + scriptStart
    let args = words.count > 2 ? ",\"args\":\(words[2])" : ""
    return
      "{\"ts\":\(ts),\"sdk\":\"\(sdk)\",\"call\":\"\(call)\",\"endpoint\":\"app\",\"event\":\"\(words[1])\"\(args)}\n"
  }.joined()
}

/// What became of a call told by an SDK's log.
struct Story {
  var log: Collector
  var attempt: SetupAttempt?

  init(_ format: SourceFormat, _ text: String) throws {
    log = try read(format, text)
    attempt = setupAttempts(of: log.records).first
  }

  /// How long a phase lasted; nil unless measured.
  func lasted(_ name: PhaseName) -> Double? { attempt?.phases.first { $0.name == name }?.durationMs }
  /// What is known of a phase.
  func state(_ name: PhaseName) -> PhaseState? { attempt?.phases.first { $0.name == name }?.state }
  /// The events of a name.
  func events(_ name: EventName) -> [EventRecord] { log.records.filter { $0.event == name } }
  /// The events that should not have come where they came.
  var anomalies: [String] { log.records.compactMap(\.anomaly) }
}
