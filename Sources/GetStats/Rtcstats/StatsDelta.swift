import Bytes

/// Reads the `getStats` values of rtcstats dumps: full ones, and deltas in three dialects.
///
/// The older dialects are not marked in the file, and are distinguished by evidence: the dense one (Jitsi) writes every
/// live report, if only as `{"timestamp":0}`, so absent reports are gone; the sparse one (fippo) leaves out unchanged
/// reports.
struct StatsDelta {
  /// The delta format of a file.
  enum Family {
    /// rtcstats 0 and 2, Jitsi: `timestamp`, 0 for the common one.
    case older
    /// rtcstats 3: `t`, `null` for deleted members; anything not mentioned is unchanged.
    case v3
  }

  let family: Family
  /// Whether a report without changes was found: then the file is dense.
  private(set) var isDense = false

  init(_ family: Family) { self.family = family }

  /// The structure of a value, before its reports are read.
  private struct Outline {
    var commonMs = Double.nan
    /// Reports have their own ids only in full values.
    var isFull = false
    var hasEmpty = false
    /// Mobile SDKs wrap the reports: `{values, timestamp}`.
    var wrapped: UnsafeBufferPointer<UInt8>?
  }

  /// Reads a value into a snapshot of the connection.
  mutating func read(
    _ value: UnsafeBufferPointer<UInt8>, timeMs: Double?, line: Int?, into connection: PeerConnection,
    isInner: Bool = false
  ) throws {
    var scanner = JSONScanner(value)
    guard try scanner.peek() == .object else {
      connection.beginSnapshot(pollMs: timeMs ?? .nan, line: line)
      try SnapshotShapes.read(&scanner, into: connection)
      try connection.endSnapshot()
      return
    }
    let survey = try survey(value)
    if let inner = survey.wrapped, !isInner {
      return try read(
        inner, timeMs: survey.commonMs.isNaN ? timeMs : survey.commonMs, line: line, into: connection,
        isInner: true)
    }
    if survey.hasEmpty, family == .older { isDense = true }
    connection.beginSnapshot(pollMs: survey.commonMs.isNaN ? timeMs ?? .nan : survey.commonMs, line: line)
    if survey.isFull {
      try SnapshotShapes.read(&scanner, into: connection)
    } else {
      connection.context.parser.isDelta = true
      defer { connection.context.parser.isDelta = false }
      try reports(&scanner, connection)
      if !(family == .older && isDense) { connection.keepUnmentioned() }
    }
    try connection.endSnapshot()
  }

  private func survey(_ value: UnsafeBufferPointer<UInt8>) throws(JSONError) -> Outline {
    var survey = Outline()
    var members = 0
    var scanner = JSONScanner(value)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      members += 1
      let kind = try scanner.peek()
      if key == "timestamp" || key == "t" {
        survey.commonMs = try ReportTime.read(&scanner) ?? survey.commonMs
        continue
      }
      let start = scanner
      let bytes = try scanner.skip()
      guard kind == .object else { continue }
      if key == "values" { survey.wrapped = bytes }
      try look(start, &survey)
    }
    if members > 2 { survey.wrapped = nil }
    return survey
  }

  private func look(_ place: JSONScanner, _ survey: inout Outline) throws(JSONError) {
    var scanner = place
    var isEmpty = true
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      if key == "id" { survey.isFull = true }
      if key != "timestamp" && key != "t" { isEmpty = false }
      if !isEmpty, survey.isFull || key != "id" { return }
      try scanner.skip()
    }
    if isEmpty { survey.hasEmpty = true }
  }

  private func reports(_ scanner: inout JSONScanner, _ connection: PeerConnection) throws {
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      let kind = try scanner.peek()
      if kind == .null { try remove(key, connection) }
      guard kind == .object else {
        try scanner.skip()
        continue
      }
      try key.decoded().withUnsafeBufferPointer { try report($0, &scanner, connection) }
    }
  }

  private func report(
    _ id: UnsafeBufferPointer<UInt8>, _ scanner: inout JSONScanner, _ connection: PeerConnection
  ) throws {
    let known = connection.known(id)
    // A deleted report that is written again is another one with the same id.
    if let known, !connection.wasPresent(known) { known.forget() }
    known?.isGone = false
    try connection.parse(&scanner, id: id)
    guard let report = connection.known(id) else { return }
    let commonMs = connection.pollMs
    switch family {
    case .v3 where !report.hasOwnTime: report.timeMs = commonMs
    case .older where report.hasOwnTime && !report.hasTimeOfItsOwn: report.timeMs = commonMs
    default: break
    }
  }

  private func remove(_ key: JSONText, _ connection: PeerConnection) throws {
    key.decoded().withUnsafeBufferPointer { connection.known($0)?.isGone = true }
  }
}
