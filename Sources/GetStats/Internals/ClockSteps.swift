import CallModel

/// Where the clock was set back while a dump was recorded: Chrome writes polls one behind the other, whatever the clock says.
struct ClockSteps {
  /// What is to be added to the times from each step on, ms, in order.
  private var shifts: [Double] = []
  /// First time after the last step, and the last of all.
  private var afterMs = Double.infinity
  private var lastMs = Double.nan

  /// The steps as the stream with the most polls shows them: its time falls, and its packets go on.
  init(_ reports: [ReportColumns], _ pool: [Double]) {
    let falling = reports.filter { $0.type.isStream && !$0.isOfFarEnd && $0.falls }
    guard let report = falling.max(by: { $0.rows.count < $1.rows.count }) else { return }
    let rows = report.rows
    var shift = 0.0
    for row in rows.indices.dropFirst() where rows[row] < rows[row - 1] {
      guard let before = report.packets(row: row - 1, pool), let after = report.packets(row: row, pool),
        after > before
      else {
        shifts = []
        return
      }
      let interval = row > 1 && rows[row - 1] > rows[row - 2] ? rows[row - 1] - rows[row - 2] : 1000
      shift += rows[row - 1] + interval - rows[row]
      shifts.append(shift)
      afterMs = rows[row]
    }
    lastMs = rows.last ?? .nan
  }

  /// Whether there are none.
  var isEmpty: Bool { shifts.isEmpty }

  /// Gives a report times that go on.
  func settle(_ report: ReportColumns) {
    guard let last = shifts.last, let first = report.rows.first else { return }
    guard report.falls else {
      // It has polls of one side only: of the later one where it was there to the end.
      if report.rows.last == lastMs, first >= afterMs { report.rows = report.rows.map { $0 + last } }
      return
    }
    var next = 0
    var shift = 0.0
    var before = first
    for row in report.rows.indices {
      let time = report.rows[row]
      if time < before, next < shifts.count {
        shift = shifts[next]
        next += 1
      }
      before = time
      report.rows[row] = time + shift
    }
  }
}

extension ReportColumns {
  /// Whether any of its times is before the one that stands in front of it.
  var falls: Bool { zip(rows, rows.dropFirst()).contains { $1 < $0 } }

  /// How many packets a row counts.
  func packets(row: Int, _ pool: [Double]) -> Double? {
    guard let figure = figures.first(where: { $0.isMetric && $0.code == Metric.packets.rawValue }),
      let index = figure.span.index(row: row)
    else { return nil }
    let value = pool[figure.offset + index]
    return value.isNaN ? nil : value
  }
}
