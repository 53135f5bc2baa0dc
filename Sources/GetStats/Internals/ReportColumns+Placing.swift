import CallModel

extension ReportColumns {
  /// How the short series of a report could be placed.
  struct Placed {
    var exact = 0
    var endsOnly = 0
  }

  /// Finds the rows of all series.
  func place() -> Placed {
    var placed = Placed()
    forEachSpan { span, isCounted in
      guard span.count != rows.count else { return }
      span.place = Placement(span, rows: rows)
      guard isCounted else { return }
      if case .from = span.place { placed.exact += 1 } else { placed.endsOnly += 1 }
    }
    return placed
  }

  /// Makes up the times of the polls where the dump has none: so many in equal steps from the first to the last.
  ///
  /// Chrome polled all reports of a connection at once, so the steps are those of the connection, not of each series.
  func makeRows(grid: PollGrid) {
    guard rows.isEmpty, startMs.isFinite, endMs.isFinite else { return }
    rows = grid.polls(from: startMs, to: endMs)
    hasMadeUpRows = true
    forEachSpan { span, _ in
      let first = grid.nearest(span.startMs, in: rows)
      let last = grid.nearest(span.endMs, in: rows)
      if let first, let last, last - first + 1 == span.count {
        span.place = .from(first)
      } else {
        span.place = .ends(first: first, last: span.count > 1 ? last : nil)
      }
    }
  }

  /// Visits the spans of all series; of the two halves of one series only the first is to be counted.
  private func forEachSpan(_ body: (inout Span, _ isCounted: Bool) -> Void) {
    for index in figures.indices {
      let isSecond = figures[index].isMetric && figures[index].code == Metric.limitedByBandwidthMs.rawValue
      body(&figures[index].span, !isSecond)
    }
    for index in texts.indices {
      body(&texts[index].span, true)
      for run in texts[index].runs {
        lastTextRow = max(lastTextRow, texts[index].span.row(of: run.from) ?? rows.count)
      }
    }
    for index in extras.indices { body(&extras[index].span, true) }
    for index in others.indices { body(&others[index], true) }
  }

  /// Puts the values of one row into the connection's report.
  func give(row: Int, pool: UnsafeBufferPointer<Double>, to connection: PeerConnection) throws {
    guard let report = try id.withUnsafeBufferPointer({ try connection.report($0) }) else { return }
    report.isChanged = false
    if report.typeName.isEmpty { introduce(report) }
    report.timeMs = hasMadeUpRows && isOfFarEnd ? .nan : rows[row]
    let row = rowOrder.map { $0[row] } ?? row
    if type.isStream || type == .track || type == .playout || type == .source || isOfFarEnd {
      report.extra.removeAll()
      var sample = Sample(timeMs: 0)
      for figure in figures {
        guard let index = figure.span.index(row: row) else { continue }
        let value = pool[figure.offset &+ index]
        if !figure.isMetric {
          give(value, Int(figure.code), report)
        } else if !value.isNaN {
          sample.set(raw: figure.code, value)
        }
      }
      report.sample = sample
      for extra in extras { keep(extra, row, report) }
    } else {
      for figure in figures {
        guard let index = figure.span.index(row: row) else { continue }
        let value = pool[figure.offset &+ index]
        give(value, Int(figure.code), report)
      }
    }
    if row <= lastTextRow { giveTexts(row, report) }
    if report.isChanged { try connection.changed(report) }
  }

  /// A fact holds until another is told; a figure that is unknown is not the one before.
  @inline(__always)
  private func give(_ value: Double, _ field: Int, _ report: Report) {
    if !value.isNaN {
      report.set(field, value)
    } else if !NumberField.isFact(field) {
      report.forget(number: field)
    }
  }

  private func introduce(_ report: Report) {
    _ = typeName.withUnsafeBufferPointer { report.become($0) }
    if let kind = ReportIdWords.kind(id[...]) {
      Array(kind.utf8).withUnsafeBufferPointer { report.set(TextField.kind.rawValue, $0) }
    }
  }

  private func giveTexts(_ row: Int, _ report: Report) {
    for column in texts {
      guard let index = column.span.index(row: row) else { continue }
      if let run = column.runs.last(where: { $0.from <= index }), !run.text.isEmpty {
        run.text.withUnsafeBufferPointer { report.set(column.field, $0) }
      }
    }
  }

  private func keep(_ extra: ExtraColumn, _ row: Int, _ report: Report) {
    guard let index = extra.span.index(row: row), extra.values[index] != Array("null".utf8) else { return }
    if !report.extra.bytes.isEmpty { report.extra.append(byte: UInt8(ascii: ",")) }
    report.extra.append(json: extra.name)
    report.extra.append(byte: UInt8(ascii: ":"))
    report.extra.append(bytes: extra.values[index])
  }
}
