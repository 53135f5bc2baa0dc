import CallModel
import Rendering

/// States whose clock is off: times are shown on the clock of the call.
enum ClockWords {
  /// A sentence for each end whose times were changed.
  static func sentences(_ account: CallAccount) -> [String] {
    account.findings.filter { $0.finding.code == .clockSkew }.compactMap { entry in
      guard let end = entry.end,
        let skew = entry.finding.evidence.number("clock_ms")
      else { return nil }
      return "Times of \(EndWords.name(VisibleText.visible(end))) are on the call's clock; "
        + "its own is \(Measure.duration(abs(skew))) \(skew > 0 ? "ahead" : "behind")."
    }
  }
}
