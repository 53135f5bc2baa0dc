/// What is missing here and reached its receiver all the same, by the count of its reports: the capture missed it.
struct UncapturedLoss {
  /// Packets that the capture missed, of how many that were sent, as far as the last report tells.
  private(set) var packets = 0
  private(set) var expected = 0
  /// Between which reports most of them were sent.
  private(set) var fromNs: Int64 = 0
  private(set) var toNs: Int64 = 0
  private var most = 0
  private var lastNs: Int64?
  private var reporter: UInt32?

  /// Takes what is missing here and what a receiver reports at the same time; the first receiver is believed.
  mutating func take(
    missing: Int, of expected: Int, reported: Int, by reporter: UInt32, since startNs: Int64, at timeNs: Int64
  ) {
    guard self.reporter == nil || self.reporter == reporter else { return }
    self.reporter = reporter
    // Who got duplicates that did not pass here reports less than nothing.
    let difference = max(0, missing - max(0, reported))
    if difference - packets > most {
      most = difference - packets
      (fromNs, toNs) = (lastNs ?? startNs, timeNs)
    }
    (packets, self.expected, lastNs) = (difference, expected, timeNs)
  }
}
