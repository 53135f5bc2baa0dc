import CallModel
import Rendering

/// Findings with a few lines each; many of one kind are combined.
struct FindingLines {
  package let entries: [AccountFinding]
  package let zone: Zone
  package let ink: TerminalStyle
  package let width: Int

  package init(
    _ entries: [AccountFinding], zone: Zone, ink: TerminalStyle, width: Int
  ) {
    (self.entries, self.zone, self.ink, self.width) = (entries, zone, ink, width)
  }

  package var lines: [String] {
    RepeatedFindings.of(entries).flatMap { repeated -> [String] in
      let entry = repeated.example
      let finding = entry.finding
      let style: TerminalStyle.Style =
        finding.severity == .error ? .bad : finding.severity == .warning ? .warning : .faint
      let end = entry.end.map { " (\(VisibleText.cut(VisibleText.visible($0), to: 20)))" } ?? ""
      let time = finding.startMs.flatMap { zone.clockText($0) }.map { " at \($0)" } ?? ""
      let often = repeated.words.map { ", \($0); the longest" } ?? ""
      let head = "\(finding.severity.rawValue): \(VisibleText.visible(finding.code))\(end)\(often)\(time)"
      return [ink(style, VisibleText.cut(head, to: width))]
        + VisibleText.wrap(VisibleText.visible(finding.text), to: width - 2).map { "  " + $0 }
    }
  }
}
