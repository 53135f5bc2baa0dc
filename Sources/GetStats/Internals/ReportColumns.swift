import Bytes
import CallModel

/// All series of a report of a dump.
final class ReportColumns {
  let id: [UInt8]
  private(set) var typeName: [UInt8]
  private(set) var type: ReportType
  /// Times of the polls with the report; empty before M117, which had no such series.
  var rows: [Double] = []
  /// Whether they were made up: then those of RTCP reports are unknown.
  var hasAssumedTimes = false
  var figures: [FigureColumn] = []
  var texts: [TextColumn] = []
  var extras: [ExtraColumn] = []
  /// Those of them that have several values, or not one for each poll.
  private var varyingExtras: [ExtraColumn] = []
  /// Series that are not kept, but count for the number of polls and for the noted gaps.
  var others: [Span] = []
  /// First and last poll and the longest series: the only information without times of polls.
  private(set) var startMs = Double.infinity
  private(set) var endMs = -Double.infinity
  private(set) var longest = 0
  /// The original indices of the rows, if they had to be sorted.
  private(set) var rowOrder: [Int]?
  /// The row emitted last, and the last one in which a text changed.
  var row = -1
  var lastTextRow = -1

  init(id: [UInt8], typeName: [UInt8]) {
    self.id = id
    self.typeName = typeName
    type = typeName.withUnsafeBufferPointer { name in
      id.withUnsafeBufferPointer { ReportType(name: name, id: $0) }
    }
  }

  /// Whether its times are those of RTCP packets.
  var isOfFarEnd: Bool { type == .remoteInbound || type == .remoteOutbound }

  /// Adds a member; figures go to the pool, unexpected values to the notes.
  func add(
    _ member: [UInt8], _ series: Series, to pool: inout [Double], odd: inout UnexpectedMembers
  ) throws(JSONError) {
    let action = member.withUnsafeBufferPointer { MemberTable.all.action($0, type) }
    let offset = pool.count
    switch action.kind {
    case .timestamp:
      try series.numbers(action, into: &pool)
      rows = pool[offset...].map { ReportTime.normal($0) ?? .nan }
      pool.removeLast(pool.count - offset)
    case .metric, .mediasoupMetric, .number:
      let unaccepted = try series.numbers(action, into: &pool)
      noteRejected(unaccepted, member, &odd)
      addFigure(series, pool, offset, isMetric: action.kind != .number, action.code)
    case .limitation:
      try series.limitations(into: &pool)
      addFigure(series, pool, offset, isMetric: true, Metric.limitedBy.rawValue)
    case .limitationDurations:
      noteRejected(
        try series.members("cpu", times: 1000, into: &pool), Array("qualityLimitationDurations.cpu".utf8),
        &odd)
      addFigure(series, pool, offset, isMetric: true, Metric.limitedByCpuMs.rawValue)
      let second = pool.count
      let unaccepted = try series.members("bandwidth", times: 1000, into: &pool)
      noteRejected(unaccepted, Array("qualityLimitationDurations.bandwidth".utf8), &odd)
      addFigure(series, pool, second, isMetric: true, Metric.limitedByBandwidthMs.rawValue)
    case .text:
      let (runs, count) = try series.texts()
      texts.append(TextColumn(span: span(series, count), field: Int(action.code), runs: runs))
    case .luma, .extra, .unknown:
      if action.kind == .luma {
        noteRejected(try series.members("y", into: &pool), member, &odd)
        addFigure(series, pool, offset, isMetric: true, action.code)
      }
      if action.kind == .unknown, type != .unknown {
        odd.unknown.insert(
          "\(String(decoding: typeName, as: UTF8.self)).\(String(decoding: member, as: UTF8.self))")
      }
      let isKept = action.kind != .unknown ? type.keptBehind != nil : type.isStream || type == .track
      guard isKept else { return others.append(span(series, try series.count())) }
      let values = try series.pieces()
      let isKnown = action.kind != .unknown
      extras.append(
        ExtraColumn(
          span: span(series, values.count), name: isKnown ? member : Self.escaped(member), values: values,
          isKnown: isKnown))
    default: others.append(span(series, try series.count()))
    }
  }

  /// A name in the escaped form of JSON.
  private static func escaped(_ name: [UInt8]) -> [UInt8] {
    var json = ByteWriter()
    json.append(json: String(decoding: name, as: UTF8.self))
    return Array(json.bytes.dropFirst().dropLast())
  }

  private func noteRejected(_ unaccepted: RejectedValues, _ member: [UInt8], _ odd: inout UnexpectedMembers) {
    for value in unaccepted.values {
      let member = String(decoding: member, as: UTF8.self)
      if let words = Figure.impossible(value, type, typeName: typeName, member: member) {
        odd.impossible.insert(words)
      }
    }
  }

  private func addFigure(
    _ series: Series, _ pool: [Double], _ offset: Int, isMetric: Bool, _ code: UInt8
  ) {
    figures.append(
      FigureColumn(span: span(series, pool.count - offset), isMetric: isMetric, code: code, offset: offset))
  }

  private func span(_ series: Series, _ count: Int) -> Span {
    longest = max(longest, count)
    if series.startMs < startMs { startMs = series.startMs }
    if series.endMs > endMs { endMs = series.endMs }
    return Span(count: count, startMs: series.startMs, endMs: series.endMs)
  }

  /// Sorts polls by time if a clock was set back; values were placed in the order of the series.
  func sortRows() {
    guard !zip(rows, rows.dropFirst()).allSatisfy({ $0 <= $1 }) else { return }
    let order = rows.indices.filter { rows[$0].isFinite }.sorted { rows[$0] < rows[$1] }
    rowOrder = order
    rows = order.map { rows[$0] }
  }
}

extension ReportColumns {
  /// How many short series of a report could be placed.
  struct PlacementCounts {
    var exact = 0
    var endsOnly = 0
  }

  /// Places all series.
  func place() -> PlacementCounts {
    var placed = PlacementCounts()
    forEachSpan { span, isCounted in
      guard span.count != rows.count else { return }
      span.place = Placement(span, rows: rows)
      guard isCounted else { return }
      if case .from = span.place { placed.exact += 1 } else { placed.endsOnly += 1 }
    }
    return placed
  }

  /// Makes up the times of the polls if the dump has none, and places all series. Returns how many have holes.
  func makeRows(grid: PollTimes) -> Int {
    guard rows.isEmpty, startMs.isFinite, endMs.isFinite else { return 0 }
    let polls = grid.polls(self)
    rows = polls ?? grid.equalSteps(from: startMs, to: endMs)
    hasAssumedTimes = true
    var holes = 0
    forEachSpan { span, isCounted in
      if span.count == rows.count, polls != nil {
        span.place = .from(0)
        return
      }
      let first = grid.place(of: span.startMs, in: rows)
      let last = grid.place(of: span.endMs, in: rows)
      if let first, let last, last - first + 1 == span.count {
        span.place = .from(first)
      } else {
        span.place = .ends(first: first, last: span.count > 1 ? last : nil)
        if isCounted { holes += 1 }
      }
    }
    return holes
  }

  /// Visits the spans of all series; for a series stored in two halves only the first.
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
    for extra in extras { body(&extra.span, true) }
    for index in others.indices { body(&others[index], true) }
  }

  /// Sets the values of a row in the connection's report.
  func give(row: Int, pool: UnsafeBufferPointer<Double>, to connection: PeerConnection) throws {
    guard let report = try id.withUnsafeBufferPointer({ try connection.report($0) }) else { return }
    report.isChanged = false
    if report.typeName.isEmpty { introduce(report) }
    report.timeMs = hasAssumedTimes && isOfFarEnd ? .nan : rows[row]
    let row = rowOrder.map { $0[row] } ?? row
    keepExtras(row, report)
    if type.isStream || type == .track || type == .playout || type == .source || isOfFarEnd {
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
    } else {
      for figure in figures {
        guard let index = figure.span.index(row: row) else { continue }
        let value = pool[figure.offset &+ index]
        give(value, Int(figure.code), report)
      }
    }
    if row <= lastTextRow { emitTexts(row, report) }
    if report.isChanged { try connection.changed(report) }
  }

  /// A fact stays valid until it changes; an unknown figure does not keep its last value.
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

  private func emitTexts(_ row: Int, _ report: Report) {
    for column in texts {
      guard let index = column.span.index(row: row) else { continue }
      if let run = column.runs.last(where: { $0.from <= index }), !run.text.isEmpty {
        run.text.withUnsafeBufferPointer { report.set(column.field, $0) }
      }
    }
  }

  private func keepExtras(_ row: Int, _ report: Report) {
    report.forgetVaryingMembers { report in
      varyingExtras = extras.filter { !$0.isSteady(over: rows.count) }
      for extra in extras where extra.isSteady(over: rows.count) { extra.keep(0, report) }
    }
    for extra in varyingExtras {
      if let index = extra.span.index(row: row) { extra.keep(index, report) }
    }
  }
}

/// The number of values of a series, and its first and last time.
struct Span {
  var count: Int
  var startMs: Double
  var endMs: Double
  var place = Placement.from(0)
}

/// A figure of a report over the polls of a dump: values in the dump's pool from `offset` on, NaN if unknown.
struct FigureColumn {
  var span: Span
  var isMetric: Bool
  /// Raw value of the `Metric` or `NumberField`.
  var code: UInt8
  var offset: Int
}

/// A text of a report over the polls of a dump, stored when it changes.
struct TextColumn {
  var span: Span
  var field: Int
  var runs: [(from: Int, text: [UInt8])]
}

/// A member without a column over the polls of a dump: the JSON of each value.
final class ExtraColumn {
  var span: Span
  /// In the escaped form of JSON.
  private let name: [UInt8]
  private let values: Pieces
  /// Whether it is in a table.
  private let isKnown: Bool

  init(span: Span, name: [UInt8], values: Pieces, isKnown: Bool) {
    (self.span, self.name, self.values, self.isKnown) = (span, name, values, isKnown)
  }

  /// Whether a table knows it, and it has the same value in each poll.
  func isSteady(over polls: Int) -> Bool {
    isKnown && values.areEqual && span.place == .from(0) && span.count == polls
  }

  /// Gives a report one of its values.
  func keep(_ index: Int, _ report: Report) {
    values.with(index) { value in
      name.withUnsafeBufferPointer { isKnown ? report.keep($0, value) : report.addUnknown($0, value) }
    }
  }
}

/// The placement of a series among the polls of its report.
enum Placement: Equatable {
  /// Consecutive, from this row on.
  case from(Int)
  /// With gaps at unknown positions: only the rows of the first and last value are known.
  case ends(first: Int?, last: Int?)

  /// Finds the rows of a series by the times of its first and last point, which are those of the report cut to
  /// milliseconds.
  ///
  /// A member that appears late, or ends early, has fewer values than its report has polls; one that was missing in
  /// between has gaps at unknown positions.
  init(_ span: Span, rows: [Double]) {
    if span.count == rows.count {
      self = .from(0)
      return
    }
    var exact: Int?
    var first: Int?
    for row in rows.indices where Self.isCut(rows[row], span.startMs) {
      if first == nil { first = row }
      let end = row + span.count - 1
      // Of polls with the same RTCP packet the latest: members appear late, and stay.
      if end >= row, end < rows.count, Self.isCut(rows[end], span.endMs) { exact = row }
    }
    if let exact {
      self = .from(exact)
      return
    }
    let last = rows.indices.last { Self.isCut(rows[$0], span.endMs) }
    self = .ends(first: first, last: span.count > 1 ? last : nil)
  }

  private static func isCut(_ timeMs: Double, _ cutMs: Double) -> Bool {
    timeMs - cutMs > -0.5 && timeMs - cutMs < 1.5
  }
}

extension Span {
  /// The index of the value of a row; nil if unknown.
  @inline(__always)
  func index(row: Int) -> Int? {
    switch place {
    case .from(let start):
      let index = row &- start
      return index >= 0 && index < count ? index : nil
    case .ends(let first, let last): return row == first ? 0 : row == last ? count &- 1 : nil
    }
  }

  /// The row of a value; nil if unknown.
  func row(of index: Int) -> Int? {
    switch place {
    case .from(let start): start + index
    case .ends(let first, let last): index == 0 ? first : index == count - 1 ? last : nil
    }
  }
}
