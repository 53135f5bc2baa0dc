import Packets

/// The number of packets that a stream's receiver reported lost since its first report, compared with the
/// number missing in the capture in the same period. What was lost before the first report, in a call already
/// in progress, is unknown.
struct ReportedLoss {
  private var first: (missing: Int, expected: Int, reported: Int)?
  private var reporter: UInt32?
  private var lost = 0
  private var missing = 0
  private var packets = 0

  /// Takes the number missing in the capture and the number reported lost at the same time. Only the first
  /// receiver counts.
  mutating func take(missing: Int, of expected: Int, reported: Int, by reporter: UInt32) {
    guard let first else {
      (self.first, self.reporter) = ((missing, expected, reported), reporter)
      return
    }
    guard self.reporter == reporter else { return }
    (lost, packets) = (reported - first.reported, expected - first.expected)
    self.missing = missing - first.missing
  }

  /// A JSON object if more was lost than is missing in the capture, nil otherwise.
  var json: String? {
    guard packets > 0, lost > max(0, missing) else { return nil }
    var w = ArgumentWriter()
    w.add("lost", lost)
    w.add("missing", max(0, missing))
    w.add("packets", packets)
    return w.text
  }
}
