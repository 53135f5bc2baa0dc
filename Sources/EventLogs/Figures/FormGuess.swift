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
    if !columns.hasFigures, let long = table.spread() {
      columns = GuessedColumns(long)
      columns.choose()
    }
    guard columns.hasFigures else { return nil }
    form = columns.json(by: name)
    unsure = columns.unsure
  }
}

/// What each column of a table may be.
private struct GuessedColumns {
  /// Whose end a figure is of, of which way and medium.
  private struct Place: Hashable {
    var role: String?
    var way: StreamDirection
    var kind: MediaKind
  }

  private struct Figure {
    var name: String
    var column: Int
    var unit: FigureUnit?
    var counts: FigureSource.Counts?
    /// Nil for both ways, where a column tells them apart.
    var way: StreamDirection?
    var place: Place
  }

  private let table: GuessedTable
  private let columns: [GuessedColumn]
  private var call: Int?
  private var end: Int?
  /// The time, or the day and the time.
  private var times: [Int] = []
  private var until: Int?
  private var medium: Int?
  private var way: Int?
  private var everyMs: Double?
  private var every: Int?
  private var talk: Int?
  private var figures: [Figure] = []
  private(set) var unsure: [FormGuess.Doubt] = []
  private var isZoneless = false

  init(_ table: GuessedTable) {
    self.table = table
    let notation = FigureNotation(hasDecimalComma: table.hasDecimalComma)
    func columns(hasPackets: Bool) -> [GuessedColumn] {
      table.names.enumerated().map { index, name in
        GuessedColumn(
          name, table.rows.map { $0[index] }, notation,
          unit: table.units.indices.contains(index) ? table.units[index] : "", hasPackets: hasPackets)
      }
    }
    let found = columns(hasPackets: false)
    let hasPackets = found.contains { $0.figure == "packets" }
    self.columns = hasPackets ? columns(hasPackets: true) : found
  }

  var hasFigures: Bool { !figures.isEmpty }

  mutating func choose() {
    call = best { $0.callRank }
    end = best { $0.endRank }
    times = best { $0.timeRank }.map { [$0] } ?? []
    if let day = columns.firstIndex(where: \.isDay), let time = columns.firstIndex(where: \.isTimeOfDay) {
      times = [day, time]
    }
    medium = columns.firstIndex { $0.isMedium }
    way = columns.firstIndex { $0.isWay }
    until = columns.indices.first { !times.contains($0) && columns[$0].isEnd }
    talk = columns.firstIndex { $0.isTalk }
    if call == nil, until != nil || talk != nil { call = columns.firstIndex { $0.isID } }
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
    guard let first = times.first else { return }
    var clock = FigureClock(zone: nil)
    var last: [String: Double] = [:]
    var steps: [Double: Int] = [:]
    for row in columns[first].texts.indices {
      let text = times.compactMap { columns[$0].texts[row] }.joined(separator: " ")
      guard let ms = clock.ms(text, nil, form(of: text).flatMap { DatePattern($0) }) else { continue }
      let key = key(of: row)
      if let before = last[key], ms > before { steps[ms - before, default: 0] += 1 }
      last[key] = ms
    }
    isZoneless = clock.lacksZone
    if table.isSeries {
      every = columns.firstIndex { $0.isEvery }
      everyMs = 60_000
      return
    }
    let usual = steps.max { ($0.value, -$0.key) < ($1.value, -$1.key) }
    guard let usual, usual.key <= 600_000, call != nil || until == nil && talk == nil else { return }
    everyMs = usual.key
  }

  /// How a time with such a date is written, if day and month may be taken for each other.
  private func form(of text: String) -> String? {
    times.first.flatMap { columns[$0].dates?.form(of: text) }
  }

  /// The member of a form for it, of a time that columns have.
  private func formMember(of times: [Int]) -> String {
    let row = columns[times[0]].texts.indices.first { row in
      times.allSatisfy { columns[$0].texts[row] != nil }
    }
    let text = row.map { row in times.compactMap { columns[$0].texts[row] }.joined(separator: " ") }
    let form = text.flatMap { columns[times[0]].dates?.form(of: $0) }
    return form.map { ", \"form\": \(FormJSON.quoted($0))" } ?? ""
  }

  /// Whether a row is a call.
  private var isOfCalls: Bool { everyMs == nil }

  private mutating func chooseFigures() {
    var taken = Set(([call, end, medium, way] + times).compactMap(\.self))
    if isOfCalls { taken.formUnion([talk, until].compactMap(\.self)) }
    for name in FigureNames.installed.figures.map(\.figure)
    where !figures.contains(where: { $0.name == name }) {
      let fit = columns.indices.filter { !taken.contains($0) && columns[$0].figure == name }
      let byPlace = Dictionary(grouping: fit) { place(of: name, columns[$0]) }
      let chosen = byPlace.compactMap { place, fit in
        fit.max { (columns[$0].known, -$0) < (columns[$1].known, -$1) }.map { (place: place, index: $0) }
      }
      // A dictionary has another order in each run.
      for (place, index) in chosen.sorted(by: { $0.index < $1.index }) {
        taken.insert(index)
        let column = columns[index]
        let isCounter = ["packets", "lost", "bytes"].contains(name) && !isOfCalls
        figures.append(
          Figure(
            name: name, column: index, unit: column.unit(of: name),
            counts: isCounter ? column.grows(by: key(of:)) ? .call : .interval : nil,
            way: way == nil ? place.way : column.way, place: place))
      }
    }
    // What did not happen counts as what happened does.
    for index in figures.indices where figures[index].counts == .interval {
      let others = figures.filter { $0.place == figures[index].place && $0.counts == .call }
      if columns[figures[index].column].isLevel, !others.isEmpty { figures[index].counts = .call }
    }
  }

  private func place(of figure: String, _ column: GuessedColumn) -> Place {
    let isPicture = ["frame_rate", "width", "height"].contains(figure)
    return Place(
      role: end == nil ? column.role : nil,
      way: column.way ?? .inbound,
      kind: medium != nil ? .audio : column.kind ?? (isPicture ? .video : .audio))
  }

  private func key(of row: Int) -> String {
    [call, end, medium, way].map { $0.flatMap { columns[$0].texts[row] } ?? "" }.joined(separator: "\n")
  }

  private mutating func addDoubts() {
    func doubt(_ column: Int, _ why: String) {
      unsure.append(FormGuess.Doubt(of: columns[column].name, why: why))
    }
    let time = times.first
    if let time, isZoneless { doubt(time, "its times have no zone: \"zone\" names one, else UTC is taken") }
    if let time, columns[time].dates?.isSure == false {
      doubt(time, "whether the day or the month is first: \"form\"")
    }
    if let time, !isOfCalls {
      doubt(time, "whether it marks the start or the end of its interval: \"marks\"")
    }
    if table.isSeries, every == nil, let time { doubt(time, "how long an interval is: \"every\"") }
    if time == nil { unsure.append(FormGuess.Doubt(of: "", why: "no column of times was found")) }
    if call == nil {
      unsure.append(FormGuess.Doubt(of: "", why: "no column of calls was found: the file is one call"))
    }
    for figure in figures {
      let (name, index, unit) = (figure.name, figure.column, figure.unit)
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
    for column in columns where column.mayBeOneWay && column.isOfNumbers && column.figure == nil {
      unsure.append(.init(of: column.name, why: "one way or round trip: left out, as one way is no rtt_ms"))
    }
    for column in columns where column.isOddScore {
      unsure.append(.init(of: column.name, why: "left out: a MOS is 1 to 5, and some values are higher"))
    }
    if way == nil, !figures.contains(where: { columns[$0.column].way != nil }) {
      unsure.append(FormGuess.Doubt(of: "", why: "no column says whether figures are of what was received"))
    }
  }

  /// The form, as a person may write it.
  func json(by name: String) -> String {
    var json = FormJSON()
    json.add("by", FormJSON.quoted(name))
    json.add("title", FormJSON.quoted("\(name): proposed by callqa guess"))
    if let separator = table.separator {
      let separator = FormJSON.quoted(String(UnicodeScalar(separator)))
      let decimal = table.hasDecimalComma ? "," : "."
      let skip = table.units.isEmpty ? "" : ", \"skip\": 1"
      json.add("table", "{\"separator\": \(separator), \"decimal\": \"\(decimal)\"\(skip)}")
    }
    let shown = table.long.flatMap { long in columns.firstIndex { $0.name == long.name } }
    let marks = ([call, end] + times + (shown.map { [$0] } ?? figures.map(\.column))).compactMap(\.self)
    json.add("has", "{\(marks.prefix(4).map { "\(quoted($0)): \"\"" }.joined(separator: ", "))}")
    json.add("missing", "[\"\", \"N/A\"]")
    if let path = table.path { json.add("rows", FormJSON.quoted(path)) }
    if table.isSeries { json.add("series", "true") }
    if let (name, value) = table.long {
      json.add("long", "{\"name\": \(FormJSON.quoted(name)), \"value\": \(FormJSON.quoted(value))}")
    }
    if let call { json.add("call", quoted(call)) }
    if let end { json.add("end", quoted(end)) }
    json.add("seen_by", "\"end\"")
    let of = times.count == 1 ? quoted(times[0]) : "[\(times.map(quoted).joined(separator: ", "))]"
    if let everyMs, !times.isEmpty {
      let isCounted = figures.contains { $0.counts == .call }
      json.add(
        "at", "{\"of\": \(of), \"marks\": \"\(isCounted ? "instant" : "start")\"\(formMember(of: times))}")
      if let every {
        json.add("every", length(in: every))
      } else if !isCounted {
        json.add("every", "{\"s\": \(SummaryArguments.text(everyMs / 1000))}")
      }
    } else if !times.isEmpty {
      json.add("start", "{\"of\": \(of)\(formMember(of: times))}")
      if let until { json.add("until", "{\"of\": \(quoted(until))\(formMember(of: [until]))}") }
      if let talk { json.add("talk", length(in: talk)) }
    }
    json.add("streams", "[\(streams.joined(separator: ",\n  "))]")
    return json.text
  }

  private func quoted(_ column: Int) -> String { FormJSON.quoted(columns[column].name) }

  private func length(in column: Int) -> String {
    let unit = columns[column].unit(of: "duration_s") ?? .seconds
    return "{\"of\": \(quoted(column)), \"unit\": \"\(unit.rawValue)\"}"
  }

  /// The streams: by the words of a column of directions, else by what the columns are of.
  private var streams: [String] {
    let words = way.map {
      Set(columns[$0].texts.compactMap { $0?.lowercased() }.filter { !$0.isEmpty }).sorted()
    }
    var streams: [String] = []
    for (way, of) in [(StreamDirection.inbound, "received"), (.outbound, "sent")] {
      let named = words?.filter { MediaWords.direction($0) == way }
      guard named?.isEmpty != true else { continue }
      for kind in [MediaKind.audio, .video] {
        for role in [nil, "caller", "callee"] {
          let own = figures.filter {
            $0.place.role == role && $0.place.kind == kind && ($0.way ?? way) == way
          }
          let place = Place(role: role, way: way, kind: kind)
          if !own.isEmpty { streams.append(stream(place, of, named, own)) }
        }
      }
    }
    return streams
  }

  private func stream(_ place: Place, _ of: String, _ words: [String]?, _ figures: [Figure]) -> String {
    let kind = medium.map { "{\"of\": \(quoted($0))}" } ?? "\"\(place.kind.rawValue)\""
    var parts = ["\"of\": \"\(of)\", \"medium\": \(kind)"]
    if let role = place.role { parts.append("\"end\": {\"is\": \"\(role)\"}") }
    if let words, let way {
      parts.append("\"when\": {\(quoted(way)): [\(words.map(FormJSON.quoted).joined(separator: ", "))]}")
    }
    // What is of this way alone goes before what is of both.
    let known = Set(figures.filter { $0.way != nil }.map(\.name))
    let sources = figures.filter { $0.way != nil || !known.contains($0.name) }.map { figure in
      var members = ["\"of\": \(quoted(figure.column))"]
      if let unit = figure.unit { members.append("\"unit\": \"\(unit.rawValue)\"") }
      if let counts = figure.counts { members.append("\"counts\": \"\(counts.rawValue)\"") }
      return "\"\(figure.name)\": {\(members.joined(separator: ", "))}"
    }
    parts.append("\"figures\": {\n    \(sources.joined(separator: ",\n    "))}")
    return "{\(parts.joined(separator: ", "))}"
  }
}

/// Writes a form, a member a line.
private struct FormJSON {
  private var members: [String] = []

  mutating func add(_ name: String, _ json: String) { members.append("\(Self.quoted(name)): \(json)") }

  var text: String { "{\n \(members.joined(separator: ",\n "))\n}" }

  static func quoted(_ text: String) -> String {
    var json = ByteWriter()
    json.append(json: text)
    return json.string
  }
}
