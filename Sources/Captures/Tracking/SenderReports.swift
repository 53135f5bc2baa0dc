import CallModel
import Packets

/// Counts, from an end's RTCP sender reports, what it sent of a stream that does not arrive. This shows
/// whether packets were lost on the way or not sent: only an end that has sent since its last report sends
/// another (RFC 3550 section 6.4).
struct SenderReports {
  /// A packet count of the sender, and the packets that had arrived by then.
  private struct Mark {
    var timeNs: Int64
    var sent: UInt32
    var came: Int
  }

  /// The last report before which packets arrived, and the last report of all; only unencrypted ones.
  private var base: Mark?
  private var last: Mark?
  /// The packet count in the first report.
  private var firstSent: UInt32?
  /// The number of reports, and the times of the first and last; including encrypted ones.
  private(set) var count = 0
  private(set) var firstNs: Int64 = 0
  private(set) var lastNs: Int64 = 0

  /// Takes a report; `sent` is its packet count, nil if it is encrypted.
  mutating func take(sent: UInt32?, came: Int, newestNs: Int64, at timeNs: Int64) {
    if count == 0 { firstNs = timeNs }
    count &+= 1
    lastNs = timeNs
    guard let sent else { return }
    // If the count fell, the sender has restarted it.
    if let last, sent &- last.sent >= 1 << 31 { (base, self.last, firstSent) = (nil, nil, nil) }
    firstSent = firstSent ?? sent
    if let last, newestNs > last.timeNs { base = last }
    last = Mark(timeNs: timeNs, sent: sent, came: came)
  }

  /// The packets sent, up to the last report; nil if it is encrypted.
  ///
  /// - Parameter isWhole: whether the capture begins before the stream; else only what later reports count more than
  ///   the first one was sent in it.
  func sent(isWhole: Bool) -> Int? { last.map { Int($0.sent &- (isWhole ? 0 : firstSent ?? 0)) } }

  /// After the last packet that arrived: until when the sender reported, and how many packets it sent that
  /// did not arrive.
  func missing(after newestNs: Int64, came: Int) -> (untilNs: Int64, packets: Int)? {
    guard let last, let base, last.timeNs > newestNs else { return nil }
    return (last.timeNs, max(0, Int(last.sent &- base.sent) - (came - base.came)))
  }

  /// The mean interval between reports, ns; nil before the second.
  var intervalNs: Int64? { count > 1 ? (lastNs &- firstNs) / Int64(count - 1) : nil }
}

extension MediaTransport {
  /// The maximum number of streams known only from reports.
  private static let maxAnnounced = 32
  /// Audio is reported about every five seconds, video every second. Without a description, this limit
  /// distinguishes them, ns.
  private static let soundIntervalNs: Int64 = 2_500_000_000
  private static let minNs = Threshold.missingMedium.ns

  /// Takes a sender report about a stream that has not been captured.
  func announce(_ ssrc: UInt32, from end: Int, sent: UInt32?, at timeNs: Int64) {
    let key = AnnouncedStream(ssrc: ssrc, end: end)
    guard announced[key] != nil || announced.count < Self.maxAnnounced else { return }
    announced[key, default: SenderReports()].take(sent: sent, came: 0, newestNs: .min, at: timeNs)
  }

  /// Reports audio that an end claims to have sent and of which not a single packet arrived.
  func reportUnheard() {
    for end in 0...1 {
      let voice = media.filter { $0.sender != end && $0.role == .media && $0.kind == .audio }
      guard !media.contains(where: { $0.sender == end && $0.role == .media && $0.kind != .video }),
        let startNs = voice.map(\.firstNs).min(), let lastNs = voice.map(\.lastNs).max(),
        case let endNs = min(lastNs, overNs ?? lastNs), endNs &- startNs >= Self.minNs
      else { continue }
      let seen = Set(media.map(\.ssrc))
      // A capture may be cut into several files: what an earlier one has was sent, and is not missing.
      let isWhole = calledNs != nil
      let found = announced.filter { key, reports in
        guard key.end == end, !seen.contains(key.ssrc) else { return false }
        if call != nil, reports.sent(isWhole: isWhole) != nil { return true }
        return reports.count >= 3 && reports.intervalNs ?? 0 >= Self.soundIntervalNs
      }
      guard
        let (key, reports) = found.max(by: { ($0.value.count, $1.key.ssrc) < ($1.value.count, $0.key.ssrc) })
      else { continue }
      var w = ArgumentWriter()
      w.add(.ssrc, Int(key.ssrc))
      w.add(.reports, reports.count)
      if let sent = reports.sent(isWhole: isWhole) { w.add(.sentPackets, sent) }
      w.add(.untilMs, endNs.unixMs)
      add(note: .unheard, at: startNs, end: 1 - end, args: w.text)
    }
  }
}

/// A stream that is reported on.
struct AnnouncedStream: Hashable {
  var ssrc: UInt32
  var end: Int
}

extension MediaStream {
  /// Reports what the sender's reports count after its last packet, while its receiver went on.
  func reportSentAfterLast() {
    guard kind == .audio, let (untilNs, packets) = sent.missing(after: lastNs, came: sequence.unique),
      case let endNs = min(untilNs, path.overNs ?? untilNs), endNs &- lastNs >= Threshold.noSound.ns,
      !path.media.contains(where: {
        $0 !== self && $0.sender == sender && $0.kind == .audio && $0.role == .media && $0.lastNs > lastNs
      })
    else { return }
    var w = ArgumentWriter()
    w.add(.ssrc, Int(ssrc))
    w.add(.sentPackets, packets)
    w.add(.untilMs, max(endNs, min(path.lastReceivedNs, path.overNs ?? path.lastReceivedNs)).unixMs)
    path.add(note: .sentAfter, at: lastNs, end: 1 - sender, args: w.text)
  }
}
