/// Packets missing in the capture that reached their receiver according to its reports: the capture missed
/// them.
struct UncapturedLoss {
  /// The number of packets that the capture missed, and of those sent, up to the last report.
  private(set) var packets = 0
  private(set) var expected = 0
  /// The times of the reports between which most of them were sent.
  private(set) var fromNs: Int64 = 0
  private(set) var toNs: Int64 = 0
  private var most = 0
  private var lastNs: Int64?
  private var reporter: UInt32?

  /// Takes the number missing in the capture and the number reported lost at the same time. Only the first
  /// receiver counts.
  mutating func take(
    missing: Int, of expected: Int, reported: Int, by reporter: UInt32, since startNs: Int64, at timeNs: Int64
  ) {
    guard self.reporter == nil || self.reporter == reporter else { return }
    self.reporter = reporter
    // Duplicates that did not pass here make a receiver report a negative number.
    let difference = max(0, missing - max(0, reported))
    if difference - packets > most {
      most = difference - packets
      (fromNs, toNs) = (lastNs ?? startNs, timeNs)
    }
    (packets, self.expected, lastNs) = (difference, expected, timeNs)
  }
}
