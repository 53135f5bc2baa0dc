import CallModel
import Packets

/// The longest period in which the extended highest sequence number in the reports of a stream's receiver (unencrypted
/// RTCP, RFC 3550 section 6.4.1) did not advance although packets were sent: none of them arrived.
struct StalledReception {
  private struct Facts {
    var highest: UInt32
    /// Packets sent before the first report with this number, and before the last.
    var sentBefore: Int
    var sent: Int
  }

  /// Whether the receiver has ever counted a packet.
  private var hasCounted = false
  /// Two reports of audio are 2.5 to 7.5 s apart.
  private var periods = LongestPeriod<Facts>(maxApartNs: maxApartNs)

  private static let maxApartNs: Int64 = 15_000_000_000
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
    // The first number is random: 0, without any round before, is that of a receiver that has none.
    if highest == 0, !hasCounted { return }
    hasCounted = true
    if periods.current?.facts.highest == highest, periods.reaches(timeNs) {
      return periods.goOn(at: timeNs) { $0.sent = sent }
    }
    let behind = UInt16(truncatingIfNeeded: newest) &- UInt16(truncatingIfNeeded: highest)
    // A receiver that never reports true numbers proves nothing.
    guard Int(behind) <= Self.maxBehind else { return periods.end() }
    periods.begin(at: timeNs, Facts(highest: highest, sentBefore: sent, sent: sent))
  }

  /// Takes a report that counts no packet, without a block or with one of zeros. Such a report says nothing if the receiver
  /// has counted before: it may have been sent nothing since.
  mutating func takeNothing(since startNs: Int64, sent: Int, at timeNs: Int64) {
    guard !hasCounted, timeNs >= startNs else { return }
    if periods.current == nil { periods.begin(at: startNs, Facts(highest: 0, sentBefore: 0, sent: sent)) }
    if periods.reaches(timeNs) {
      periods.goOn(at: timeNs) { $0.sent = sent }
    } else {
      periods.begin(at: timeNs, Facts(highest: 0, sentBefore: sent, sent: sent))
    }
  }

  /// A JSON object; nil if the number did not advance only for a moment.
  ///
  /// - Parameter lastNs: when the last packet was sent.
  func json(lastNs: Int64) -> String? {
    guard let longest = periods.longest, longest.lengthNs >= Threshold.notDelivered.ns,
      longest.facts.sent - longest.facts.sentBefore >= Threshold.lossPackets.count
    else { return nil }
    // What a later report would have said is unknown, but none came any more.
    let isLast = longest.lastNs == periods.current?.lastNs && lastNs &- longest.lastNs <= Self.maxApartNs
    var w = ArgumentWriter()
    w.add("packets", longest.facts.sent - longest.facts.sentBefore)
    w.add("from_ms", longest.fromNs.unixMs)
    w.add("until_ms", (isLast ? max(lastNs, longest.lastNs) : longest.lastNs).unixMs)
    return w.text
  }
}
