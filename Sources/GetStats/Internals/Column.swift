/// What every series of a report has: how many values, and from when to when.
struct Span {
  var count: Int
  var startMs: Double
  var endMs: Double
  var place = Placement.from(0)
}

/// A figure of a report over the polls of a dump: values in the dump's pool from `offset` on, NaN where unknown.
struct FigureColumn {
  var span: Span
  var isMetric: Bool
  /// Raw value of the `Metric` or `NumberField`.
  var code: UInt8
  var offset: Int
}

/// A text of a report over the polls of a dump, told where it changes.
struct TextColumn {
  var span: Span
  var field: Int
  var runs: [(from: Int, text: [UInt8])]
}

/// A member without a column over the polls of a dump: the JSON of each value.
struct ExtraColumn {
  var span: Span
  var name: String
  var values: [[UInt8]]
}

/// Where the values of a series stand among the polls of its report.
enum Placement: Equatable {
  /// One after the other from this row on.
  case from(Int)
  /// Somewhere in between are holes: only the first and the last value are known by their rows.
  case ends(first: Int?, last: Int?)

  /// Finds the rows of a series by the times of its first and last point, which are those of the report cut to milliseconds.
  ///
  /// A member that appears late, or ends early, has fewer values than its report has polls; one that was missing in between has
  /// holes that nothing tells the place of.
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
      // Of polls that saw the same RTCP packet the latest: members come late, and stay.
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
  /// The index of the value that belongs to a row, nil if none is known to.
  @inline(__always)
  func index(row: Int) -> Int? {
    switch place {
    case .from(let start):
      let index = row &- start
      return index >= 0 && index < count ? index : nil
    case .ends(let first, let last): return row == first ? 0 : row == last ? count &- 1 : nil
    }
  }

  /// The row of a value, nil if none is known.
  func row(of index: Int) -> Int? {
    switch place {
    case .from(let start): start + index
    case .ends(let first, let last): index == 0 ? first : index == count - 1 ? last : nil
    }
  }
}
