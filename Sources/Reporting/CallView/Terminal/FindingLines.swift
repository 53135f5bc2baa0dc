import CallModel

/// Findings, a few lines each.
struct FindingLines {
  let account: CallAccount
  let zone: Zone
  let ink: Ink
  let width: Int

  init(_ account: CallAccount, zone: Zone, ink: Ink, width: Int) {
    (self.account, self.zone, self.ink, self.width) = (account, zone, ink, width)
  }

  var lines: [String] {
    account.findings.flatMap { entry -> [String] in
      let finding = entry.finding
      let style: Ink.Style =
        finding.severity == .error ? .bad : finding.severity == .warning ? .warning : .faint
      let end = entry.end.map { " (\(VisibleText.cut(VisibleText.visible($0), to: 20)))" } ?? ""
      let time = finding.startMs.flatMap { zone.clockText($0) }.map { " at \($0)" } ?? ""
      let head = "\(finding.severity.rawValue): \(VisibleText.visible(finding.code))\(end)\(time)"
      return [ink(style, VisibleText.cut(head, to: width))]
        + VisibleText.wrap(VisibleText.visible(finding.text), to: width - 2).map { "  " + $0 }
    }
  }
}
