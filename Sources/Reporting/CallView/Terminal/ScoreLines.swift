import CallModel

/// Sparklines of all ends under one axis of time.
struct ScoreLines {
  let account: CallAccount
  let zone: Zone
  let ink: Ink
  let width: Int

  init(_ account: CallAccount, zone: Zone, ink: Ink, width: Int) {
    (self.account, self.zone, self.ink, self.width) = (account, zone, ink, width)
  }

  var lines: [String] {
    let ends = account.ends.filter { !$0.windows.isEmpty }
    guard let from = ends.compactMap({ $0.windows.first?.startMs }).min(),
      let to = ends.compactMap({ $0.windows.last?.endMs }).max()
    else { return [] }
    let label = min(16, (ends.map { VisibleText.width(VisibleText.visible($0.name)) }.max() ?? 0) + 2)
    let indent = String(repeating: " ", count: label)
    var lines: [String] = []
    var letters: Set<Character> = []
    var perColumn = 1
    for end in ends {
      let line = Sparkline(end.windows, fromMs: from, toMs: to, columns: width - label)
      perColumn = max(perColumn, line.windowsPerColumn)
      letters.formUnion(line.letters)
      letters.formUnion(line.heights.filter { "×?·".contains($0) })
      // Beside the bars of a short call its scores have room.
      let scores = end.windows.map { $0.score.map(String.init) ?? CellText.unknown }.joined(separator: " ")
      let room = width - label - line.heights.count - 2
      let beside = line.windowsPerColumn == 1 && VisibleText.width(scores) <= room ? "  " + scores : ""
      lines.append(
        VisibleText.fit(VisibleText.visible(end.name), to: label) + ink(.accent, line.heights) + beside)
      let causes = trimmed(line.letters)
      if !causes.isEmpty { lines.append(indent + ink(.faint, causes)) }
    }
    var legend = "\(zone.clockText(from) ?? "") to \(zone.clockText(to) ?? "")"
    legend += perColumn > 1 ? ", the worst of \(perColumn) windows of 5 s each" : ", a window of 5 s each"
    if let sparse = ends.compactMap(\.sparseReports).max(by: { $0.apartMs < $1.apartMs }) {
      legend +=
        sparse.lengthMs == nil ? ", alike between reports, which came " : ", alike where reports came "
      legend += "\(Measure.duration(sparse.apartMs)) apart"
    }
    let causes = Cause.allCases.filter { letters.contains(Character($0.letter)) }.map {
      "\($0.letter) \($0.rawValue)"
    }
    let states = [("×", "nothing arrived"), ("·", "silent"), ("?", "not scored")]
      .filter { letters.contains(Character($0.0)) }.map { "\($0.0) \($0.1)" }
    let words = ([legend] + causes + states).joined(separator: " · ")
    return lines + VisibleText.wrap(words, to: width - label).map { indent + ink(.faint, $0) }
  }

  private func trimmed(_ text: String) -> String {
    var text = text
    while text.last == " " { text.removeLast() }
    return text
  }
}
