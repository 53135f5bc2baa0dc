import Rendering

/// A source as one line of text.
enum SourceWords {
  /// `run-log, clock 12 ms ahead, 3 rejected`.
  package static func facts(_ source: SourceFacts) -> String {
    var facts = [source.format ?? "format unknown"]
    if source.status != "imported" { facts.append(source.status) }
    if let skew = source.skewMs, abs(skew) >= 0.5 {
      facts.append("clock \(Measure.duration(abs(skew))) \(skew > 0 ? "ahead" : "behind")")
    }
    if source.rejected > 0 { facts.append("\(source.rejected) rejected") }
    return facts.joined(separator: ", ")
  }
}
