import Bytes
import CallModel
import LogText

/// A form proposed for a table, from the names of its columns and what is in them. No value of a cell goes into it.
public struct FormGuess {
  /// A doubt about a column.
  public struct Doubt: Sendable, Equatable {
    public var of: String
    public var why: String
  }

  /// The form as JSON.
  public let form: String
  public let unsure: [Doubt]

  /// Guesses a form from the first bytes of a source, decompressed; nil if it is no table or has no figure.
  ///
  /// - Parameter name: whose form it is: the name of the file without its ending.
  public init?(_ head: UnsafeBufferPointer<UInt8>, name: String) {
    guard let table = GuessedTable(head) else { return nil }
    var columns = GuessedColumns(table)
    columns.choose()
    if columns.figures.isEmpty, let long = table.spread() {
      columns = GuessedColumns(long)
      columns.choose()
    }
    guard !columns.figures.isEmpty else { return nil }
    form = columns.json(by: name)
    unsure = columns.unsure
  }
}

/// A table of which the first rows are known.
private struct GuessedTable {
  /// Names of the columns, and their texts by row; nil where there is none.
  private(set) var names: [String] = []
  private(set) var rows: [[String?]] = []
  private(set) var separator: UInt8?
  private(set) var hasDecimalComma = false
  /// The path of the rows, if they are in a document.
  private(set) var path: String?
  /// The columns of a figure's name and value, if a row is one figure.
  private(set) var long: (name: String, value: String)?

  private static let mostRows = 400
  private static let mostColumns = 400
  private static let bytesTried = 256 << 10

  init?(_ head: UnsafeBufferPointer<UInt8>) {
    let head = UnsafeBufferPointer(rebasing: head.prefix(Self.bytesTried))
    if JSONTree.mayBegin(head) { readJSON(head) } else { readTable(head) }
    guard names.count > 1, !rows.isEmpty else { return nil }
  }

  private mutating func readTable(_ head: UnsafeBufferPointer<UInt8>) {
    var best: (separator: UInt8, rows: [[String]])?
    for separator in [UInt8(ascii: ";"), 9, UInt8(ascii: ","), UInt8(ascii: "|")] {
      let rows = TableHead.rows(head, separator, most: Self.mostRows)
      // The last row may be cut off.
      guard let heading = rows.first, heading.count > 1, heading.count <= Self.mostColumns, rows.count > 1,
        rows.dropFirst().dropLast().allSatisfy({ $0.count == heading.count }),
        heading.allSatisfy({ Double($0) == nil })
      else { continue }
      if heading.count > best?.rows.first?.count ?? 0 { best = (separator, rows) }
    }
    guard let best, let heading = best.rows.first else { return }
    separator = best.separator
    names = heading.map(\.trimmed)
    rows = best.rows.dropFirst().filter { $0.count == heading.count }.map { $0.map(Optional.some) }
    let texts = rows.joined().compactMap(\.self)
    hasDecimalComma =
      best.separator != UInt8(ascii: ",")
      && texts.count(where: { Self.hasComma($0) })
        > texts.count(where: { $0.contains(".") && Double($0) != nil })
  }

  /// The same with a column for each figure, if a column has names of figures and another their values; else nil.
  func spread() -> GuessedTable? {
    let notation = FigureNotation(hasDecimalComma: hasDecimalComma)
    func isFigure(_ name: String, _ values: [String?]) -> Bool {
      GuessedColumn(name, values, notation).figure != nil
    }
    for name in names.indices {
      let metrics = Set(rows.compactMap { $0[name]?.trimmed }).filter { !$0.isEmpty }.sorted()
      guard (1...Self.mostMetrics).contains(metrics.count) else { continue }
      for value in names.indices
      where value != name && rows.contains(where: { Double($0[value] ?? "") != nil }) {
        var table = self
        table.long = (names[name], names[value])
        table.names = names + metrics
        table.rows = rows.map { row in
          row + metrics.map { $0 == row[name]?.trimmed ? row[value] : nil }
        }
        let isLong = metrics.indices.contains { metric in
          isFigure(metrics[metric], table.rows.map { $0[names.count + metric] })
        }
        if isLong, FigureNames.installed["values"].contains(names[value].lowercased()) {
          return table
        }
      }
    }
    return nil
  }

  private static let mostMetrics = 60

  private static func hasComma(_ text: String) -> Bool {
    text.contains(",") && Double(text.replacing(",", with: ".")) != nil
  }

  private mutating func readJSON(_ head: UnsafeBufferPointer<UInt8>) {
    var documents: [JSONTree] = []
    if JSONTree.hasLines(head) {
      for line in ByteSearch.lines(in: head, most: Self.mostRows) where line.upperBound < head.count {
        documents.append(.beginning(of: UnsafeBufferPointer(rebasing: head[line])))
      }
    } else {
      documents = [.beginning(of: head)]
    }
    var found: (path: String, rows: [JSONTree]) = ("", documents)
    if documents.count == 1, let longest = Self.longestList(in: documents[0], path: "", depth: 0) {
      found = longest
    }
    path = found.path.isEmpty ? nil : found.path
    var order: [String] = []
    var indices: [String: Int] = [:]
    let flat = found.rows.prefix(Self.mostRows).map { Self.leaves($0) }
    for (name, _) in flat.joined() where indices[name] == nil && order.count < Self.mostColumns {
      indices[name] = order.count
      order.append(name)
    }
    names = order
    rows = flat.map { leaves in
      var row = [String?](repeating: nil, count: order.count)
      for (name, value) in leaves { if let index = indices[name] { row[index] = value } }
      return row
    }
  }

  /// The list with most objects in it.
  private static func longestList(in tree: JSONTree, path: String, depth: Int) -> (
    path: String, rows: [JSONTree]
  )? {
    guard depth < 6 else { return nil }
    switch tree {
    case .array(let elements):
      let objects = elements.filter { if case .object = $0 { true } else { false } }
      guard !objects.isEmpty else { return nil }
      let own = (path: path.isEmpty ? "" : path + "[]", rows: objects)
      // Lists within the elements hold more rows, if they are all of figures.
      let inner = objects.compactMap { longestList(in: $0, path: own.path, depth: depth + 1) }
      guard let first = inner.first, inner.reduce(0, { $0 + $1.rows.count }) > 2 * objects.count else {
        return own
      }
      return (first.path, inner.filter { $0.path == first.path }.flatMap(\.rows))
    case .object(let members):
      return members.compactMap { member in
        longestList(
          in: member.value, path: path.isEmpty ? member.name : "\(path).\(member.name)", depth: depth + 1)
      }.max { $0.rows.count < $1.rows.count }
    case .leaf, .null: return nil
    }
  }

  private static func leaves(_ tree: JSONTree, _ path: String = "", depth: Int = 0) -> [(
    name: String, value: String
  )] {
    guard depth < 4, case .object(let members) = tree else { return [] }
    return members.flatMap { member in
      let name = path.isEmpty ? member.name : "\(path).\(member.name)"
      if case .object = member.value { return leaves(member.value, name, depth: depth + 1) }
      return member.value.leaf.map { [(name, $0.text)] } ?? [(name, "")]
    }
  }
}

/// What each column of a table may be.
private struct GuessedColumns {
  private let table: GuessedTable
  private let notation: FigureNotation
  private let columns: [GuessedColumn]
  private var call: Int?
  private var end: Int?
  private var time: Int?
  private var medium: Int?
  private var way: Int?
  private var everyMs: Double?
  private var talk: Int?
  private(set) var figures: [(name: String, column: Int, unit: FigureUnit?, counts: FigureSource.Counts?)] =
    []
  private(set) var unsure: [FormGuess.Doubt] = []
  private var isZoneless = false

  init(_ table: GuessedTable) {
    self.table = table
    let notation = FigureNotation(hasDecimalComma: table.hasDecimalComma)
    self.notation = notation
    columns = table.names.enumerated().map { index, name in
      GuessedColumn(name, table.rows.map { $0[index] }, notation)
    }
  }

  mutating func choose() {
    call = best { $0.callRank }
    end = best { $0.endRank }
    time = best { $0.timeRank }
    medium = columns.firstIndex { $0.isMedium }
    way = columns.firstIndex { $0.isWay }
    // An end is who takes part in a call; what is the same in all rows of a table of many calls is none.
    if end == call { end = nil }
    chooseInterval()
    chooseFigures()
    addDoubts()
  }

  private func best(_ rank: (GuessedColumn) -> Int) -> Int? {
    let ranked = columns.indices.map { (index: $0, rank: rank(columns[$0])) }.filter { $0.rank > 0 }
    return ranked.max { ($0.rank, -$0.index) < ($1.rank, -$1.index) }?.index
  }

  /// Whether rows are intervals of calls, and how long: the usual step of the time of one call and end.
  private mutating func chooseInterval() {
    guard let time else { return }
    var clock = FigureClock(zone: nil)
    let column = columns[time]
    var last: [String: Double] = [:]
    var steps: [Double: Int] = [:]
    var rowsOfCall: [String: Int] = [:]
    for (index, text) in column.texts.enumerated() {
      guard let text, let ms = clock.ms(text, nil, nil, heading: column.name) else { continue }
      let key = [call, end, medium, way].map { $0.flatMap { columns[$0].texts[index] } ?? "" }.joined(
        separator: "\n")
      if let call { rowsOfCall[columns[call].texts[index] ?? "", default: 0] += 1 }
      if let before = last[key], ms > before { steps[ms - before, default: 0] += 1 }
      last[key] = ms
    }
    isZoneless = clock.lacksZone
    let usual = steps.max { ($0.value, -$0.key) < ($1.value, -$1.key) }
    guard let usual, usual.key <= 600_000 else { return }
    everyMs = usual.key
  }

  /// Whether a row is a call.
  private var isOfCalls: Bool { everyMs == nil }

  private mutating func chooseFigures() {
    var taken: Set<Int> = Set([call, end, time, medium, way].compactMap(\.self))
    if isOfCalls {
      talk = columns.indices.first { !taken.contains($0) && columns[$0].isTalk }
      if let talk { taken.insert(talk) }
    }
    for name in FigureNames.installed.figures.map(\.figure)
    where !figures.contains(where: { $0.name == name }) {
      let fit = columns.indices.filter { !taken.contains($0) && columns[$0].figure == name }
      guard let index = fit.max(by: { (columns[$0].known, -$0) < (columns[$1].known, -$1) }) else { continue }
      taken.insert(index)
      let column = columns[index]
      let isCounter = ["packets", "lost", "bytes"].contains(name)
      let counts: FigureSource.Counts? =
        isCounter && !isOfCalls ? (column.grows(by: key(of:)) ? .call : .interval) : nil
      figures.append((name, index, column.unit(of: name), counts))
    }
  }

  private func key(of row: Int) -> String {
    [call, end, medium, way].map { $0.flatMap { columns[$0].texts[row] } ?? "" }.joined(separator: "\n")
  }

  private mutating func addDoubts() {
    func doubt(_ column: Int, _ why: String) {
      unsure.append(FormGuess.Doubt(of: columns[column].name, why: why))
    }
    if let time, isZoneless { doubt(time, "its times have no zone: \"zone\" names one, else UTC is taken") }
    if let time, !isOfCalls {
      doubt(time, "whether it marks the start or the end of its interval: \"marks\"")
    }
    if time == nil { unsure.append(FormGuess.Doubt(of: "", why: "no column of times was found")) }
    if call == nil {
      unsure.append(FormGuess.Doubt(of: "", why: "no column of calls was found: the file is one call"))
    }
    for (name, index, unit, _) in figures {
      let column = columns[index]
      if name.hasSuffix("_percent"), unit == .ratio || unit == .percent, !column.saysUnit, column.most <= 1 {
        doubt(index, "ratio or per cent: no value is over 1")
      }
      if name.hasSuffix("_ms"), !column.saysUnit {
        doubt(index, "\(unit?.rawValue ?? "ms") by the size of its values")
      }
      if name == "mos" {
        doubt(index, "the scale of the score is not said: mos_listening or mos_conversational")
      }
    }
    for column in columns where column.mayBeOneWay && column.isOfNumbers {
      unsure.append(.init(of: column.name, why: "one way or round trip: left out, as one way is no rtt_ms"))
    }
    if way == nil {
      unsure.append(FormGuess.Doubt(of: "", why: "no column says whether figures are of what was received"))
    }
  }

  /// The form, as a person may write it.
  func json(by name: String) -> String {
    var json = FormJSON()
    json.text("by", name)
    json.text("title", "\(name): proposed by callqa guess")
    if let separator = table.separator {
      json.raw(
        "table",
        "{\"separator\": \(FormJSON.quoted(String(UnicodeScalar(separator)))), \"decimal\": \"\(table.hasDecimalComma ? "," : ".")\"}"
      )
    }
    let shown = table.long.map { long in columns.firstIndex { $0.name == long.name } }
    let marks = ([call, end, time] + (shown.map { [$0] } ?? figures.map { Optional($0.column) }))
      .compactMap(\.self).prefix(4)
    json.raw("has", "{\(marks.map { "\(FormJSON.quoted(columns[$0].name)): \"\"" }.joined(separator: ", "))}")
    json.raw("missing", "[\"\", \"N/A\"]")
    if let path = table.path { json.text("rows", path) }
    if let long = table.long {
      json.raw("long", "{\"name\": \(FormJSON.quoted(long.name)), \"value\": \(FormJSON.quoted(long.value))}")
    }
    if let call { json.text("call", columns[call].name) }
    if let end { json.text("end", columns[end].name) }
    json.text("seen_by", "end")
    if let time {
      let of = FormJSON.quoted(columns[time].name)
      if let everyMs {
        let isCounted = figures.contains { $0.counts == .call }
        json.raw("at", "{\"of\": \(of), \"marks\": \"\(isCounted ? "instant" : "start")\"}")
        if !isCounted { json.raw("every", "{\"s\": \(SummaryArguments.text(everyMs / 1000))}") }
      } else {
        json.raw("start", "{\"of\": \(of)}")
        if let talk { json.raw("talk", "{\"of\": \(FormJSON.quoted(columns[talk].name)), \"unit\": \"s\"}") }
      }
    }
    // Without a column of the medium, what only a picture has is of a picture.
    let picture = figures.filter { medium == nil && ["frame_rate", "width", "height"].contains($0.name) }
    let sound = figures.filter { figure in !picture.contains { $0.name == figure.name } }
    let streams = ways.flatMap { way in
      [(sound, "audio"), (picture, "video")].filter { !$0.0.isEmpty }.map { stream(way, $0.0, $0.1) }
    }
    json.raw("streams", "[\(streams.joined(separator: ",\n  "))]")
    return json.text
  }

  private var ways: [(of: String, words: [String])] {
    guard let way else { return [("received", [])] }
    let words = Set(columns[way].texts.compactMap { $0?.lowercased() }.filter { !$0.isEmpty }).sorted()
    return [("received", StreamDirection.inbound), ("sent", .outbound)].compactMap { of, direction in
      let own = words.filter { MediaWords.direction($0) == direction }
      return own.isEmpty ? nil : (of, own)
    }
  }

  private func stream(
    _ way: (of: String, words: [String]),
    _ figures: [(name: String, column: Int, unit: FigureUnit?, counts: FigureSource.Counts?)], _ kind: String
  ) -> String {
    var parts = ["\"of\": \"\(way.of)\""]
    parts.append(
      medium.map { "\"medium\": {\"of\": \(FormJSON.quoted(columns[$0].name))}" } ?? "\"medium\": \"\(kind)\""
    )
    if !way.words.isEmpty, let column = self.way {
      let words = way.words.map(FormJSON.quoted).joined(separator: ", ")
      parts.append("\"when\": {\(FormJSON.quoted(columns[column].name)): [\(words)]}")
    }
    let figures = figures.map { name, column, unit, counts in
      var members = ["\"of\": \(FormJSON.quoted(columns[column].name))"]
      if let unit { members.append("\"unit\": \"\(unit.rawValue)\"") }
      if let counts { members.append("\"counts\": \"\(counts.rawValue)\"") }
      return "\"\(name)\": {\(members.joined(separator: ", "))}"
    }
    parts.append("\"figures\": {\n    \(figures.joined(separator: ",\n    "))}")
    return "{\(parts.joined(separator: ", "))}"
  }
}

/// Writes a form, a member a line.
private struct FormJSON {
  private var members: [String] = []

  mutating func text(_ name: String, _ value: String) { raw(name, Self.quoted(value)) }
  mutating func raw(_ name: String, _ value: String) { members.append("\(Self.quoted(name)): \(value)") }

  var text: String { "{\n \(members.joined(separator: ",\n "))\n}" }

  static func quoted(_ text: String) -> String {
    var json = ByteWriter()
    json.append(json: text)
    return json.string
  }
}
