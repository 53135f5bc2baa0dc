import CallModel

/// A call told in short: `at 0 call.created`, in milliseconds from an arbitrary start.
func script(_ lines: String..., sdk: String? = nil) -> [EventRecord] { script(lines, sdk: sdk) }

/// The same of lines that are put together.
func script(_ lines: [String], sdk: String? = nil) -> [EventRecord] {
  lines.enumerated().map { index, line in
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    return EventRecord(
      timeMs: Double(words[0]).map { 1_000_000 + $0 }, named: words.count > 1 ? words[1] : "unknown",
      raw: "test",
      sdk: sdk, args: words.count > 2 ? words[2] : "{}", line: index + 1)
  }
}

extension SetupAttempt {
  /// The phase of a name; one that is missing is reported as such by the expectation that reads it.
  func phase(_ name: PhaseName) -> Phase? { phases.first { $0.name == name } }
  /// How long a phase lasted, nil unless it was measured.
  func lasted(_ name: PhaseName) -> Double? { phase(name)?.durationMs }
  /// What is known of a phase.
  func state(_ name: PhaseName) -> PhaseState? { phase(name)?.state }
}
