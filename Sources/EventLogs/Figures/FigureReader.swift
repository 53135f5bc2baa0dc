import Bytes
import CallModel
import IO

extension SourceFormat {
  public static let figures = SourceFormat(rawValue: "figures")
  public static let callSummary = SourceFormat(rawValue: "call-summary")
}

/// Reads figures that something else worked out: exports of services, call records of switches and relays, tables of an
/// application, as CSV, JSON or JSON Lines. A form says what the columns mean (docs/records.md).
struct FigureReader: LogReader {
  static let description = FormatDescription(
    .figures, .lines,
    summary: "call records and tables of figures, of services, switches, or your own (docs/records.md)",
    recognisedBy: "columns or members that a *.figures.json among the dialects names",
    example: "CallRef;Teilnehmer;Zeit;Verlust (%);Jitter (ms)")

  private var reader: FormReader

  init(sink: any RecordSink, options: ReaderOptions) throws {
    self.init(
      sink: sink, forms: try Dialects.installedLayouts(), codes: try Dialects.installed().codes,
      options: options)
  }

  init(sink: any RecordSink, forms: SummaryForms, codes: CodeTable, options: ReaderOptions) {
    reader = FormReader(
      sink: sink, forms: forms, codes: codes, options: options, unknown: FigureRecords.unknown)
  }

  static func recognises(_ head: UnsafeBufferPointer<UInt8>) throws -> Bool {
    try FormReader.recognises(head, by: Dialects.installedLayouts())
  }

  /// Reads the source to its end. Throws `SourceError`, and any error of the source or the sink.
  mutating func read(_ source: any ByteSource) throws { try reader.read(source) }
}

/// Reads the call summaries of services, and their webhooks: JSON with one object or array, a page of a list,
/// or one value per line.
///
/// The figures of a summary become `media.quality-reported` events. They are the service's own figures and do
/// not enter a score.
struct SummaryReader: LogReader {
  static let description = FormatDescription(
    .callSummary, .lines,
    summary: "call summaries (Twilio Voice Insights) and webhooks of calls (Telnyx)",
    recognisedBy: "JSON, one or many, whose members a *.summary.json among the dialects names",
    example: #"{"call_sid":"CA…","call_type":"client","call_state":"completed","sdk_edge":{"metrics":{…}}}"#)

  private var reader: FormReader

  init(sink: any RecordSink, options: ReaderOptions) throws {
    self.init(sink: sink, dialects: try Dialects.installed(), options: options)
  }

  init(sink: any RecordSink, dialects: Dialects, options: ReaderOptions) {
    reader = FormReader(
      sink: sink, forms: dialects.summaries, codes: dialects.codes, options: options,
      unknown: SummaryRecords.unknown)
  }

  static func recognises(_ head: UnsafeBufferPointer<UInt8>) throws -> Bool {
    try recognises(head, by: Dialects.installedSummaries())
  }

  /// Whether the first value, or a value on one of the first lines, is a summary of one of the forms.
  static func recognises(_ head: UnsafeBufferPointer<UInt8>, by forms: SummaryForms) -> Bool {
    FormReader.recognises(head, by: forms)
  }

  /// Reads the source to its end. Throws `SourceError`, and any error of the source or the sink.
  mutating func read(_ source: any ByteSource) throws { try reader.read(source) }
}

/// Reads tables, and documents of JSON, by forms.
private struct FormReader {
  private let sink: any RecordSink
  private let options: ReaderOptions
  private let forms: SummaryForms
  private let unknown: String
  /// Members that hold documents.
  private var within: Set<String>
  private var figures: FigureRecords
  /// Documents that name their call, until all are read.
  private var sorted: RowsByCall?
  private var documents = 0
  private var summaries: SummaryRecords

  /// How much of a source its form is found by.
  private static let bytesTried = 64 << 10
  private static let linesTried = 20
  /// The deepest level of lists and members around documents.
  private static let deepest = 4

  init(
    sink: any RecordSink, forms: SummaryForms, codes: CodeTable, options: ReaderOptions, unknown: String
  ) {
    (self.sink, self.options, self.forms, self.unknown) = (sink, options, forms, unknown)
    within = forms.within
    figures = FigureRecords(sink: sink, codes: codes, options: options)
    summaries = SummaryRecords(sink: sink, codes: codes, options: options)
  }

  // MARK: Recognition

  /// Whether the first bytes are of one of the forms.
  static func recognises(_ head: UnsafeBufferPointer<UInt8>, by forms: SummaryForms) -> Bool {
    let head = UnsafeBufferPointer(rebasing: head.prefix(bytesTried))
    guard JSONTree.mayBegin(head) else { return TableHead(head, forms.all) != nil }
    let marked = forms.marked(in: head)
    guard !marked.isEmpty else { return false }
    func isOfForm(_ tree: JSONTree, depth: Int = 0) -> Bool {
      if form(of: tree, marked) != nil { return true }
      return depth < deepest && inner(tree, forms.within).contains { isOfForm($0, depth: depth + 1) }
    }
    if isOfForm(.beginning(of: head)) { return true }
    return ByteSearch.lines(in: head, most: linesTried).contains { line in
      isOfForm(.beginning(of: UnsafeBufferPointer(rebasing: head[line])))
    }
  }

  /// What a value may hold documents in: a list's elements, and members that a form names.
  private static func inner(_ tree: JSONTree, _ within: Set<String>) -> [JSONTree] {
    switch tree {
    case .array(let elements): elements
    case .object(let members): members.filter { within.contains(SummaryTree.normal($0.name)) }.map(\.value)
    case .leaf, .null: []
    }
  }

  /// The form of a document: of a summary by itself, else by itself or its rows.
  private static func form(of tree: JSONTree, _ forms: [SummaryForm]) -> SummaryForm? {
    guard case .object = tree else { return nil }
    let root = TreeRow(chain: [tree], name: "", list: "")
    return forms.first { form in
      guard let layout = form.layout else { return form.matches(SummaryTree(tree)) }
      if layout.matches(root) { return true }
      return layout.rows.contains { path in
        var isFound = false
        path.forEachRow(of: tree) { row in if !isFound { isFound = layout.matches(row) } }
        return isFound
      }
    }
  }

  // MARK: Reading

  mutating func read(_ source: any ByteSource) throws {
    let source = source as? HeadedSource ?? HeadedSource(source)
    var failure: (any Error)?
    do {
      if !source.head.withUnsafeBufferPointer(JSONTree.mayBegin) {
        try readTable(source)
      } else if source.head.withUnsafeBufferPointer(JSONTree.hasLines) {
        try readLines(source)
      } else {
        try readDocument(source)
      }
    } catch let error as JSONError {
      failure = SourceError(.notJSON, "\(error.reason); what comes before it was read", byte: error.byte)
    } catch let error where Self.endsSource(error) {
      failure = error
    }
    try takeSortedDocuments()
    try figures.finish()
    try summaries.finish()
    if let failure { throw failure }
  }

  /// Whether an error ends a source, of which what was read before is taken; others end the import.
  private static func endsSource(_ error: any Error) -> Bool { error is BytesError || error is SourceError }

  private mutating func readTable(_ source: HeadedSource) throws {
    guard
      let head = source.head.withUnsafeBufferPointer({
        TableHead(UnsafeBufferPointer(rebasing: $0.prefix(Self.bytesTried)), forms.all)
      })
    else { throw SourceError(.notAFormat, unknown) }
    for name in Set(head.columns.twice).sorted() {
      try sink.note("two columns have the name \(name.prefix(60)): the first counts")
    }
    // The reader of rows is called back by C, and cannot borrow.
    var (records, leftOut) = (figures, 0)
    defer { figures = records }
    let sink = sink
    let sorted = head.layout.call == nil ? nil : try RowsByCall(sink: sink)
    func take(_ cells: CSVRow) throws {
      let row = TableRow(columns: head.columns, cells: cells)
      try records.takeCall(row, head.form, head.layout, line: cells.number)
      try Self.take(row, head.form, head.layout, line: cells.number, &records)
    }
    var failure: (any Error)?
    do {
      try CSVReader.forEachRow(of: source, separator: head.separator) { row in
        guard row.number > head.rowsAbove else { return true }
        leftOut = max(leftOut, row.leftOut)
        let cells = TableRow(columns: head.columns, cells: row)
        if row.count < head.columns.names.count / 2 {
          try sink.reject(
            Reject("a row with too few cells, or a quotation mark that is not closed", line: row.number))
        } else if let sorted, let call = records.call(of: cells, head.layout) {
          let clockMs = records.clockMs(head.form)
          records.passTime(of: cells, head.form, head.layout)
          try sorted.add(
            .init(number: row.number, line: row.number, clockMs: clockMs, bytes: row.packed), of: call)
        } else {
          try take(row)
        }
        return true
      }
    } catch let error where Self.endsSource(error) {
      failure = error
    }
    try sorted?.forEach { row, isNewCall in
      if isNewCall { try records.settle() }
      records.setClock(row.clockMs, head.form, head.layout)
      try take(CSVRow(packed: row.bytes, number: row.number))
    }
    if let failure { throw failure }
    if leftOut > 0 { try sink.reject(.beyond(CSVRow.mostCells, "columns of a table", count: leftOut)) }
  }

  private static func take(
    _ row: some FigureRow, _ form: SummaryForm, _ layout: FigureLayout, line: Int?,
    _ records: inout FigureRecords
  ) throws {
    guard let long = layout.long else { return try records.take(row, form, layout, line: line) }
    try records.take(LongRow(row: row, long: long), form, layout, line: line)
  }

  private mutating func readLines(_ source: any ByteSource) throws {
    try LineReader.each(of: source, longest: options.longestLine, for: sink) { bytes, number, offset in
      if bytes.allSatisfy({ $0 <= UInt8(ascii: " ") }) { return }
      do {
        try takeDocument(bytes, line: number)
      } catch let error as JSONError {
        try sink.reject(
          Reject("not JSON: \(error.reason): the line is left out", line: number, byte: offset + error.byte))
      }
    }
  }

  private mutating func readDocument(_ source: HeadedSource) throws {
    let top = source.head.withUnsafeBufferPointer {
      JSONTree.beginning(of: UnsafeBufferPointer(rebasing: $0.prefix(Self.bytesTried)))
    }
    // A form of the document as a whole knows which lists in it are rows.
    if let form = Self.form(of: top, forms.all) { within = form.within }
    let json = JSONStream(source, longestValue: options.longestValue)
    while try !json.isAtEnd() {
      switch try json.peek() {
      case .array: try readList(json)
      case .object: try readObject(json)
      default: try take(JSONTree(json.value()), line: nil)
      }
    }
  }

  private mutating func readList(_ json: JSONStream) throws {
    try json.beginArray()
    while try json.nextElement() { try takeDocument(json.value(), line: nil, depth: 1) }
  }

  /// Reads a page of a list document by document, so that one that is cut off does not lose the page; anything else is
  /// read as a whole.
  private mutating func readObject(_ json: JSONStream) throws {
    var rest = ByteWriter()
    var hasList = false
    try json.beginObject()
    while let key = try json.nextKey() {
      let name = String(decoding: key, as: UTF8.self)
      if within.contains(SummaryTree.normal(name)), try json.peek() == .array {
        hasList = true
        try readList(json)
        continue
      }
      rest.append(rest.bytes.isEmpty ? "{" : ",")
      rest.append(json: name)
      rest.append(":")
      rest.append(bytes: try json.value())
      guard rest.bytes.count <= options.longestValue else {
        throw BytesError(
          .tooLarge,
          "a document is longer than \(options.longestValue) bytes; --raise value=SIZE takes longer ones",
          byte: json.offset)
      }
    }
    if hasList { return }
    rest.append(rest.bytes.isEmpty ? "{}" : "}")
    try take(rest.bytes.withUnsafeBufferPointer { bytes throws(JSONError) in try JSONTree(bytes) }, line: nil)
  }

  /// Takes a document, at once or, if it names its call, with the others of that call.
  private mutating func takeDocument(_ bytes: UnsafeBufferPointer<UInt8>, line: Int?, depth: Int = 0) throws {
    let tree = try JSONTree(bytes)
    guard let form = Self.form(of: tree, forms.all), let layout = form.layout,
      let call = figures.call(of: TreeRow(chain: [tree], name: "", list: ""), layout), layout.call != nil
    else { return try take(tree, line: line, depth: depth) }
    documents += 1
    if sorted == nil { sorted = try RowsByCall(sink: sink) }
    let row = RowsByCall.Row(number: documents, line: line, bytes: Array(bytes))
    try sorted?.add(row, of: call)
  }

  private mutating func takeSortedDocuments() throws {
    try sorted?.forEach { row, isNewCall in
      if isNewCall { try figures.settle() }
      try row.bytes.withUnsafeBufferPointer { try take(JSONTree($0), line: row.line) }
    }
    sorted = nil
  }

  /// Takes a document, or what holds documents.
  private mutating func take(_ tree: JSONTree, line: Int?, depth: Int = 0) throws {
    if let form = Self.form(of: tree, forms.all) { return try take(tree, form, line: line) }
    let inner = depth < Self.deepest ? Self.inner(tree, within) : []
    guard !inner.isEmpty else { return try sink.reject(Reject(unknown, line: line)) }
    for tree in inner { try take(tree, line: line, depth: depth + 1) }
  }

  private mutating func take(_ tree: JSONTree, _ form: SummaryForm, line: Int?) throws {
    guard let layout = form.layout else { return try summaries.take(SummaryTree(tree), form, line: line) }
    let root = TreeRow(chain: [tree], name: "", list: "")
    try figures.takeCall(root, form, layout, line: line)
    for path in layout.rows.isEmpty ? [RowPath("")] : layout.rows {
      try path.forEachRow(of: tree) { row in
        for row in layout.isSeries ? row.elements : [row] {
          try Self.take(row, form, layout, line: line, &figures)
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
