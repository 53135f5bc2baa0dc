import CallModel

/// The phases of one setup attempt as bars on one axis: they may overlap, so they are not stacked.
struct SetupBars {
  private let attempt: SetupAttempt

  init(_ attempt: SetupAttempt) { self.attempt = attempt }

  /// A line a phase that was measured, then a line for what was not; at most so many columns wide.
  func lines(width: Int, ink: Ink) -> [String] {
    let measured = attempt.phases.filter { $0.state == .measured && $0.startMs != nil }
    var lines: [String] = []
    if let zero = measured.compactMap(\.startMs).min(),
      let end = measured.compactMap({ phase in phase.startMs.map { $0 + (phase.durationMs ?? 0) } }).max()
    {
      let slow = measured.filter { $0.name.countsAsSetup }.max { ($0.durationMs ?? 0) < ($1.durationMs ?? 0) }
      let axis = max(10, width - 28)
      let scale = Double(axis) / max(1, end - zero)
      for phase in measured.sorted(by: { ($0.startMs ?? 0) < ($1.startMs ?? 0) }) {
        let start = Int((((phase.startMs ?? zero) - zero) * scale).clamped(to: 0...Double(axis - 1)))
        let length = Int(((phase.durationMs ?? 0) * scale).rounded().clamped(to: 0...Double(axis - start)))
        let mark =
          length == 0
          ? "╵"
          : String(repeating: phase.name == .ringing || phase.name == .capture ? "░" : "█", count: length)
        let bar = String(repeating: " ", count: start) + mark
        let time = Measure.duration(phase.durationMs ?? 0)
        let isSlow = phase.name == slow?.name && measured.count > 1
        let text =
          VisibleText.fit(phase.name.rawValue, to: 12) + " " + VisibleText.fit(bar, to: axis + 1)
          + VisibleText.fit(time, to: 8, rightAligned: true)
        lines.append(isSlow ? ink(.warning, text) + " ◂" : text)
        if let cause = phase.cause, phase.name != .ringing, phase.name != .capture {
          lines += VisibleText.wrap(VisibleText.visible(cause), to: max(20, width - 13)).map {
            String(repeating: " ", count: 13) + ink(.faint, $0)
          }
        }
      }
    }
    for (state, word) in [(PhaseState.absent, "did not happen"), (.unknown, "not known")] {
      let names = attempt.phases.filter { $0.state == state }.map(\.name.rawValue)
      if !names.isEmpty {
        lines += VisibleText.wrap("\(word): \(names.joined(separator: ", "))", to: width).map {
          ink(.faint, $0)
        }
      }
    }
    return lines
  }
}
