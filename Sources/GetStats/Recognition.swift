import Bytes
import CallModel

/// Recognises formats by their first bytes.
enum Recognition {
  /// The format; nil if it is none of this module's. Throws `SourceError` for formats that are recognised but not read.
  static func format(of start: UnsafeBufferPointer<UInt8>, name: String) throws -> SourceFormat? {
    if starts(start, "RTCStatsDump\n") || starts(start, "RTCStatsDump\r\n") { return .rtcstatsV3 }
    let head = afterEmptyPolls(start)
    var scanner = JSONScanner(head)
    // The head may be cut off anywhere: what was found before decides.
    switch try? scanner.peek() {
    case .object: return try ofObject(head, name)
    case .array: return ofArray(head)
    default: return ReportTable.isTable(head) ? .getstatsLines : isGoogText(head) ? .googText : nil
    }
  }

  /// Skips polls from before there was media, `[]` or `{}`, which do not show the format.
  private static func afterEmptyPolls(_ head: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    var scanner = JSONScanner(head)
    while (try? scanner.peek()) != nil, (try? SnapshotShapes.isEmpty(scanner)) == true {
      guard (try? scanner.skip()) != nil else { break }
    }
    return UnsafeBufferPointer(rebasing: head[scanner.position...])
  }

  /// Printed goog-* statistics: the head of an entry, with a type that only they have.
  private static func isGoogText(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    guard !head.contains(0) else { return false }
    var entries = GoogTextEntries()
    let words = [
      "googTrack", "googLibjingleSession", "googComponent", "googCandidatePair", "ssrc", "VideoBwe",
      "localcandidate", "remotecandidate", "googCertificate",
    ]
    for line in String(decoding: head, as: UTF8.self).split(whereSeparator: \.isNewline) {
      if entries.take(String(line), 0).ended.contains(where: { words.contains($0.type) }) { return true }
    }
    return entries.finish().map { words.contains($0.type) } ?? false
  }

  private static func starts(_ head: UnsafeBufferPointer<UInt8>, _ word: StaticString) -> Bool {
    head.count >= word.utf8CodeUnitCount
      && (0..<word.utf8CodeUnitCount).allSatisfy { head[$0] == word.utf8Start[$0] }
  }

  /// Members of the outermost object, up to the end of the head.
  private struct HeadMembers {
    var names: Set<String> = []
    var internals = false
    var internalsEmpty = false
    var rtcstatsV0 = false
    var fileFormat: Double?
    var getUserMedia = false
    var wrapper = false
    /// Whether it has a time beside reports by id: one snapshot per line.
    var time = false
    var reportsById = false
    var reports = false
    /// Whether the object itself is a report.
    var isReport = false
    var closed = false
    /// End of the object.
    var end = 0
  }

  private static func ofObject(
    _ head: UnsafeBufferPointer<UInt8>, _ name: String, tries: Int = 20
  ) throws -> SourceFormat? {
    var seen = HeadMembers()
    // Offset of a cut or an error: the reader will report which.
    var broken: Int?
    do { try collect(head, &seen) } catch let error as JSONError { broken = error.byte } catch {}
    try refuseByName(seen.names)
    if seen.rtcstatsV0 && (!seen.internals || seen.internalsEmpty) { return .rtcstatsV0 }
    if seen.internals { return .webrtcInternals }
    if let version = seen.fileFormat { return version >= 3 ? .rtcstatsV3 : .rtcstatsV2 }
    if seen.getUserMedia { return .webrtcInternals }
    if let broken, let format = try ofLinesBehind(head, broken, name, tries) { return format }
    if seen.wrapper { return isLine(head, seen, name) ? .getstatsLines : .getstatsJSON }
    if seen.isReport && isLine(head, seen, name) { return .getstatsLines }
    if seen.reports || !seen.closed && cutReport(head) { return .getstatsJSON }
    return nil
  }

  /// The format of lines whose first one is not valid JSON, such as one with NaN.
  private static func ofLinesBehind(
    _ head: UnsafeBufferPointer<UInt8>, _ broken: Int, _ name: String, _ tries: Int
  ) throws -> SourceFormat? {
    guard tries > 0, let end = head.firstIndex(of: UInt8(ascii: "\n")), broken <= end else { return nil }
    let rest = UnsafeBufferPointer(rebasing: head[(end + 1)...])
    guard rest.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "{"),
      try ofObject(rest, name, tries: tries - 1) == .getstatsLines
    else { return nil }
    return .getstatsLines
  }

  private static func collect(_ head: UnsafeBufferPointer<UInt8>, _ seen: inout HeadMembers) throws {
    var scanner = JSONScanner(head)
    var type: JSONText?
    var id: JSONText?
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let name = key.string
      seen.names.insert(name)
      let kind = try scanner.peek()
      var ahead = scanner
      switch name {
      case "PeerConnections" where kind == .object:
        seen.internals = true
        try ahead.beginObject()
        seen.internalsEmpty = try ahead.nextKey() == nil
      case "peerConnections":
        if kind == .object, !isOfReports(scanner) { seen.rtcstatsV0 = true } else { seen.wrapper = true }
      case "fileFormat" where kind == .number: seen.fileFormat = try ahead.number()
      case "getUserMedia" where kind == .array: seen.getUserMedia = true
      case "report", "reports", "stats", "getStats":
        if kind == .object || kind == .array { seen.wrapper = true }
        if kind == .object { seen.reportsById = true }
        if kind == .string, QuotedReports.json(try ahead.string()) != nil { seen.wrapper = true }
      case "ts", "t", "time", "timestamp", "timestamp_us", "timestampUs": seen.time = true
      case "type" where kind == .string: type = try ahead.string()
      case "id" where kind == .string: id = try ahead.string()
      default: break
      }
      if !seen.wrapper, !seen.reports, kind == .object || kind == .array {
        seen.reports = (try? ReportSearch.holdsReport(scanner)) ?? false
        // A report under its id belongs to a file; a wrapped one may be on a line.
        seen.wrapper = try seen.reports && ReportMarks(of: scanner)?.isReport != true
      }
      try scanner.skip()
    }
    seen.closed = true
    seen.end = scanner.position
    if let type, let id { seen.isReport = seen.time && ReportType.names(type, id: id) }
  }

  /// Whether the connections that follow hold reports, rather than events of rtcstats: `{time, type, value}`.
  private static func isOfReports(_ place: JSONScanner) -> Bool {
    var scanner = place
    do {
      try scanner.beginObject()
      guard try scanner.nextKey() != nil else { return false }
      guard try scanner.peek() == .array else { return try scanner.peek() == .object }
      try scanner.beginArray()
      guard try scanner.nextElement() else { return false }
      guard let marks = try ReportMarks(of: scanner) else { return try scanner.peek() == .array }
      return marks.type == nil || marks.isReport
    } catch {
      return false
    }
  }

  private static func ofArray(_ head: UnsafeBufferPointer<UInt8>) -> SourceFormat? {
    var scanner = JSONScanner(head)
    do {
      try scanner.beginArray()
      guard try scanner.nextElement() else { return nil }
      switch try scanner.peek() {
      case .string:
        // [method, connection or null, argument, time]: rtcstats without a header line, as written by Jitsi's clients.
        _ = try scanner.string()
        guard try scanner.nextElement() else { return nil }
        let kind = try scanner.peek()
        return kind == .null || kind == .string ? .jitsiRtcstats : nil
      case .object, .array: return try ReportSearch.holdsReport(JSONScanner(head)) ? .getstatsJSON : nil
      default: return nil
      }
    } catch {
      return cutReport(head) ? .getstatsJSON : nil
    }
  }

  /// A first report or snapshot longer than the head still contains the names of reports.
  private static func cutReport(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    guard head.count >= 4096, beginsAsJSON(head) else { return false }
    let text = String(decoding: head, as: UTF8.self)
    return [
      "inbound-rtp\"", "outbound-rtp\"", "candidate-pair\"", "\"googTrack\"", "\"ssrc\"", "\"certificate\"",
    ]
    .contains { text.contains($0) } && text.contains("\"timestamp\"")
  }

  /// Whether it begins with a name or value, whatever follows: log lines may begin with a bracket too (`[INFO] …`).
  private static func beginsAsJSON(_ head: UnsafeBufferPointer<UInt8>) -> Bool {
    var scanner = JSONScanner(head)
    do {
      try scanner.skip()
      return true
    } catch {
      return head.prefix(error.byte).contains {
        (0x21..<0x80).contains($0) && $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "{")
      }
    }
  }

  /// Whether the object is on one line, at the end of the head or before another line. An object longer than the head
  /// is a line if the file's name says so, or if it is a snapshot with a time.
  private static func isLine(_ head: UnsafeBufferPointer<UInt8>, _ seen: HeadMembers, _ name: String) -> Bool
  {
    if seen.closed { return !head[..<seen.end].contains(UInt8(ascii: "\n")) }
    return !head.contains(UInt8(ascii: "\n"))
      && (SourceFormat.isNamedLines(name) || seen.time && seen.reportsById)
  }

  private static func refuseByName(_ names: Set<String>) throws {
    if names.contains("statsSessionId") {
      throw SourceError(
        .unsupported,
        "a log of Jitsi's own servers (jvb, jicofo or jigasi): import what the clients sent to rtcstats instead"
      )
    }
    if names.contains("schemaVersion"), names.contains("messages") {
      throw SourceError(
        .unsupported,
        "an ObserveRTC ClientSample stream: import the getStats snapshots it was made from instead")
    }
  }
}
