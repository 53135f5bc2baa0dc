import CallModel

/// The points in which two calls are compared.
struct DiffRows {
  /// One point: both values in words, and the change of those that are numbers.
  struct Row {
    var name: String
    var left: String?
    var right: String?
    var change: String?
    var isHeading = false
  }

  private let a: CallAccount
  private let b: CallAccount

  init(_ a: CallAccount, _ b: CallAccount) {
    self.a = a
    self.b = b
  }

  var rows: [Row] {
    var rows = [heading("Call")]
    rows.append(text("outcome", { $0.call.outcome.rawValue }))
    rows.append(text("client", { $0.call.sdk ?? $0.ends.first?.client }))
    rows.append(number("score", \.call.scoreMean, Measure.points))
    rows.append(number("setup", \.call.setupMs, Measure.duration))
    rows.append(number("lasted", \.call.durationMs, Measure.duration))
    for (left, right) in pairs { rows += ends(left, right) }
    rows.append(heading("Setup phases"))
    for phase in PhaseName.allCases {
      rows.append(
        number(
          phase.rawValue, { $0.leadingAttempt?.phases.first { $0.name == phase }?.durationMs },
          Measure.duration))
    }
    rows.append(heading("Findings"))
    let codes = Set((a.findings + b.findings).map(\.finding.code)).sorted()
    for code in codes {
      rows.append(
        text(
          VisibleText.visible(code),
          { account in
            let count = account.findings.filter { $0.finding.code == code }.count
            return count == 0 ? "no" : count == 1 ? "yes" : "\(count) times"
          }))
    }
    return trimmed(rows)
  }

  /// Ends of the same name, then the rest in order.
  private var pairs: [(EndAccount?, EndAccount?)] {
    var rest = b.ends
    var pairs: [(EndAccount?, EndAccount?)] = a.ends.map { end in
      let index = rest.firstIndex { $0.name == end.name }
      return (end, index.map { rest.remove(at: $0) })
    }
    for index in pairs.indices where pairs[index].1 == nil && !rest.isEmpty {
      pairs[index].1 = rest.removeFirst()
    }
    return pairs + rest.map { (nil, $0) }
  }

  private func ends(_ left: EndAccount?, _ right: EndAccount?) -> [Row] {
    let names = [left, right].compactMap { $0.map { VisibleText.visible($0.name) } }
    var rows = [heading("At " + (Set(names).count == 1 ? names[0] : names.joined(separator: " and ")))]
    func figure(_ name: String, _ value: (EndAccount) -> Double?, _ words: (Double) -> String) {
      rows.append(row(name, left.flatMap(value), right.flatMap(value), words))
    }
    func word(_ name: String, _ value: (EndAccount) -> String?) {
      rows.append(Row(name: name, left: left.flatMap(value), right: right.flatMap(value)))
    }
    figure("score", { $0.score?.mean }, Measure.points)
    figure("lowest", { $0.score.map { Double($0.lowest) } }, Measure.points)
    for cause in Cause.allCases {
      let values = [left, right].map { $0?.score?.pointsLost[cause] ?? 0 }
      if values.contains(where: { $0 >= 0.5 }) {
        figure("points to \(cause.rawValue)", { $0.score?.pointsLost[cause] }, Measure.points)
      }
    }
    figure("loss", { EndTotals($0.windows).inputs.lossShare }, Measure.percent)
    figure("concealed", { EndTotals($0.windows).inputs.concealedShare }, Measure.percent)
    figure("delay", { EndTotals($0.windows).inputs.delayMs }, Measure.duration)
    figure("frozen", { EndTotals($0.windows).inputs.freezeShare }, Measure.percent)
    figure("frame rate", { EndTotals($0.windows).inputs.frameRate }, { CellText.fixed($0, decimals: 1) })
    figure("bit rate", { EndTotals($0.windows).inputs.bitrateBps }, Measure.bitrate)
    word("network", { PathWords.of($0) })
    word("hears", { StreamWords.received($0, .audio) })
    word("sees", { StreamWords.received($0, .video) })
    return rows
  }

  private func heading(_ name: String) -> Row { Row(name: name, isHeading: true) }

  private func text(_ name: String, _ value: (CallAccount) -> String?) -> Row {
    let values = [a, b].map { value($0).map(VisibleText.visible) }
    return Row(name: name, left: values[0], right: values[1], change: values[0] == values[1] ? nil : "≠")
  }

  private func number(_ name: String, _ value: (CallAccount) -> Double?, _ words: (Double) -> String) -> Row {
    row(name, value(a), value(b), words)
  }

  private func row(_ name: String, _ left: Double?, _ right: Double?, _ words: (Double) -> String) -> Row {
    var change: String?
    if let left, let right, words(left) != words(right) {
      let difference = right - left
      change = (difference > 0 ? "+" : "−") + words(abs(difference))
    }
    return Row(name: name, left: left.map(words), right: right.map(words), change: change)
  }

  /// Headings under which nothing is known are left out.
  private func trimmed(_ rows: [Row]) -> [Row] {
    let known = rows.filter { $0.isHeading || $0.left != nil || $0.right != nil }
    return known.enumerated().filter { index, row in
      !row.isHeading || (index + 1 < known.count && !known[index + 1].isHeading)
    }.map(\.element)
  }
}
