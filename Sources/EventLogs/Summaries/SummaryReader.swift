import Bytes
import CallModel
import IO

extension SourceFormat {
  public static let callSummary = SourceFormat(rawValue: "call-summary")
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

  private let sink: any RecordSink
  private let options: ReaderOptions
  private let forms: [SummaryForm]
  private var records: SummaryRecords

  /// The maximum depth of a summary in what surrounds it: a page of a list, an event, its data.
  private static let deepest = 4
  /// The number of lines examined until one is a summary, and the maximum size of each source in bytes.
  private static let linesTried = 20
  private static let bytesTried = 64 << 10

  init(sink: any RecordSink, options: ReaderOptions) throws {
    self.init(sink: sink, dialects: try Dialects.installed(), options: options)
  }

  init(sink: any RecordSink, dialects: Dialects, options: ReaderOptions) {
    (self.sink, self.options, forms) = (sink, options, dialects.summaries)
    records = SummaryRecords(sink: sink, codes: dialects.codes, options: options)
  }

  // MARK: Recognition

  static func recognises(_ head: UnsafeBufferPointer<UInt8>) throws -> Bool {
    try mayBeJSON(head) && recognises(head, by: Dialects.installedSummaries())
  }

  private static func mayBeJSON(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    let first = head.first { $0 > 0x20 && $0 < 0x80 }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// Whether the first value, or a value on one of the first lines, is a summary of one of the forms.
  static func recognises(_ head: UnsafeBufferPointer<UInt8>, by forms: [SummaryForm]) -> Bool {
    guard mayBeJSON(head) else { return false }
    let bytes = UnsafeBufferPointer(rebasing: head.prefix(bytesTried))
    // Files without any of the names are rejected in one pass.
    let forms = forms.filter { form in
      form.marks.contains { ByteSearch.find($0, in: bytes) != nil }
    }
    guard !forms.isEmpty else { return false }
    if isSummary(in: bytes, forms) { return true }
    return ByteSearch.lines(in: bytes, most: linesTried).dropFirst().contains { line in
      isSummary(in: UnsafeBufferPointer(rebasing: bytes[line]), forms)
    }
  }

  /// Whether a value that may be truncated is a summary, or has one as its first content.
  private static func isSummary(in bytes: UnsafeBufferPointer<UInt8>, _ forms: [SummaryForm]) -> Bool {
    let within = forms.reduce(into: Set()) { $0.formUnion($1.within) }
    var scanner = JSONScanner(bytes)
    for _ in 0..<deepest {
      guard let kind = try? scanner.peek() else { return false }
      if kind == .array {
        guard (try? scanner.beginArray()) != nil, (try? scanner.nextElement()) == true else { return false }
        continue
      }
      guard kind == .object else { return false }
      let tree = SummaryTree.beginning(of: UnsafeBufferPointer(rebasing: bytes[scanner.position...]))
      if forms.contains(where: { $0.matches(tree) }) { return true }
      guard (try? scanner.beginObject()) != nil, enter(&scanner, within) else { return false }
    }
    return false
  }

  /// Moves on to the member that may hold summaries.
  private static func enter(_ scanner: inout JSONScanner, _ within: Set<String>) -> Bool {
    while let key = try? scanner.nextKey() {
      if within.contains(SummaryTree.normal(key.string)), let kind = try? scanner.peek(),
        kind == .array || kind == .object
      {
        return true
      }
      guard (try? scanner.skip()) != nil else { return false }
    }
    return false
  }

  // MARK: Reading

  /// Reads the source to its end. Throws `SourceError`, and any error of the source or the sink.
  mutating func read(_ source: any ByteSource) throws {
    let source = source as? HeadedSource ?? HeadedSource(source)
    var failure: (any Error)?
    do {
      if source.head.withUnsafeBufferPointer(hasLines) {
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

  /// Whether each line is a separate value, because one of the first is a complete summary.
  private func hasLines(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    ByteSearch.lines(in: head, most: Self.linesTried).contains { range in
      let line = UnsafeBufferPointer(rebasing: head[range])
      // A line that makes up the whole file can be read as a document.
      guard range.upperBound < head.count, line.contains(UInt8(ascii: "{")), isWhole(line) else {
        return false
      }
      return Self.isSummary(in: line, forms)
    }
  }

  private func isWhole(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    var scanner = JSONScanner(line)
    return (try? scanner.skip()) != nil && (try? scanner.finish()) != nil
  }

  private mutating func readLines(_ source: any ByteSource) throws {
    var lines = LineReader(source, longestLine: options.longestLine)
    while try lines.next({ bytes, number, offset in
      if bytes.allSatisfy({ $0 <= UInt8(ascii: " ") }) { return }
      do {
        try take(bytes, line: number, depth: 0)
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
      switch try json.peek() {
      case .array: try readList(json)
      case .object: try readObject(json)
      default:
        _ = try json.value()
        try sink.reject(Reject(SummaryRecords.unknown, byte: json.offset))
      }
    }
  }

  private mutating func readList(_ json: JSONStream) throws {
    try json.beginArray()
    while try json.nextElement() { try take(json.value(), line: nil, depth: 1) }
  }

  /// Reads a page of a list summary by summary, so that one truncated summary does not lose the page;
  /// anything else is read as a whole.
  private mutating func readObject(_ json: JSONStream) throws {
    let within = forms.reduce(into: Set()) { $0.formUnion($1.within) }
    var rest = ByteWriter()
    var hasList = false
    try json.beginObject()
    while let key = try json.nextKey() {
      if within.contains(SummaryTree.normal(String(decoding: key, as: UTF8.self))), try json.peek() == .array
      {
        hasList = true
        try readList(json)
        continue
      }
      rest.append(rest.bytes.isEmpty ? "{" : ",")
      rest.append(json: String(decoding: key, as: UTF8.self))
      rest.append(":")
      rest.append(bytes: try json.value())
      guard rest.bytes.count <= options.longestValue else {
        throw BytesError(
          .tooLarge,
          "a summary is longer than \(options.longestValue) bytes; --raise value=SIZE takes longer ones",
          byte: json.offset)
      }
    }
    if hasList { return }
    rest.append(rest.bytes.isEmpty ? "{}" : "}")
    try rest.bytes.withUnsafeBufferPointer { try take($0, line: nil, depth: 0) }
  }

  /// Takes a value: a summary, or something that holds summaries.
  private mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, line: Int?, depth: Int) throws {
    var scanner = JSONScanner(bytes)
    let kind = try scanner.peek()
    if kind == .array, depth < Self.deepest {
      try scanner.beginArray()
      while try scanner.nextElement() { try take(scanner.skip(), line: line, depth: depth + 1) }
      return try scanner.finish()
    }
    guard kind == .object else {
      try scanner.skip()
      try scanner.finish()
      return try sink.reject(Reject(SummaryRecords.unknown, line: line))
    }
    let tree = try SummaryTree(bytes)
    if let form = forms.first(where: { $0.matches(tree) }) {
      return try records.take(tree, form, line: line)
    }
    var held = false
    try scanner.beginObject()
    while depth < Self.deepest, let key = try scanner.nextKey() {
      let holds = forms.contains { $0.within.contains(SummaryTree.normal(key.string)) }
      let kind = try scanner.peek()
      let value = try scanner.skip()
      guard holds, kind == .object || kind == .array else { continue }
      held = true
      try take(value, line: line, depth: depth + 1)
    }
    if !held { try sink.reject(Reject(SummaryRecords.unknown, line: line)) }
  }
}
