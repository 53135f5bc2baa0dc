import Packets

/// The longest period in which the highest number in the reports of a stream's receiver (unencrypted RTCP, RFC 3550
/// section 6.4.1) stood still although packets were sent: none of them arrived.
struct StandingReports {
  private struct Period {
    var highest: UInt32
    /// Packets sent before the first report with this number, and before the last.
    var sentBefore: Int
    var sent: Int
    var fromNs: Int64
    var lastNs: Int64

    var lengthNs: Int64 { lastNs &- fromNs }
  }

  private var period: Period?
  private var longest: Period?

  /// Two reports of audio are 2.5 to 7.5 s apart.
  private static let minNs: Int64 = 5_000_000_000
  private static let maxApartNs: Int64 = 15_000_000_000
  /// Minimum number of packets; fewer may have been in transit.
  private static let minPackets = 100
  /// Maximum number of packets that a report lags behind when it is made.
  private static let maxBehind = 1000

  /// Takes a report block of 24 bytes.
  ///
  /// - Parameters:
  ///   - newest: the highest number that was captured.
  ///   - sent: how many packets were captured so far.
  mutating func take(block b: Octets, newest: Int64, sent: Int, at timeNs: Int64) {
    guard b.count >= 24 else { return }
    let highest = b.word(8)
    if var going = period, going.highest == highest, timeNs &- going.lastNs <= Self.maxApartNs {
      (going.sent, going.lastNs) = (sent, timeNs)
      period = going
      if going.lengthNs >= longest?.lengthNs ?? 0 { longest = going }
      return
    }
    let behind = UInt16(truncatingIfNeeded: newest) &- UInt16(truncatingIfNeeded: highest)
    // A receiver that never reports true numbers proves nothing.
    guard Int(behind) <= Self.maxBehind else { return period = nil }
    period = Period(highest: highest, sentBefore: sent, sent: sent, fromNs: timeNs, lastNs: timeNs)
  }

  /// A JSON object; nil if the reports stood still only for a moment.
  ///
  /// - Parameter lastNs: when the last packet was sent.
  func json(lastNs: Int64) -> String? {
    guard let longest, longest.lengthNs >= Self.minNs, longest.sent - longest.sentBefore >= Self.minPackets
    else { return nil }
    // What a later report would have said is unknown, but none came any more.
    let isLast = longest.lastNs == period?.lastNs && lastNs &- longest.lastNs <= Self.maxApartNs
    var w = ArgumentWriter()
    w.add("packets", longest.sent - longest.sentBefore)
    w.add("from_ms", longest.fromNs.unixMs)
    w.add("until_ms", (isLast ? max(lastNs, longest.lastNs) : longest.lastNs).unixMs)
    return w.text
  }
}
