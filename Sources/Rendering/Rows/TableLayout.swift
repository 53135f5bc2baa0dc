import CallModel

/// Layout of a table for people, determined from its first rows.
///
/// If the terminal is too narrow, repeated content is removed first: leading columns become headings of the rows that
/// share them; the day and UTC offset of times are printed above the table, as are columns that are empty or have the
/// same value in every row; the gaps between columns shrink. Then sentences and paths move to lines of their own, and
/// other texts are cut. If that is not enough, every row becomes a list with one value per line.
struct TableLayout {
  /// Minimum width of a cut text, in terminal columns: enough for the beginning of an id.
  static let narrowest = 8
  /// A text wider than this that would be cut gets a line of its own if the other columns leave no space.
  private static let longText = 24
  /// A long text widens its column up to this width only. Beyond it, it overflows, if nothing needs to be cut.
  private static let widestPadding = 60

  /// Columns in the row, in order.
  package private(set) var fields: [Int]
  /// Columns shown as headings above the rows that share their values.
  package private(set) var heads: [Int] = []
  /// Columns of sentences, shown on lines below their row.
  package private(set) var below: [Int] = []
  /// Columns without a value.
  package private(set) var unknown: [Int] = []
  /// Columns with the same value in every row.
  package private(set) var constant: [Int] = []
  /// Number of spaces between columns.
  package private(set) var gap = 2
  package private(set) var moments: MomentForm?
  /// Whether each row is shown as a list.
  package private(set) var isRecord = false
  package private(set) var widths: [Int]
  let numeric: [Bool]

  private let rows: [[String]]

  /// Determines the layout from the first rows, given as cells and as uncut texts. `isComplete` means there are no more
  /// rows.
  package init(_ columns: [RowColumn], _ cells: [[Cell]], _ texts: [[String]], width: Int?, isComplete: Bool)
  {
    rows = texts
    fields = Array(columns.indices)
    numeric = columns.indices.map { Self.isNumeric(cells, $0, columns[$0].kind) }
    widths = columns.indices.map { index in
      let widest = texts.map { VisibleText.width($0[index]) }.max() ?? 0
      return max(VisibleText.width(columns[index].shownHeading), widest)
    }
    guard let width else {
      widths = widths.map { min($0, Self.widestPadding) }
      return
    }
    guard excess(over: width) > 0, !texts.isEmpty else { return }
    fit(into: width, columns, isComplete)
    below.sort()
    isRecord = excess(over: width) > 0
  }

  /// Applies measures until the table fits, starting with those that lose least.
  private mutating func fit(into width: Int, _ columns: [RowColumn], _ isComplete: Bool) {
    for step in [shareHeads, shortenMoments(precise: true)] {
      step(&self, columns, isComplete)
      if excess(over: width) <= 0 { return }
    }
    var steps = [shortenMoments(precise: false), leaveOutUnknown, sayOnce]
    if needsMilliseconds(columns) {
      // Without milliseconds, packets and events would appear to be simultaneous, so try other measures first.
      for step in steps.dropFirst() {
        step(&self, columns, isComplete)
        if excess(over: width) <= 0 { return }
      }
      if fitsTogether(width) { return }
      steps.removeLast(2)
      if fields.contains(where: { columns[$0].name == "t_ms" }), cutLittle(to: width, columns) { return }
    }
    for step in steps {
      step(&self, columns, isComplete)
      if excess(over: width) <= 0 { return }
    }
    if fitsTogether(width) { return }
    for whole in fields where columns[whole].isWhole && widths[whole] > Self.longText { takeOut(whole) }
    if excess(over: width) <= 0 || fitsTogether(width) { return }
    let natural = widths
    cut(to: width, columns)
    // Do not cut columns whose beginnings alone say little.
    let cutShort = fields.filter { columns[$0].isWhole && widths[$0] < natural[$0] }
    if !cutShort.isEmpty {
      widths = natural
      for column in cutShort { takeOut(column) }
      if excess(over: width) <= 0 || fitsTogether(width) { return }
      cut(to: width, columns)
    }
    while excess(over: width) > 0, let long = longest(columns) {
      takeOut(long)
      cut(to: width, columns)
    }
    if excess(over: width) > 0, let name = fields.first, isText(name, columns) { takeOut(name) }
    if excess(over: width) > 0 { _ = fitsTogether(width) }
  }

  /// Reduces the gap between columns, if that is sufficient.
  private mutating func fitsTogether(_ width: Int) -> Bool {
    gap = 1
    guard excess(over: width) > 0 else { return true }
    gap = 2
    return false
  }

  /// Whether a column contains only numbers and is therefore right-aligned.
  static func isNumeric(_ rows: [[Cell]], _ index: Int, _ kind: RowColumn.Kind) -> Bool {
    let known = rows.lazy.map { $0.cell(index) }.filter { !$0.isNull }
    return kind.isNumber && !known.isEmpty && known.allSatisfy { $0.number != nil }
  }

  private func excess(over width: Int) -> Int {
    fields.reduce(0) { $0 + widths[$1] } + gap * max(0, fields.count - 1) - width
  }

  private typealias Step = (inout TableLayout, [RowColumn], _ isComplete: Bool) -> Void

  /// Turns leading columns whose values repeat over several rows into headings.
  private var shareHeads: Step {
    { layout, columns, _ in
      guard layout.rows.count > 1 else { return }
      while layout.fields.count > 2, let next = layout.fields.first,
        !layout.numeric[next], columns[next].kind == .plain
      {
        let heads = layout.heads + [next]
        let changes = zip(layout.rows, layout.rows.dropFirst()).count { one, other in
          heads.contains { one[$0] != other[$0] }
        }
        guard changes == 0 || (changes + 1) * 3 <= layout.rows.count else { return }
        layout.heads = heads
        layout.fields.removeFirst()
      }
    }
  }

  private func shortenMoments(precise: Bool) -> Step {
    { layout, columns, _ in
      let places = layout.fields.filter { columns[$0].kind == .moment }
      let texts = places.flatMap { place in layout.rows.map { $0[place] } }.filter { $0 != CellText.unknown }
      guard let form = MomentForm(texts, precise: precise) else { return }
      layout.moments = form
      for place in places {
        let widest = layout.rows.map { VisibleText.width(form.short($0[place])) }.max() ?? 0
        layout.widths[place] = max(VisibleText.width(columns[place].shownHeading), widest)
      }
    }
  }

  /// Whether adjacent rows have different times that look the same without milliseconds.
  private func needsMilliseconds(_ columns: [RowColumn]) -> Bool {
    let places = fields.filter { columns[$0].kind == .moment }
    let texts = places.flatMap { place in rows.map { $0[place] } }.filter { $0 != CellText.unknown }
    guard let form = MomentForm(texts, precise: false) else { return false }
    return places.contains { place in
      zip(rows, rows.dropFirst()).contains { one, other in
        one[place] != other[place] && form.short(one[place]) == form.short(other[place])
      }
    }
  }

  private var leaveOutUnknown: Step {
    { layout, _, isComplete in
      guard isComplete else { return }
      layout.unknown = layout.fields.filter { place in
        layout.rows.allSatisfy { $0[place].isEmpty || $0[place] == CellText.unknown }
      }
      if layout.unknown.count == layout.fields.count { layout.unknown = [] }
      layout.fields.removeAll(where: layout.unknown.contains)
    }
  }

  /// Prints values that are the same in each of several rows once, above them.
  private var sayOnce: Step {
    { layout, columns, isComplete in
      guard isComplete, layout.rows.count > 2, let first = layout.rows.first else { return }
      layout.constant = layout.fields.dropFirst().filter { place in
        columns[place].kind != .moment && layout.rows.allSatisfy { $0[place] == first[place] }
      }
      layout.fields.removeAll(where: layout.constant.contains)
    }
  }

  /// Moves a column to lines of its own: the first column, which names the row, above it, others below.
  private mutating func takeOut(_ column: Int) {
    guard fields.count > 1 else { return }
    if column == fields.first { heads.append(column) } else { below.append(column) }
    fields.removeAll { $0 == column }
  }

  /// Shortens the widest texts until the table fits, as long as values can still be identified by their beginning.
  private mutating func cut(to width: Int, _ columns: [RowColumn]) {
    var cut = widths
    var excess = excess(over: width)
    while excess > 0 {
      let candidates = fields.filter { isText($0, columns) && cut[$0] > Self.narrowest }
      guard let widest = candidates.max(by: { cut[$0] < cut[$1] }) else { return }
      cut[widest] -= 1
      excess -= 1
    }
    widths = cut
  }

  /// Shortens texts until the table fits if none of them loses much. Events within a second are told apart by their
  /// milliseconds only, which are worth the ends of a few texts.
  private mutating func cutLittle(to width: Int, _ columns: [RowColumn]) -> Bool {
    let natural = widths
    cut(to: width, columns)
    let isLittle = fields.allSatisfy { field in
      widths[field] == natural[field] || widths[field] >= 2 * Self.narrowest && !columns[field].isWhole
    }
    if isLittle, excess(over: width) <= 0 { return true }
    widths = natural
    return false
  }

  /// The widest text column, if it would be better on a line of its own.
  private func longest(_ columns: [RowColumn]) -> Int? {
    guard fields.count > 2 else { return nil }
    return fields.filter { isText($0, columns) && widths[$0] > Self.longText }.max { widths[$0] < widths[$1] }
  }

  private func isText(_ column: Int, _ columns: [RowColumn]) -> Bool {
    !numeric[column] && columns[column].kind != .moment
  }
}

/// Shortened times without the parts that all of them share, for tables that are too wide.
struct MomentForm {
  /// The shared prefix: the day and a space, or the year and a dash; empty if the years differ.
  private let beginning: String
  /// The shared UTC offset.
  private let offset: String
  /// Whether milliseconds are shown.
  private let isPrecise: Bool

  /// The form for texts of `Zone.text`, such as `2026-11-21 14:03:09.250+01:00`. Nil if there are none, or if the UTC
  /// offset changes between them. Numbers, from clocks that were never set, are left alone.
  package init?(_ all: [String], precise: Bool) {
    let date = 10
    let millisecondsEnd = 23
    let texts = all.filter { $0.count > millisecondsEnd }
    guard let first = texts.first else { return nil }
    let offset = String(first.dropFirst(millisecondsEnd))
    guard texts.allSatisfy({ $0.dropFirst(millisecondsEnd) == offset }) else { return nil }
    let day = String(first.prefix(date + 1))
    let year = String(first.prefix(5))
    self.offset = offset
    isPrecise = precise
    beginning =
      texts.allSatisfy { $0.hasPrefix(day) } ? day : texts.allSatisfy { $0.hasPrefix(year) } ? year : ""
  }

  /// The parts left out, for the line above the table: `times of 2026-11-21, +01:00`.
  package var words: String {
    beginning.isEmpty ? "times at \(offset)" : "times of \(beginning.dropLast()), \(offset)"
  }

  /// A time without the shared parts; unchanged if it does not have them.
  package func short(_ text: String) -> String {
    guard text.hasPrefix(beginning), text.hasSuffix(offset) else { return text }
    let rest = text.dropFirst(beginning.count).dropLast(offset.count)
    return String(isPrecise ? rest : rest.dropLast(4))
  }
}
