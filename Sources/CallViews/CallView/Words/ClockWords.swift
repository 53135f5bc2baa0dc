import CallModel
import Rendering

/// States which times are on which clock. Times of events, windows and findings are shown as their source wrote them;
/// the start of the call, its duration and relative times are on the clock of the call.
enum ClockWords {
  /// A sentence for each end whose clock is off according to its finding `clock-skew`.
  static func sentences(_ account: CallAccount) -> [String] {
    account.findings.filter { $0.finding.code == "clock-skew" }.compactMap { entry in
      guard let end = entry.end,
        let skew = memberText("skew_ms", of: entry.finding.evidence).flatMap(Double.init)
      else { return nil }
      return "Times of \(EndWords.name(VisibleText.visible(end))) are by its own clock, "
        + "\(Measure.duration(abs(skew))) \(skew > 0 ? "ahead of" : "behind") the call's."
    }
  }
}
