import CallModel

/// The evidence for a verdict on a simulated call, as an import and scoring would have found it at the receiving end.
public struct SimulatedEvidence: Sendable {
  public var outcome: Outcome
  public var endCode: String?
  public var startMs: Double
  public var durationMs: Double
  public var windows: [Window]
  public var findings: [Finding]
  /// Periods in which sound was sent but did not arrive, and in which none was sent.
  public var lost: [SpanOfSilence]
  public var unsent: [SpanOfSilence]

  /// A period without sound.
  public struct SpanOfSilence: Sendable, Equatable {
    public var startMs: Double
    public var endMs: Double
  }
}

/// Judges a simulated call: returns columns of table `calls` with their values, the same columns for every call.
public typealias SimulatedJudge = @Sendable (SimulatedEvidence) -> [(column: String, value: Cell)]

extension SimulatedCall {
  /// When a silent call becomes silent, and the length of calls, in ms from the start.
  static let silentFromMs = 60_000.0
  static let lengthMs = 300_000.0
  /// The share of a silent call that is heard.
  static let audibleShare = silentFromMs / lengthMs

  /// The evidence of a call that began at `startMs`.
  func evidence(startMs: Double) -> SimulatedEvidence {
    let end = startMs + Self.lengthMs
    var evidence = SimulatedEvidence(
      outcome: Outcome(rawValue: outcome) ?? .unknown, endCode: endCode, startMs: startMs,
      durationMs: Self.lengthMs, windows: windows(startMs: startMs), findings: [], lost: [], unsent: [])
    switch silence {
    case .lost:
      let from = startMs + Self.silentFromMs
      evidence.lost = [.init(startMs: from, endMs: end)]
      evidence.findings.append(
        Self.finding(
          .oneWayAudio, .error, from, end,
          "Sound was sent, and none came for the last \(Int((end - from) / 1000)) s."))
    case .unsent:
      evidence.unsent = [.init(startMs: startMs, endMs: end)]
      evidence.findings.append(
        Self.finding(.farEndSilent, .info, startMs, end, "The far end sent no sound."))
    case nil: break
    }
    if outcome == "failed", endCode == nil {
      evidence.findings.append(
        Self.finding(
          .iceNeverConnected, .error, startMs, startMs, "ICE never connected: no check was answered."))
    }
    return evidence
  }

  private static func finding(
    _ code: FindingCode, _ severity: Severity, _ start: Double, _ end: Double, _ text: String
  ) -> Finding {
    var finding = Finding(code, severity, evidence: Evidence(), text: text)
    (finding.startMs, finding.endMs) = (start, end)
    return finding
  }

  private func windows(startMs: Double) -> [Window] {
    let begin = startMs + (setupMs ?? 0)
    func window(_ index: Int, _ state: WindowState, _ score: Int?) -> Window {
      let from = begin + Double(index) * Window.lengthMs
      var window = Window(index: index, startMs: from, endMs: from + Window.lengthMs, state: state)
      window.score = score
      return window
    }
    switch silence {
    case .unsent: return (0..<SimulatedWindows.count).map { window($0, .silent, nil) }
    case .lost:
      let audible = Int(Double(SimulatedWindows.count) * Self.audibleShare)
      let good = score.map { Int(($0 / Self.audibleShare).rounded()) } ?? 100
      return (0..<SimulatedWindows.count).map { index in
        index < audible ? window(index, .active, min(100, good)) : window(index, .stalled, 0)
      }
    case nil: return (windows?.scores ?? []).enumerated().map { window($0.offset, .active, $0.element) }
    }
  }
}
