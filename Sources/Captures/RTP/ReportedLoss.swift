import Packets

/// What the receiver of a stream reported lost from its first report on, beside what was missing here meanwhile; what was before, of
/// a call that stood already, nobody here knows.
struct ReportedLoss {
  private var first: (missing: Int, expected: Int, reported: Int)?
  private var reporter: UInt32?
  private var lost = 0
  private var missing = 0
  private var packets = 0

  /// Takes what is missing here and what a receiver reports at the same time; the first receiver is believed.
  mutating func take(missing: Int, of expected: Int, reported: Int, by reporter: UInt32) {
    guard let first else {
      (self.first, self.reporter) = ((missing, expected, reported), reporter)
      return
    }
    guard self.reporter == reporter else { return }
    (lost, packets) = (reported - first.reported, expected - first.expected)
    self.missing = missing - first.missing
  }

  /// As a JSON object where more was lost than is missing, nil elsewhere.
  var json: String? {
    guard packets > 0, lost > max(0, missing) else { return nil }
    var w = ArgumentWriter()
    w.add("lost", lost)
    w.add("missing", max(0, missing))
    w.add("packets", packets)
    return w.text
  }
}
