import Bytes
import CallModel
import IO
import Redaction

extension SourceFormat {
  public static let qualityReport = SourceFormat(rawValue: "vq-rtcpxr")
}

/// Reads files of quality reports (RFC 6035, `application/vq-rtcpxr`) as phones send them: one after the
/// other, with or without the surrounding SIP message.
struct QualityReportReader: LogReader {
  static let description = FormatDescription(
    .qualityReport, .lines,
    summary: "quality reports of telephones (RFC 6035), with or without the SIP message around them",
    recognisedBy: "a line VQSessionReport, VQIntervalReport or VQAlertReport",
    example: "VQSessionReport: CallTerm")

  private let sink: any RecordSink
  private let options: ReaderOptions
  private let redactor = Redactor()
  private var text = ""
  private var firstLine = 0
  private var connections: [String: Int] = [:]
  private var impossible = 0

  /// The number of lines searched for the start of a report.
  private static let linesTried = 60

  init(sink: any RecordSink, options: ReaderOptions) {
    (self.sink, self.options) = (sink, options)
  }

  /// The maximum number of lines that a trace (sngrep, ngrep, a switch's console) puts in front of the
  /// message for its time and addresses.
  private static let headLines = 3

  /// Whether the first lines are a report, or a SIP message that carries one.
  static func recognises(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    let bytes = UnsafeBufferPointer(rebasing: head.prefix(16 << 10))
    var isMessage = false
    for (place, line) in ByteSearch.lines(in: bytes, most: linesTried).enumerated() {
      let line = UnsafeBufferPointer(rebasing: bytes[line])
      if begins(line) { return isMessage || place == 0 }
      if place <= headLines { isMessage = isMessage || isSIP(line) }
      if place == headLines, !isMessage { return false }
    }
    return false
  }

  private static func begins(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    QualityReport.kinds.contains { kind in
      line.count >= kind.utf8.count && line.prefix(kind.utf8.count).elementsEqual(kind.utf8)
        && line.dropFirst(kind.utf8.count).first { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: ":")
    }
  }

  private static func isSIP(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
    let text = String(decoding: line.prefix(400), as: UTF8.self)
    return (text.hasPrefix("PUBLISH ") || text.hasPrefix("NOTIFY ")) && text.contains("SIP/2.0")
  }

  /// Reads the source to its end. Throws any error of the source or the sink.
  mutating func read(_ source: any ByteSource) throws {
    var reports = 0
    try LineReader.each(of: source, longest: options.longestLine, for: sink) { bytes, number, offset in
      if Self.begins(bytes) {
        try finish()
        reports += 1
        firstLine = number
        text = ""
      }
      if reports > 0, text.utf8.count + bytes.count < QualityReport.longest {
        text += String(decoding: bytes, as: UTF8.self) + "\n"
      }
    }
    try finish()
    if impossible > 0 { try sink.note("figures of quality reports out of range, left out: \(impossible)") }
  }

  private mutating func finish() throws {
    guard !text.isEmpty else { return }
    defer { text = "" }
    // Before it is taken apart: of a codec only letters and digits are kept.
    let report = QualityReport.reports(in: redactor.text(text)).first
    impossible += report?.impossible ?? 0
    guard let report, !report.received.isEmpty || !report.sent.isEmpty
    else {
      return try sink.reject(Reject("a quality report without any figure", line: firstLine))
    }
    let connection = try self.connection(of: report)
    for event in Self.events(of: report, line: firstLine) { try sink.event(event, of: connection) }
  }

  private mutating func connection(of report: QualityReport) throws -> Int {
    let key = "\(report.callID ?? "line \(firstLine)") \(report.local ?? report.localAddress ?? "")"
    if let known = connections[key] { return known }
    let connection = connections.count
    connections[key] = connection
    var facts = ConnectionFacts()
    facts.call = report.callID
    facts.sdk = "sip"
    facts.person = report.local.map { redactor.text($0) }
    facts.name = facts.person
    facts.direction = report.isOfCaller.map { $0 ? .outgoing : .incoming }
    if let id = report.callID { facts.identities.insert(Identity(.sip, id)) }
    for person in [facts.person, report.remote.map { redactor.text($0) }].compactMap({ $0 }) {
      facts.identities.insert(Identity(.person, person))
    }
    if let ssrc = report.remoteSSRC { facts.identities.insert(Identity(.ssrcIn, String(ssrc))) }
    if let ssrc = report.localSSRC { facts.identities.insert(Identity(.ssrcOut, String(ssrc))) }
    if let address = report.localAddress { facts.identities.insert(Identity(.addressLocal, address)) }
    if let address = report.remoteAddress { facts.identities.insert(Identity(.addressRemote, address)) }
    try sink.connection(connection, facts)
    return connection
  }

  /// The events of a report: its figures, and for the report of a whole call, its start and end.
  private static func events(of report: QualityReport, line: Int) -> [EventRecord] {
    let (start, stop) = report.dates
    var events: [EventRecord] = []
    if report.isOfSession, let start {
      events.append(EventRecord(timeMs: start, event: .callEstablished, raw: report.raw, line: line))
    }
    for isSent in [false, true] {
      let members = report.arguments(isSent: isSent)
      guard !members.isEmpty else { continue }
      var args = ByteWriter()
      args.append("{\"by\":\"vq-rtcpxr\",\"of\":\"\(isSent ? "sent" : "received")\"")
      for member in members {
        args.append(",")
        args.append(json: member.name)
        args.append(":")
        if Double(member.value) != nil { args.append(member.value) } else { args.append(json: member.value) }
      }
      args.append("}")
      events.append(
        EventRecord(
          timeMs: stop ?? start, event: .mediaQualityReported, raw: report.raw, args: args.string,
          line: line))
    }
    if report.isOfEnd, let stop {
      events.append(EventRecord(timeMs: stop, event: .callEnded, raw: report.raw, line: line))
    }
    return events
  }
}
