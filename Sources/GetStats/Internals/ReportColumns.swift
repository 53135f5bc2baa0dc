import Bytes
import CallModel

/// All series of one report of a dump.
final class ReportColumns {
  let id: [UInt8]
  private(set) var typeName: [UInt8]
  private(set) var type: ReportType
  /// Times of the polls that held the report; empty before M117, which had no such series.
  var rows: [Double] = []
  /// Whether they were made up: then those of RTCP are not known.
  var hasMadeUpRows = false
  var figures: [FigureColumn] = []
  var texts: [TextColumn] = []
  var extras: [ExtraColumn] = []
  /// Series that are not kept: they count for the polls there were, and for the holes that are told.
  var others: [Span] = []
  /// First and last poll and the longest series: what there is to go by without times of polls.
  private(set) var startMs = Double.infinity
  private(set) var endMs = -Double.infinity
  private(set) var longest = 0
  /// Where the rows stood in the series, if they had to be put in order.
  private(set) var rowOrder: [Int]?
  /// The row that was given last, and the last one with a change of text.
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

  /// Adds a member; the values of figures go to the pool, what is odd of it to what is told.
  func add(
    _ member: [UInt8], _ series: Series, to pool: inout [Double], odd: inout OddMembers
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
      tell(unaccepted, member, &odd)
      addFigure(series, pool, offset, isMetric: action.kind != .number, action.code)
    case .limitation:
      try series.limitations(into: &pool)
      addFigure(series, pool, offset, isMetric: true, Metric.limitedBy.rawValue)
    case .limitationDurations:
      tell(try series.durations(of: "cpu", into: &pool), Array("qualityLimitationDurations.cpu".utf8), &odd)
      addFigure(series, pool, offset, isMetric: true, Metric.limitedByCpuMs.rawValue)
      let second = pool.count
      let unaccepted = try series.durations(of: "bandwidth", into: &pool)
      tell(unaccepted, Array("qualityLimitationDurations.bandwidth".utf8), &odd)
      addFigure(series, pool, second, isMetric: true, Metric.limitedByBandwidthMs.rawValue)
    case .text:
      let (runs, count) = try series.texts()
      texts.append(TextColumn(span: span(series, count), field: Int(action.code), runs: runs))
    case .extra, .unknown:
      if action.kind == .unknown, type != .unknown {
        odd.unknown.insert(
          "\(String(decoding: typeName, as: UTF8.self)).\(String(decoding: member, as: UTF8.self))")
      }
      guard type.isStream || type == .track else { return others.append(span(series, try series.count())) }
      let values = try series.pieces()
      let name = String(decoding: member, as: UTF8.self)
      extras.append(ExtraColumn(span: span(series, values.count), name: name, values: values))
    default: others.append(span(series, try series.count()))
    }
  }

  private func tell(_ unaccepted: Unaccepted, _ member: [UInt8], _ odd: inout OddMembers) {
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

  /// Puts polls in order of time where a clock was set back; placing was done by the order of the series.
  func sortRows() {
    guard !zip(rows, rows.dropFirst()).allSatisfy({ $0 <= $1 }) else { return }
    let order = rows.indices.filter { rows[$0].isFinite }.sorted { rows[$0] < rows[$1] }
    rowOrder = order
    rows = order.map { rows[$0] }
  }
}
