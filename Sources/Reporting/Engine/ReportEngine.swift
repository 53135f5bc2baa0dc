import Bytes
import CallModel
import Concurrency
import Rendering

/// Makes a report: queries, compares, draws, and writes a folder with a page, its CSV files and its plots.
public struct ReportEngine {
  var request: ReportRequest
  var rows: any RowSource
  /// Makes the page of a call, given run and id; nil if that is not possible.
  var callPage: (String?, String) throws -> [UInt8]?
  /// Maximum number of calls that get a page.
  static let maxPages = 60

  /// An engine over the rows of a store.
  public init(
    _ request: ReportRequest, rows: any RowSource,
    callPage: @escaping (String?, String) throws -> [UInt8]? = { _, _ in nil }
  ) {
    self.request = request
    self.rows = rows
    self.callPage = callPage
  }

  /// What to report on: the slice asked for, else the latest run or night; nil in a database without calls.
  public func slice() throws -> Slice? {
    try request.slice ?? SliceChoice(rows: rows, zone: request.zone).latest()
  }

  /// Writes the report on a slice to a folder. Throws `PlacedError` for an error in the definition; nothing is written
  /// then.
  public func make(_ slice: Slice, in path: String) throws -> ReportOutcome {
    let gates = try gates()
    let style = try request.definition.style.map { try bytes(of: $0) } ?? []
    let choice = SliceChoice(rows: rows, zone: request.zone)
    let baseline = try BaselineChoice(choice: choice, slice: slice, given: request.baseline).choose()
    var questions = ReportQuestions(
      rows: rows, definition: request.definition, library: request.queries, parameters: slice.parameters())
    // Without a general baseline the shipped queries use the latest accepted run of each SDK.
    questions.parameters.merge((baseline.general ?? Slice(run: nil, name: "")).parameters("baseline")) {
      own, _ in own
    }
    let calls = try callsMs(of: slice)
    let lastCallMs = calls?.last
    questions.runEndMs = try endMs(of: slice, lastCallMs)
    questions.parameters["zone"] = .text(try offsets(calls))
    // Most queries run in parallel with the comparison; those that need its result do not wait for the others. Parse
    // the definition first, because the comparison occupies the store.
    let asked = try questions.asked(ofJudgement: false)
    let ofJudgement = try questions.asked(ofJudgement: true)
    var ((judgement, late), answered) = try together(
      { [questions, seed = request.seed] in
        let comparison = try Self.comparison(slice, baseline, questions, gates, seed: seed)
        let history = try SeenBefore(before: comparison, rows: questions.rows)
        let volume = try VolumeHistory(before: slice, rows: questions.rows)
        var judgement = NightJudgement(comparison, gates: gates, before: history, volume: volume)
        if slice.run != nil {
          var lookingBack = questions
          lookingBack.parameters["until"] = .of(questions.runEndMs)
          judgement.drifts = Drift.all(try lookingBack.table(named: "drift.sql"))
        }
        let parameters = Self.parameters(of: judgement)
        return (judgement, try questions.answers(to: ofJudgement.map { $0.given(parameters) }))
      }, { [questions] in try questions.answers(to: asked) })
    answered.merge(late) { first, _ in first }
    let own: [ComputedAnswer: Table] = [
      .verdicts: judgement.verdicts, .gates: judgement.gates, .changes: judgement.figureChanges,
    ]
    let answers = try questions.answers(own: own, asked: answered)
    if let health = answers["health"], let row = health.rows.first {
      judgement.unreadFiles = ["refused_files", "skipped_files"].reduce(0) { sum, column in
        sum + Int(health.index(of: column).flatMap { row[$0].number } ?? 0)
      }
    }
    let headline = Headline(judgement, facts: try facts(slice, baseline, judgement, lastCallMs))
    let groups = try judgement.groups.prefix(Self.maxGroups).map { try linked($0) }
    var outcome = ReportOutcome(
      slice: slice, headline: headline, judgement: judgement, answers: answers, notes: [], files: [])
    outcome.lastCallMs = lastCallMs
    let folder = try OutputFolder(path)
    do {
      try write(&outcome, slice, groups: groups, style: style, to: folder)
      let name = outcome.slice.name
      try folder.finish(keeping: { Nights.keep($0, in: folder.path) })
      Nights.link(in: folder.path, current: name)
    } catch {
      folder.abandon()
      throw error
    }
    return outcome
  }

  /// Query parameters from a judgement: `blocked`, `news`, and which of the news are about setup times (`slow`) or are
  /// opened later than the others (`late`).
  private static func parameters(of judgement: NightJudgement) -> [String: Cell] {
    let blocked = judgement.comparison.sdks.filter { judgement.verdict(of: $0) == "fail" }
    // Limit the number of calls; nobody opens more than a few.
    let groups = judgement.groups
    let slow = groups.indices.filter { groups[$0].isOfSetup }.map(String.init)
    let late = groups.indices.filter { groups[$0].isLate }.map(String.init)
    let news = groups.map { group in
      "[\(group.keys.prefix(maxPages).map(String.init).joined(separator: ","))]"
    }
    return [
      "blocked": .text(blocked.joined(separator: ",")), "news": .text("[\(news.joined(separator: ","))]"),
      "slow": .text("[\(slow.joined(separator: ","))]"), "late": .text("[\(late.joined(separator: ","))]"),
    ]
  }

  private func write(
    _ outcome: inout ReportOutcome, _ slice: Slice, groups: [LinkedGroup], style: [UInt8],
    to folder: OutputFolder
  ) throws {
    let definition = request.definition
    func put(_ bytes: [UInt8], _ name: String, _ outcome: inout ReportOutcome) throws {
      try folder.write(bytes, to: name)
      outcome.files.append(name)
    }
    for query in definition.queries where query.isWritten {
      guard let table = outcome.answers[query.name] else { continue }
      try put(table.csv(.guarded), "csv/\(query.name).csv", &outcome)
    }
    let studio = PlotRenderer(request: request, answers: outcome.answers)
    let pictures = try studio.draw(into: folder)
    outcome.files += pictures.files
    outcome.notes += pictures.problem.map { [$0] } ?? []
    let pages = try CallPages(
      definition: definition, answers: outcome.answers, run: slice.run, make: callPage
    )
    .write(to: folder, atMost: Self.maxPages, first: groups.flatMap(\.calls))
    outcome.files += pages.values.sorted()
    let earlier = Nights.earlier(in: folder.path, besides: slice.name)
    let night = Nights.Night(
      folder: "", name: slice.name, headline: outcome.headline.line, tone: outcome.headline.tone,
      lastMs: outcome.lastCallMs ?? 0,
      figures: NightFigures(outcome.judgement.comparison.candidate))
    let script = try definition.script.map { try bytes(of: $0) } ?? []
    let page = PageWriter(
      definition: definition, answers: outcome.answers, headline: outcome.headline,
      sentences: try Sentences(judgement: outcome.judgement).sentences().map { try linked($0) },
      groups: groups,
      previous: earlier.first { $0.isBefore(night) }.map {
        (name: $0.name, link: "\(Nights.folder)/\($0.folder)/index.html")
      },
      placeholder: outcome.judgement.nothingRan.map { _ in EmptyRun.placeholder },
      pictures: pictures.elements,
      pictureProblems: pictures.problem.map { problem in
        Dictionary(uniqueKeysWithValues: pictures.tried.map { ($0, problem) })
      } ?? [:],
      cells: CellHTML(words: ValueText(zone: request.zone), callPage: { pages[$0] }), style: style,
      script: script
    )
    try put(page.page(), "index.html", &outcome)
    let calls = try Nights.calls(of: slice, pages: pages, in: rows)
    try put(Nights.script(calls, run: slice.run), Nights.callsFile, &outcome)
    let index = Nights.index([night] + earlier, title: definition.title, style: style, zone: request.zone)
    try put(index, "\(Nights.folder)/index.html", &outcome)
    outcome.files.append(OutputFolder.mark)
    try folder.write(
      ReportManifest(outcome: outcome, request: request, slice: slice, calls: calls).json(),
      to: OutputFolder.mark)
  }

  /// Maximum number of groups that the page links to, and of calls per group.
  private static let maxGroups = 5
  private static let maxOfGroup = 3

  /// A group with the ids of the calls to open first.
  private func linked(_ group: CallGroup) throws -> LinkedGroup {
    LinkedGroup(
      words: group.words, count: group.keys.count, calls: try ids(group.keys.prefix(Self.maxOfGroup)),
      command: group.command, changePoint: group.changePoint)
  }

  /// A sentence with the ids of the calls that it is about.
  private func linked(_ source: Sentence) throws -> LinkedSentence {
    var sentence = LinkedSentence(source.text)
    guard let calls = source.calls else { return sentence }
    (sentence.count, sentence.commands) = (calls.keys.count, calls.commands)
    sentence.ids = try ids(calls.keys.prefix(LinkedSentence.most))
    return sentence
  }

  private func ids(_ keys: ArraySlice<Int64>) throws -> [String] {
    guard !keys.isEmpty else { return [] }
    let table = try rows.table(
      "SELECT call_key, call_id FROM calls WHERE call_key IN (\(keys.map(String.init).joined(separator: ", ")))",
      [:])
    let ids = Dictionary(
      table.rows.compactMap { row in row[0].integer.flatMap { key in row[1].string.map { (key, $0) } } }
    ) { first, _ in first }
    return keys.compactMap { ids[$0] }
  }

  private func gates() throws -> [Gate] {
    if let given = request.gates { return given.gates }
    guard let name = request.definition.gates else { return [] }
    let text = String(decoding: try bytes(of: name), as: UTF8.self)
    return try GateFile(name: "\(request.definition.folder)/\(name.name)", text: text).gates
  }

  /// Contents of a file that the definition names. If it cannot be read, the error points to the definition.
  private func bytes(of file: NamedFile) throws -> [UInt8] {
    do {
      return try FileBytes.read("\(request.definition.folder)/\(file.name)", atMost: 1 << 20)
    } catch let error as FileFailure {
      throw PlacedError(request.definition.file, file.line, error.description)
    }
  }

  /// Loads both sides of the comparison; baselines may differ by SDK.
  private static func comparison(
    _ slice: Slice, _ baseline: BaselineChoice.Chosen, _ questions: ReportQuestions, _ gates: [Gate],
    seed: UInt64
  ) throws -> Comparison {
    func figures(_ slice: Slice, sdks: Set<String>?) throws -> RunFigures {
      var questions = questions
      questions.parameters.merge(slice.parameters()) { _, new in new }
      var reader: RunFiguresReader?
      try questions.forEachRow(
        ofQuery: "compared-calls.sql",
        columns: { reader = RunFiguresReader(run: slice.name, columns: $0, sdks: sdks) },
        row: { reader?.add($0) })
      var figures = reader?.figures ?? RunFigures(run: slice.name)
      figures.isRun = slice.run != nil
      if gates.contains(where: \.figure.isOfTries) {
        var (columns, rows): ([String], [[Cell]]) = ([], [])
        try questions.forEachRow(
          ofQuery: "sessions.sql", columns: { columns = $0 }, row: { rows.append($0) })
        figures.add(tries: columns, rows, sdks: sdks)
      }
      return figures
    }
    let candidate = try figures(slice, sdks: nil)
    let before = try baseline.figures(of: candidate.sdks) { try figures($0, sdks: $1) }
    return Comparison(candidate: candidate, baseline: before, seed: seed)
  }

  /// When the first and last call of the slice began, ms since the epoch, from calls with plausible clocks.
  private func callsMs(of slice: Slice) throws -> (first: Double, last: Double)? {
    let table = try rows.table(
      """
      SELECT min(started_ms), max(started_ms) FROM calls WHERE call_key NOT IN (SELECT call_key FROM odd_clocks)
        AND (:run IS NULL OR run_id = :run)
        AND (:since IS NULL OR started_ms >= :since) AND (:until IS NULL OR started_ms < :until)
      """, slice.parameters())
    guard let row = table.rows.first, let first = row[0].number, let last = row[1].number else { return nil }
    return (first, last)
  }

  /// UTC offsets of the reader's time zone up to the last reported call, starting at the first one or at the earliest
  /// call that belongs to no run, in the form that queries expect: `[[from ms, offset ms], …]`.
  private func offsets(_ calls: (first: Double, last: Double)?) throws -> String {
    let table = try rows.table(
      """
      SELECT min(started_ms) FROM calls WHERE run_id IS NULL AND call_key NOT IN (SELECT call_key FROM odd_clocks)
      """, [:])
    let first = min(table.rows.first?.first?.number ?? .infinity, calls?.first ?? 0)
    let periods = request.zone.periods(fromMs: first, toMs: calls?.last ?? 0)
    return "[" + periods.map { "[\(Int64($0.fromMs)),\($0.offset * 1000)]" }.joined(separator: ",") + "]"
  }

  /// The end of the reported time, ms since the epoch, exclusive. If the run has no plausible clock, import times are
  /// used instead.
  private func endMs(of slice: Slice, _ lastCallMs: Double?) throws -> Double? {
    if let lastCallMs { return lastCallMs + 1 }
    let table = try rows.table(
      "SELECT began_ms FROM run_starts WHERE run_id = :run", ["run": slice.run.map { .text($0) } ?? .null])
    return table.rows.first?.first?.number.map { $0 + 1 }
  }

  /// Run, build, baseline and time zone for the page header.
  private func facts(
    _ slice: Slice, _ baseline: BaselineChoice.Chosen, _ judgement: NightJudgement, _ lastCallMs: Double?
  ) throws -> [(String, String)] {
    var facts = [(slice.run == nil ? "Calls" : "Run", slice.name)]
    let labels = try rows.table(
      """
      SELECT coalesce(json_extract(labels, '$.build'), json_extract(labels, '$.release')) AS build FROM runs WHERE run_id = :run
      """, ["run": slice.run.map { .text($0) } ?? .null])
    if let build = labels.rows.first?.first, !build.isNull {
      facts.append(("Build", ValueText(zone: request.zone).text(build, .text)))
    }
    let names = judgement.comparison.baseline?.names ?? ""
    facts.append(("Baseline", names.isEmpty ? "none yet" : names + baseline.remark))
    if let lastCallMs {
      facts.append(
        (
          "Last call",
          "\(request.zone.dateText(lastCallMs) ?? "") \(request.zone.clockText(lastCallMs) ?? "")"
        ))
      facts.append(("Zone", "\(request.zone.name) (\(request.zone.offsetText(lastCallMs)))"))
    }
    return facts
  }
}

/// Writes pages for the calls that a report refers to.
struct CallPages {
  var definition: ReportDefinition
  var answers: [String: Table]
  var run: String?
  var make: (String?, String) throws -> [UInt8]?

  /// Writes a page for each call in a column of format `call`, those in `first` first. Returns the file paths by call
  /// id.
  func write(to folder: OutputFolder, atMost most: Int, first: [String] = []) throws -> [String: String] {
    var pages: [String: String] = [:]
    for id in first + named() where pages[id] == nil && pages.count < most {
      guard let page = try make(run, id) else { continue }
      let file = "calls/\(Self.fileName(id)).html"
      try folder.write(page, to: file)
      pages[id] = file
    }
    return pages
  }

  private func named() -> [String] {
    definition.parts.flatMap { part -> [String] in
      guard case .table(let table) = part, let answer = answers[table.query] else { return [] }
      return table.columns.filter { $0.format == .call }.flatMap { column in
        answer.rows.prefix(table.limit).compactMap { answer.cell($0, column.column).string }
      }
    }
  }

  /// A file name that is valid on every system and unique for each id.
  static func fileName(_ id: String) -> String {
    let safe = String(
      id.unicodeScalars.prefix(80).map { scalar in
        scalar.isASCII
          && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || "-_".unicodeScalars.contains(scalar))
          ? Character(scalar) : "_"
      })
    guard safe != id else { return safe }
    return "\(safe)-\(String(FNV1a.value(of: id.utf8), radix: 16))"
  }
}
