import CallModel

/// A setup attempt as a waterfall: bars on one axis of time, for phases may overlap. Drawn here, not by the script, so that it
/// is there on paper and without scripts.
struct SetupPicture {
  private let attempt: SetupAttempt
  private static let label = 84.0
  private static let width = 480.0
  private static let row = 21.0

  init(_ attempt: SetupAttempt) { self.attempt = attempt }

  /// Appends the picture, and what did not happen or is not known as a sentence.
  func write(to html: inout HTML) {
    let measured = attempt.phases.filter { $0.state == .measured && $0.startMs != nil }
      .sorted { ($0.startMs ?? 0) < ($1.startMs ?? 0) }
    if let zero = measured.compactMap(\.startMs).min() { draw(measured, zero, &html) }
    for (state, words) in [(PhaseState.absent, "Did not happen"), (.unknown, "Not known")] {
      let names = attempt.phases.filter { $0.state == state }.map(\.name.rawValue)
      if !names.isEmpty {
        html.element("p", ["class": "note"], "\(words): \(names.joined(separator: ", ")).")
      }
    }
    for phase in measured where phase.cause != nil && phase.name != .ringing && phase.name != .capture {
      html.element("p", ["class": "note"], "\(phase.name.rawValue): \(phase.cause ?? "")")
    }
  }

  private func draw(_ phases: [Phase], _ zero: Double, _ html: inout HTML) {
    let end = phases.map { ($0.startMs ?? zero) + ($0.durationMs ?? 0) }.max() ?? zero
    let axis = Self.width - Self.label - 140
    let scale = axis / max(1, end - zero)
    let slow = phases.filter { $0.name.countsAsSetup }.max { ($0.durationMs ?? 0) < ($1.durationMs ?? 0) }
    let height = Double(phases.count) * Self.row + 4
    let words = phases.map { "\($0.name.rawValue) \(Measure.duration($0.durationMs ?? 0))" }.joined(
      separator: ", ")
    html.element(
      "svg",
      [
        "class": "waterfall", "viewBox": "0 0 \(number(Self.width)) \(number(height))", "role": "img",
        "aria-label": "Setup phases: \(words)",
      ]
    ) { svg in
      for (index, phase) in phases.enumerated() {
        let y = Double(index) * Self.row + 2
        let x = Self.label + ((phase.startMs ?? zero) - zero) * scale
        let length = max(1.5, (phase.durationMs ?? 0) * scale)
        let isSlow = phase.name == slow?.name && phases.count > 1
        let kind = isSlow ? "slow" : phase.name.countsAsSetup ? "phase" : "other"
        svg.element(
          "text", ["x": "0", "y": number(y + 13), "class": isSlow ? "name strong" : "name"],
          phase.name.rawValue)
        svg.element(
          "rect",
          [
            "x": number(x), "y": number(y + 2), "width": number(length), "height": "15", "rx": "2",
            "class": kind,
          ], "")
        svg.element(
          "text",
          [
            "x": number(min(x + length + 5, Self.width - 138)), "y": number(y + 13),
            "class": isSlow ? "time strong" : "time",
          ],
          Measure.duration(phase.durationMs ?? 0) + (isSlow ? " ◂ slowest" : ""))
      }
    }
  }

  private func number(_ value: Double) -> String { CellText.fixed(value, decimals: 1) }
}
