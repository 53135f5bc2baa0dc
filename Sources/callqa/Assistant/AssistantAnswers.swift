import CallModel
import CallStore
import CallViews
import IO
import Rendering
import Reporting

extension AssistantTools {
  // MARK: Rows

  /// Rows as JSON, marked as data from recordings. Says how many rows were left out.
  ///
  /// - Parameters:
  ///   - count: total number of rows, if known.
  ///   - whole: columns whose texts are not cut.
  func data(
    _ columns: [String], _ rows: [[Cell]], most: Int, of count: Int? = nil, whole: Set<String> = []
  ) throws -> String {
    let objects = JSONObjects(columns: columns)
    var lines: [String] = []
    var size = 0
    var hasCut = false
    for row in rows.prefix(most) {
      var bytes: [UInt8] = []
      // One row has to fit too.
      for longest in [Self.longestText, Self.longestText / 5, Self.longestText / 25] {
        let cut = zip(columns, row).map { column, cell in
          whole.contains(column)
            ? cell : Self.cut(cell, to: longest, isJSON: column.hasSuffix("]") || column.hasSuffix("}"))
        }
        hasCut = hasCut || cut != row
        bytes = []
        objects.append(cut, to: &bytes)
        if bytes.count <= Self.longestAnswer || !whole.isEmpty || !lines.isEmpty { break }
      }
      guard size + bytes.count <= Self.longestAnswer || lines.isEmpty && !whole.isEmpty else { break }
      size += bytes.count
      lines.append(String(decoding: bytes, as: UTF8.self))
    }
    guard !lines.isEmpty || rows.isEmpty else {
      throw Failure(
        .wrongCommandLine,
        "one row has more than the \(Self.longestAnswer) bytes of an answer: name fewer columns")
    }
    var notes = ""
    if rows.count > lines.count {
      let left = count.map { "\($0 - lines.count) of \($0) rows" } ?? "more rows"
      let why =
        lines.count < min(rows.count, most)
        ? "an answer has \(Self.longestAnswer) bytes at most: name fewer columns" : "ask for less at a time"
      notes += ",\"more\":true,\"left_out\":\(JSONText.quoted("\(left); \(why)"))"
    }
    if hasCut { notes += ",\"cut\":\(JSONText.quoted("texts of over \(Self.longestText) bytes"))" }
    return hiding("{\(Self.mark),\"data\":[\(lines.joined(separator: ","))]\(notes)}")
  }

  /// A value that is not too long. JSON is cut only where it is longer than four texts, and is a text then.
  static func cut(_ cell: Cell, to longest: Int, isJSON: Bool) -> Cell {
    switch cell {
    case .text(let text) where text.utf8.count > (isJSON ? 4 * longest : longest):
      .text(VisibleText.cut(text, to: longest))
    case .blob(let bytes) where bytes.count > longest / 2: .blob(Array(bytes.prefix(longest / 2)))
    default: cell
    }
  }

  // MARK: One call

  private func account(_ arguments: JSONFields) throws -> CallAccount {
    guard let account = try CallAccount(of: try store.call(named: arguments.text("call") ?? ""), in: store)
    else {
      throw Failure(.storeFailed, "the call is no longer there")
    }
    return account
  }

  /// The time within a call that the arguments name; nil without any. Without `until` it is a minute or second, or all
  /// that follows.
  private func span(
    _ arguments: JSONFields, _ account: CallAccount, isOpen: Bool = false
  ) throws -> ClosedRange<Double>? {
    func time(_ name: String) throws -> ClosedRange<Double>? {
      try arguments.text(name).map { text in
        guard let span = CallMoment.span(text, in: account, zone: .utc) else {
          throw Failure(.wrongCommandLine, "'\(name)': no time is '\(text)': write 14:03, 14:03:10 or +0:42")
        }
        return span
      }
    }
    let (from, until) = (try time("since"), try time("until"))
    guard from != nil || until != nil else { return nil }
    let start = from?.lowerBound ?? account.call.startedMs ?? 0
    let end = until?.lowerBound ?? (isOpen ? .infinity : from?.upperBound) ?? start
    guard start < end else { throw Failure(.wrongCommandLine, "'since' is not before 'until'") }
    return start...end
  }

  func facts(_ arguments: JSONFields) throws -> String {
    let account = try account(arguments)
    let terminal = TerminalFacts(width: 100, colour: false, zone: .utc)
    let text: String
    if let span = try span(arguments, account) {
      text = MomentView(account, during: span, for: terminal).text
    } else {
      var view = CallText(account, for: terminal)
      view.sections = [.findings, .details]
      // The setup comes last: where an answer has no room for all, findings matter more.
      let (whole, setup) = (view.text, view.setupText)
      let isTold = whole.contains("\nSetup of")
      text = whole + (isTold ? "" : setup.firstRange(of: "\n\n").map { "\n" + setup[$0.upperBound...] } ?? "")
    }
    // The summary contains names and reasons from the recording, as the columns do.
    return try rows(
      .calls, CallScope(call: account.call.key),
      [
        "call_id", "run", "scenario", "sdk", "started_ms", "duration_ms", "verdict", "outcome", "end_code",
        "score_mean", "setup_ms", "place",
      ], adding: [("text", Self.fitting(text))])
  }

  /// The lines of a text that an answer has room for, without what only pads columns.
  private static func fitting(_ text: String) -> String {
    var (fitting, size) = ("", 0)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let line = squeezed(line)
      size += JSONText.quoted(line).utf8.count
      guard size <= longestAnswer - roomForColumns else { return fitting + "… (cut)" }
      fitting += line + "\n"
    }
    return fitting
  }

  /// Bytes of an answer for the columns beside its text.
  private static let roomForColumns = 500

  /// A line without runs of blanks, and of the bars of a waterfall, whose durations stand beside them.
  private static func squeezed(_ line: Substring) -> String {
    let isOfScores = line.contains { "▁▂▃▄▅▆▇".contains($0) }
    var result = ""
    for character in line {
      if character == " ", result.hasSuffix("  ") { continue }
      if !isOfScores, "█▒░─·".contains(character), result.last == character { continue }
      result.append(character)
    }
    return result
  }

  /// What happened in a call, without what several files tell alike.
  func events(_ arguments: JSONFields) throws -> String {
    let account = try account(arguments)
    let span = try span(arguments, account, isOpen: true)
    let name = arguments.text("event")
    let group = name.flatMap { EventName.Group(rawValue: $0) }
    if let name, group == nil, EventName(rawValue: name) == nil {
      let near = Spelling.nearest(to: name, among: EventName.allCases.map(\.rawValue)).map {
        "; the nearest is '\($0)'"
      }
      throw Failure(.wrongCommandLine, "'event' knows no '\(name)'\(near ?? "")")
    }
    let shown = account.eventsOfNote(during: span) { event in
      name == nil ? nil : event.event.rawValue == name || group != nil && event.event.group == group
    }
    let rows: [[Cell]] = shown.events.map { event in
      [
        event.atMs.flatMap { Zone.utc.preciseClockText($0) }.map(Cell.text) ?? .null,
        event.atMs.map(Cell.real) ?? .null,
        event.end.map(Cell.text) ?? .null, .text(event.name),
        event.details.isEmpty ? .null : .text(event.details),
      ]
    }
    let most = min(Self.maxRows, arguments.number("limit") ?? Self.maxRows)
    let answer = try data(["at", "t_ms", "end", "event", "details"], rows, most: most, of: rows.count)
    guard shown.minor > 0 else { return answer }
    return answer.dropLast() + ",\"minor_events_left_out\":\(shown.minor)}"
  }

  // MARK: Runs and tables

  func compared(_ arguments: JSONFields) throws -> String {
    guard let queries = ResourceFolder("queries") else {
      throw Failure(.storeFailed, "the folder of queries is not beside callqa")
    }
    let comparison = RunComparison(
      rows: StoreRows(store), queries: queries.path, by: arguments.text("by") ?? "sdk")
    let slice = try Reports.run(arguments.text("candidate") ?? "", in: store)
    let base = try Reports.baseline(arguments.text("baseline") ?? "", in: store)
    let judgement = try Reports.explained(in: store) {
      try comparison.judge(slice, against: base, gates: [], seed: 1)
    }
    let terminal = TerminalFacts(width: 100, colour: false, zone: .utc)
    let text = JSONText.quoted(Self.fitting(ComparisonText(judgement, for: terminal).text))
    return hiding("{\(Self.mark),\"data\":[{\"text\":\(text)}]}")
  }

  /// The tables, or one of them as SQL with its comments.
  func schema(of table: String?) throws -> String {
    let schema = try store.schema(of: table)
    guard table != nil else {
      return schema.map { entry in
        let comment =
          entry.sql.prefix { $0 != "\n" }.split(separator: "--", maxSplits: 1).dropFirst().first ?? ""
        return "\(entry.name):\(comment)"
      }.joined(separator: "\n")
    }
    guard let sql = schema.first?.sql else {
      throw Failure(
        .wrongCommandLine, "no such table: \(try store.schema().map(\.name).joined(separator: ", "))")
    }
    return Self.fitting(sql)
  }
}
