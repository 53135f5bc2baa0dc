import Bytes

/// A report that came alone: on a line or in a wrapping of its own.
struct ReportRow {
  var id: [UInt8]
  var report: [UInt8]
  /// When it was made, ms since the epoch; NaN where it does not say so.
  var ownMs = Double.nan
  /// When it was polled or logged, by what stands beside it; NaN where nothing does.
  var pollMs: Double
  var line: Int?
  /// Whether its own time is that of an RTCP packet from the far end.
  var isOfFarEnd = false

  /// Packets it counts, NaN where it counts none.
  var count = Double.nan
  /// What is added to its times to have it at its place, where a clock was set back before.
  var shiftMs = 0.0

  /// When the poll was that it is of, as far as it says so itself.
  var instantMs: Double { isOfFarEnd ? .nan : (ownMs.isNaN ? pollMs : ownMs) + shiftMs }
  /// When it was made, and when it was polled, in the order of the rows.
  var placedOwnMs: Double { ownMs + shiftMs }
  var placedPollMs: Double { pollMs + shiftMs }

  /// What it takes of memory, about.
  var size: Int { report.count + id.count + 128 }

  /// Nil where neither it nor what stands beside it tells a time of the epoch: then only its place tells its poll. Nor is one
  /// without an id, which others of its poll may lack too.
  init?(_ report: UnsafeBufferPointer<UInt8>, id: [UInt8], pollMs: Double, line: Int?) throws(JSONError) {
    guard !id.isEmpty else { return nil }
    self.id = id
    self.report = Array(report)
    self.pollMs = ReportTime.isEpoch(pollMs) ? pollMs : .nan
    self.line = line
    var scanner = JSONScanner(report)
    try scanner.beginObject()
    while let key = try scanner.nextKey() {
      switch key {
      case "type" where try scanner.peek() == .string:
        let name = try scanner.string().bytes
        let type = id.withUnsafeBufferPointer { ReportType(name: name, id: $0) }
        isOfFarEnd = type == .remoteInbound || type == .remoteOutbound
      case "timestamp", "timestamp_us", "timestampUs":
        if let time = try ReportTime.read(&scanner), ReportTime.isEpoch(time) { ownMs = time }
      case "packetsReceived", "packetsSent":
        if try scanner.peek() == .number { count = try scanner.number() } else { try scanner.skip() }
      default: try scanner.skip()
      }
    }
    if ownMs.isNaN, self.pollMs.isNaN { return nil }
  }
}
