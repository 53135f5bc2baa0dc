import Bytes
import CallModel
import IO

extension SourceFormat {
  public static let figures = SourceFormat(rawValue: "figures")
}

/// Reads figures that something else worked out: exports of services, call records of switches and relays, tables of an
/// application, as CSV, JSON or JSON Lines. A form says what the columns mean (docs/records.md).
struct FigureReader: LogReader {
  static let description = FormatDescription(
    .figures, .lines,
    summary: "call records and tables of figures, of services, switches, or your own (docs/records.md)",
    recognisedBy: "columns or members that a *.figures.json among the dialects names",
    example: "CallRef;Teilnehmer;Zeit;Verlust (%);Jitter (ms)")

  private let sink: any RecordSink
  private let options: ReaderOptions
  private let forms: [SummaryForm]
  private var records: FigureRecords
  private var lines = 0

  /// How much of a source its form is found by.
  private static let bytesTried = 64 << 10
  private static let linesTried = 20
  /// The deepest level of lists and members around documents.
  private static let deepest = 4

  init(sink: any RecordSink, options: ReaderOptions) throws {
    self.init(
      sink: sink, forms: try Dialects.installedLayouts(), codes: try Dialects.installed().codes,
      options: options)
  }

  init(sink: any RecordSink, forms: [SummaryForm], codes: CodeTable, options: ReaderOptions) {
    (self.sink, self.options, self.forms) = (sink, options, forms)
    records = FigureRecords(sink: sink, codes: codes, options: options)
  }

  // MARK: Recognition

  static func recognises(_ head: UnsafeBufferPointer<UInt8>) throws -> Bool {
    try recognises(head, by: Dialects.installedLayouts())
  }

  /// Whether the first bytes are of one of the forms.
  static func recognises(_ head: UnsafeBufferPointer<UInt8>, by forms: [SummaryForm]) -> Bool {
    let head = UnsafeBufferPointer(rebasing: head.prefix(bytesTried))
    guard mayBeJSON(head) else { return TableHead(head, forms) != nil }
    // Files without any of the names are rejected in one pass.
    let forms = forms.filter { form in form.marks.contains { ByteSearch.find($0, in: head) != nil } }
    guard !forms.isEmpty else { return false }
    if documents(in: .beginning(of: head), forms) { return true }
    return ByteSearch.lines(in: head, most: linesTried).contains { line in
      documents(in: .beginning(of: UnsafeBufferPointer(rebasing: head[line])), forms)
    }
  }

  static func mayBeJSON(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    let first = head.first { $0 > 0x20 && $0 < 0x80 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  private static func documents(in tree: JSONTree, _ forms: [SummaryForm], depth: Int = 0) -> Bool {
    if form(of: tree, forms) != nil { return true }
    guard depth < deepest else { return false }
    return inner(tree, forms).contains { documents(in: $0, forms, depth: depth + 1) }
  }

  /// What a value may hold documents in: a list's elements, and members that a form names.
  private static func inner(_ tree: JSONTree, _ forms: [SummaryForm]) -> [JSONTree] {
    switch tree {
    case .array(let elements): return elements
    case .object(let members):
      let within = forms.reduce(into: Set()) { $0.formUnion($1.within) }
      return members.filter { within.contains(SummaryTree.normal($0.name)) }.map(\.value)
    case .leaf, .null: return []
    }
  }

  /// The form of a document, by its first row or, without rows, by itself.
  private static func form(of tree: JSONTree, _ forms: [SummaryForm]) -> (
    form: SummaryForm, layout: FigureLayout
  )? {
    guard case .object = tree else { return nil }
    for form in forms {
      guard let layout = form.layout else { continue }
      let root = TreeRow(chain: [tree], name: "", list: "")
      if layout.matches(root) { return (form, layout) }
      for path in layout.rows {
        var isFound = false
        path.forEachRow(of: tree) { row in if !isFound { isFound = layout.matches(row) } }
        if isFound { return (form, layout) }
      }
    }
    return nil
  }

  // MARK: Reading

  /// Reads the source to its end. Throws `SourceError`, and any error of the source or the sink.
  mutating func read(_ source: any ByteSource) throws {
    let source = source as? HeadedSource ?? HeadedSource(source)
    var failure: (any Error)?
    do {
      let isJSON = source.head.withUnsafeBufferPointer(Self.mayBeJSON)
      if !isJSON {
        try readTable(source)
      } else if source.head.withUnsafeBufferPointer(Self.hasLines) {
        try readLines(source)
      } else {
        try readDocument(source)
      }
    } catch let error as JSONError {
      failure = SourceError(.notJSON, "\(error.reason); what comes before it was read", byte: error.byte)
    } catch let error as BytesError {
      failure = error
    }
    try records.finish()
    if let failure { throw failure }
  }

  private mutating func readTable(_ source: HeadedSource) throws {
    guard
      let head = source.head.withUnsafeBufferPointer({
        TableHead(UnsafeBufferPointer(rebasing: $0.prefix(Self.bytesTried)), forms)
      })
    else { throw SourceError(.notAFormat, "a table that no form names: `callqa guess FILE` proposes one") }
    let (form, layout, columns) = (head.form, head.layout, head.columns)
    for name in Set(columns.twice).sorted() {
      try sink.note("two columns have the name \(name.prefix(60)): the first counts")
    }
    // The reader of rows is called back by C, and cannot borrow.
    var (records, sink) = (records, sink)
    var leftOut = 0
    defer { self.records = records }
    try CSVReader.forEachRow(of: source, separator: head.separator) { row in
      guard row.number > head.rowsAbove else { return true }
      leftOut = max(leftOut, row.leftOut)
      if row.count < columns.names.count / 2 {
        try sink.reject(Reject("a row with too few cells, or a quotation mark that is not closed", line: row.number))
        return true
      }
      try Self.take(TableRow(columns: columns, cells: row), form, layout, line: row.number, &records)
      return true
    }
    if leftOut > 0 { try sink.reject(.beyond(CSVRow.mostCells, "columns of a table", count: leftOut)) }
  }

  private static func take(
    _ row: some FigureRow, _ form: SummaryForm, _ layout: FigureLayout, line: Int?,
    _ records: inout FigureRecords
  ) throws {
    if let long = layout.long {
      return try records.take(LongRow(row: row, long: long), form, layout, line: line)
    }
    try records.takeCall(row, form, layout, line: line)
    try records.take(row, form, layout, line: line)
  }

  /// Whether each line is a value of its own.
  static func hasLines(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    let lines = ByteSearch.lines(in: head, most: 2)
    guard let first = lines.first, first.upperBound < head.count else { return false }
    var scanner = JSONScanner(UnsafeBufferPointer(rebasing: head[first]))
    return (try? scanner.skip()) != nil && (try? scanner.finish()) != nil
  }

  private mutating func readLines(_ source: any ByteSource) throws {
    var lines = LineReader(source, longestLine: options.longestLine)
    while try lines.next({ bytes, number, offset in
      if bytes.allSatisfy({ $0 <= UInt8(ascii: " ") }) { return }
      do {
        try take(JSONTree(bytes), line: number)
      } catch let error as JSONError {
        try sink.reject(
          Reject("not JSON: \(error.reason): the line is left out", line: number, byte: offset + error.byte))
      }
    }) {
      if let long = lines.tooLong {
        try sink.reject(.line(longerThan: options.longestLine, line: long.line, byte: long.offset))
      }
    }
  }

  private mutating func readDocument(_ source: any ByteSource) throws {
    let json = JSONStream(source, longestValue: options.longestValue)
    while try !json.isAtEnd() {
      guard try json.peek() == .array else {
        try take(JSONTree(json.value()), line: nil)
        continue
      }
      try json.beginArray()
      while try json.nextElement() { try take(JSONTree(json.value()), line: nil) }
    }
  }

  /// Takes a document, or what holds documents.
  private mutating func take(_ tree: JSONTree, line: Int?, depth: Int = 0) throws {
    if let (form, layout) = Self.form(of: tree, forms) { return try take(tree, form, layout, line: line) }
    let inner = depth < Self.deepest ? Self.inner(tree, forms) : []
    guard !inner.isEmpty else { return try sink.reject(Reject(FigureRecords.unknown, line: line)) }
    for tree in inner { try take(tree, line: line, depth: depth + 1) }
  }

  private mutating func take(_ tree: JSONTree, _ form: SummaryForm, _ layout: FigureLayout, line: Int?) throws
  {
    let root = TreeRow(chain: [tree], name: "", list: "")
    guard !layout.rows.isEmpty else { return try Self.take(root, form, layout, line: line, &records) }
    try records.takeCall(root, form, layout, line: line)
    for path in layout.rows {
      try path.forEachRow(of: tree) { row in
        for row in layout.isSeries ? row.elements : [row] {
          if let long = layout.long {
            try records.take(LongRow(row: row, long: long), form, layout, line: line)
          } else {
            try records.take(row, form, layout, line: line)
          }
        }
      }
    }
  }
}

/// A row that is one figure: the value stands at the figure's own name.
private struct LongRow<Row: FigureRow>: FigureRow {
  let row: Row
  let name: FigurePath
  let amount: FigurePath
  let figure: String

  init(row: Row, long: (name: FigurePath, value: FigurePath)) {
    self.row = row
    (name, amount) = long
    figure = SummaryTree.normal(row.text(long.name) ?? "")
  }

  func value(_ path: FigurePath) -> SummaryTree.Value? {
    SummaryTree.normal(path.text) == figure ? row.value(amount) : row.value(path)
  }

  func has(_ path: FigurePath) -> Bool { row.has(path) }
}

/// The head of a table: what parts its cells, its columns, and the form that names them.
struct TableHead {
  let form: SummaryForm
  let layout: FigureLayout
  let separator: UInt8
  let columns: TableColumns
  /// How many rows are above the first one with data.
  let rowsAbove: Int

  /// Nil if no form names its columns.
  init?(_ head: UnsafeBufferPointer<UInt8>, _ forms: [SummaryForm]) {
    var firsts: [UInt8: [String]] = [:]
    for form in forms {
      guard let layout = form.layout, layout.rows.isEmpty else { continue }
      for separator in layout.separators {
        let first = firsts[separator] ?? Self.firstRow(head, separator)
        firsts[separator] = first
        guard first.count > 1 || layout.columns.count == 1 else { continue }
        let isHeadless = !layout.columns.isEmpty
        guard !isHeadless || first.count == layout.columns.count else { continue }
        let columns = TableColumns(isHeadless ? layout.columns : first)
        guard layout.has.allSatisfy({ columns[$0.path.text] != nil }) else { continue }
        if isHeadless || layout.has.contains(where: { !$0.beginning.isEmpty }) {
          // What is in the first row decides.
          let cells = isHeadless ? first : Self.row(head, separator, at: 2 + layout.skipped)
          let isOfForm = layout.has.allSatisfy { path, beginning in
            columns[path.text].map { cells.indices.contains($0) && cells[$0].hasPrefix(beginning) } ?? false
          }
          guard isOfForm else { continue }
        }
        (self.form, self.layout, self.separator, self.columns) = (form, layout, separator, columns)
        rowsAbove = (isHeadless ? 0 : 1) + layout.skipped
        return
      }
    }
    return nil
  }

  /// The first row of a text, its cells parted by a byte.
  static func firstRow(_ head: UnsafeBufferPointer<UInt8>, _ separator: UInt8) -> [String] {
    // Quickly, as it is asked of every text.
    let end = head.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? head.count
    return row(UnsafeBufferPointer(rebasing: head[..<end]), separator, at: 1)
  }

  private static func row(_ head: UnsafeBufferPointer<UInt8>, _ separator: UInt8, at number: Int) -> [String]
  {
    rows(head, separator, most: number).dropFirst(number - 1).first ?? []
  }

  /// The first rows of a text.
  static func rows(_ head: UnsafeBufferPointer<UInt8>, _ separator: UInt8, most: Int) -> [[String]] {
    var rows: [[String]] = []
    try? CSVReader.forEachRow(of: MemoryBytes(Array(head)), separator: separator) { row in
      rows.append(row.texts)
      return rows.count < most
    }
    return rows
  }
}
