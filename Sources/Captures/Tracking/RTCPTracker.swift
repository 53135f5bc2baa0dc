import CallModel
import Packets

/// Reads RTCP (RFC 3550 section 6, RFC 3611): unencrypted reports in full, and the first eight bytes of
/// encrypted ones.
final class RTCPTracker {
  /// When a sender report was captured, by the middle 32 bits of its NTP time.
  private struct Report {
    var ntp: UInt32
    var timeNs: Int64
  }

  private var reports: [UInt32: [Report]] = [:]
  /// The same for receivers that send no media (RFC 3611 section 4.4).
  private var references: [UInt32: [Report]] = [:]
  static let maxReporters = Limit.reporters.value
  /// The number of reporters not followed.
  private(set) var leftOut = 0
  private static let kept = 8
  private var names = CanonicalNames()
  /// The quality last reported by the receivers of each stream (RFC 3611 section 4.7).
  private(set) var quality = VoIPReports()

  /// Takes a datagram of a flow. `stream` finds the stream of an SSRC; `place` is the path and the end with
  /// the lower address.
  func take(
    _ b: Octets, wireLength: Int, of flow: Flow, fromLow: Bool, at timeNs: Int64,
    on place: (path: MediaTransport, lowEnd: Int)?, _ stream: (UInt32) -> MediaStream?
  ) {
    let lowEnd = place?.lowEnd ?? flow.lowEnd
    let (end, path) = (fromLow ? lowEnd : 1 - lowEnd, place?.path)
    let isClear = isClear(b, wireLength)
    noteFirst(b, wireLength, isClear, end, path, at: timeNs, stream)
    guard isClear else { return }
    var at = 0
    while at + 8 <= b.count {
      let packet = b.from(at)
      let count = Int(packet.byte(0) & 31)
      let size = 4 * (Int(packet.short(2)) + 1)
      let body = packet.first(size)
      if packet.byte(1) == 200 || packet.byte(1) == 201 {
        noteUncounted(body, count, of: flow, fromLow, path, end, at: timeNs)
      }
      switch packet.byte(1) {
      case 200:
        senderReport(body, at: timeNs)
        if body.count >= 28 { stream(body.word(4))?.reported(sent: body.word(20), at: timeNs) }
        blocks(body.from(28), count, from: body.word(4), at: timeNs, stream)
      case 201: blocks(body.from(8), count, from: body.word(4), at: timeNs, stream)
      case 202: names.take(body, chunks: count, stream)
      case 203: goodbye(body, count, from: end, of: path, at: timeNs, stream)
      case 207:
        extended(body, at: timeNs, stream) { ssrc, block in
          let isTaken = quality.take(block, of: ssrc, stream(ssrc), flow, fromLow: fromLow, at: timeNs)
          if !isTaken { leftOut += 1 }
        }
      default: break
      }
      at += size
    }
  }

  /// Informs the sound that is sent to a reporter that none of it has been counted: the report has no block, or one of zeros.
  private func noteUncounted(
    _ b: Octets, _ count: Int, of flow: Flow, _ fromLow: Bool, _ path: MediaTransport?, _ end: Int,
    at timeNs: Int64
  ) {
    let first = b.byte(1) == 200 ? 28 : 8
    guard let path, count == 0 || count == 1 && b.count >= first + 24 && b.word(first + 8) == 0 else {
      return
    }
    // Sound is received at the port of the reports, or at the one before.
    let own = fromLow ? flow.key.low : flow.key.high
    for media in path.media
    where media.sender != end && media.kind == .audio && media.role == .media
      && media.destination.address == own.address
      && (media.destination.port == own.port || media.destination.port == own.port &- 1)
    {
      media.stalled.takeNothing(since: media.firstNs, sent: media.sequence.unique, at: timeNs)
    }
  }

  /// Handles sources that leave (RFC 3550 section 6.6), if the BYE comes from the end that sends them.
  private func goodbye(
    _ b: Octets, _ count: Int, from end: Int, of path: MediaTransport?, at timeNs: Int64,
    _ stream: (UInt32) -> MediaStream?
  ) {
    for i in 0..<count where b.count >= 8 + 4 * i {
      guard let left = stream(b.word(4 + 4 * i)), path == nil || left.path === path && left.sender == end
      else { continue }
      left.leave(at: timeNs)
    }
  }

  /// Reads what is visible in SRTCP too: the type and sender of the first packet.
  private func noteFirst(
    _ b: Octets, _ wireLength: Int, _ isClear: Bool, _ flowEnd: Int, _ flowPath: MediaTransport?,
    at timeNs: Int64,
    _ stream: (UInt32) -> MediaStream?
  ) {
    let sender = stream(b.word(4))
    guard let path = flowPath ?? sender?.path else {
      // On ports without a description, the stream in its report block shows which path it belongs to.
      let isOfReporter = isClear && b.byte(1) == 200 && b.byte(0) & 31 > 0 && b.count >= 52
      guard isOfReporter, let answered = stream(b.word(28)) else { return }
      return answered.path.announce(b.word(4), from: 1 - answered.sender, sent: b.word(20), at: timeNs)
    }
    let end = flowPath == nil ? sender?.sender ?? flowEnd : flowEnd
    path.heard(timeNs)
    path.isAlive(end, at: timeNs)
    if path[end].firstRTCPNs == nil { path[end].firstRTCPNs = timeNs }
    if b.byte(1) == 200 {
      let sent = isClear && b.count >= 28 ? b.word(20) : nil
      if let sender {
        sender.senderReports += 1
        sender.sent.take(sent: sent, came: sender.sequence.unique, newestNs: sender.lastNs, at: timeNs)
      } else {
        path.announce(b.word(4), from: end, sent: sent, at: timeNs)
      }
    }
    switch (b.byte(1), b.byte(0) & 31) {
    case (200, 1...), (201, 1...):
      guard isOfSound(blocks: Int(b.byte(0) & 31), by: sender) else { break }
      for media in path.media where media.sender != end { media.wasReported(at: timeNs) }
    case (206, 1), (206, 4):
      for media in path.media where media.sender != end { media.keyFrameAsked(at: timeNs) }
    case (205, 1):
      for media in path.media where media.sender != end { media.packetsAsked(at: timeNs) }
    default: break
    }
    if b.byte(1) == 201 && !isClear {
      noteHidden(extra: wireLength - 4 * (Int(b.short(2)) + 1), end, path, at: timeNs)
    }
  }

  /// Whether a report may be about audio. Chromium reports audio under the SSRC of the video that it sends. A
  /// single block is then about audio, because received video has a second block for its retransmissions.
  private func isOfSound(blocks: Int, by sender: MediaStream?) -> Bool {
    blocks > 0 && (blocks == 1 || sender?.kind != .video)
  }

  /// Recognises, by length alone, what follows an encrypted receiver report (RFC 4585): a picture loss
  /// indication adds 12 bytes, a NACK at least 16, to the minimum that has followed a report of that end.
  private func noteHidden(extra: Int, _ end: Int, _ path: MediaTransport, at timeNs: Int64) {
    guard extra >= 0 else { return }
    let least = min(path[end].minBehindReport ?? extra, extra)
    path[end].minBehindReport = least
    for media in path.media where media.sender != end {
      if extra - least == 12 { media.keyFrameAsked(at: timeNs) }
      if extra - least >= 16 { media.packetsAsked(at: timeNs) }
    }
  }

  /// Whether the packets of a compound fill the datagram exactly, which encrypted ones do not.
  private func isClear(_ b: Octets, _ wireLength: Int) -> Bool {
    var at = 0
    var first = true
    while at < wireLength {
      guard at + 4 <= b.count else { return !first && b.count < wireLength }
      guard b.byte(at) & 0xC0 == 0x80, b.byte(at + 1) >= 192, b.byte(at + 1) <= 223 else { return false }
      at += 4 * (Int(b.short(at + 2)) + 1)
      first = false
    }
    return at == wireLength
  }

  private func senderReport(_ b: Octets, at timeNs: Int64) {
    guard b.count >= 28 else { return }
    note(
      Report(ntp: UInt32(truncatingIfNeeded: b.long(8) >> 16), timeNs: timeNs), of: b.word(4), in: &reports)
  }

  private func note(_ report: Report, of ssrc: UInt32, in book: inout [UInt32: [Report]]) {
    guard book.count < Self.maxReporters || book[ssrc] != nil else { return leftOut += 1 }
    var list = book[ssrc] ?? []
    if list.count >= Self.kept { list.removeFirst() }
    list.append(report)
    book[ssrc] = list
  }

  /// Reads extended reports: reference times of receivers, the answers to them, and VoIP metrics.
  private func extended(
    _ b: Octets, at timeNs: Int64, _ stream: (UInt32) -> MediaStream?, voip: (UInt32, Octets) -> Void
  ) {
    var at = 8
    while at + 4 <= b.count {
      let size = 4 * (Int(b.short(at + 2)) + 1)
      let block = b.from(at).first(size)
      switch block.byte(0) {
      case 4 where block.count >= 12:
        let ntp = UInt32(truncatingIfNeeded: block.long(4) >> 16)
        note(Report(ntp: ntp, timeNs: timeNs), of: b.word(4), in: &references)
      case 5:
        guard let end = stream(b.word(4)) else { break }
        for answer in stride(from: 4, to: block.count - 11, by: 12) {
          let sent = references[block.word(answer)]
          addRoundTrip(sent, block.word(answer + 4), block.word(answer + 8), end.path, end.sender, at: timeNs)
        }
      case 7 where block.count >= 36:
        stream(block.word(4))?.reports.take(voipMetrics: block)
        voip(block.word(4), block)
      default: break
      }
      at += size
    }
  }

  /// Adds round trips capture point → reporter → capture point: A(RR) − A(SR) − DLSR, without using the
  /// reporter's clock.
  private func blocks(
    _ b: Octets, _ count: Int, from reporter: UInt32, at timeNs: Int64, _ stream: (UInt32) -> MediaStream?
  ) {
    for i in 0..<count where b.count >= 24 * (i + 1) {
      let block = b.from(24 * i)
      guard let reported = stream(block.word(0)) else {
        if let own = stream(reporter) { own.path[own.sender].unseen.take(block: block) }
        continue
      }
      reported.reports.take(block: block)
      reported.stalled.take(
        block: block, newest: Int64(reported.sequence.highest), sent: reported.sequence.unique, at: timeNs)
      reported.compareLoss(with: reporter, at: timeNs)
      addRoundTrip(
        reports[block.word(0)], block.word(16), block.word(20), reported.path, 1 - reported.sender, at: timeNs
      )
    }
  }

  /// Records the time from a report to the answer that refers to it, minus the delay at the answering end.
  private func addRoundTrip(
    _ sent: [Report]?, _ named: UInt32, _ heldTicks: UInt32, _ path: MediaTransport, _ end: Int,
    at timeNs: Int64
  ) {
    guard named != 0, let report = sent?.last(where: { $0.ntp == named }) else { return }
    let ms = Double(timeNs &- report.timeNs) / 1e6 - Double(heldTicks) / 65_536 * 1000
    guard ms >= -1, ms < 60_000 else { return }
    path.add(roundTripMs: max(0, ms), answeredBy: end, askedNs: report.timeNs, at: timeNs)
  }
}

/// Links audio and video of one sender on separate ports: the same canonical name (CNAME, RFC 3550 section
/// 6.5.1) shows that they belong to one call if nothing else does.
///
/// Gateways use one name for all calls, so two paths are joined only if one has what the other lacks and no
/// third path is possible.
struct CanonicalNames {
  /// A name belongs to its host, for a given destination.
  private struct Sender: Hashable {
    var name: [UInt8]
    var host: Address
    var other: Address
  }

  private var paths: [Sender: [(path: MediaTransport, end: Int)]] = [:]
  private static let maxSenders = 10_000
  private static let maxPaths = 16

  /// Reads a source description (RFC 3550 section 6.5) of sources found by `stream`.
  mutating func take(_ description: Octets, chunks: Int, _ stream: (UInt32) -> MediaStream?) {
    var at = 4
    for _ in 0..<chunks where at + 6 <= description.count {
      let source = stream(description.word(at))
      at += 4
      while at + 2 <= description.count, description.byte(at) != 0 {
        let value = description.from(at + 2).first(Int(description.byte(at + 1)))
        if description.byte(at) == 1, let source { take(value.copy(), of: source) }
        at += 2 + Int(description.byte(at + 1))
      }
      at += 4 - at % 4
    }
  }

  private mutating func take(_ name: [UInt8], of stream: MediaStream) {
    let path = stream.path
    guard !name.isEmpty, stream.kind != nil, !path.isWebRTC, path.overNs == nil else { return }
    let sender = Sender(name: name, host: stream.source.address, other: stream.destination.address)
    guard paths[sender] != nil || paths.count < Self.maxSenders else { return }
    var known = paths[sender] ?? []
    known.removeAll { $0.path.whole != nil || $0.path.overNs != nil }
    defer { paths[sender] = known }
    guard !known.contains(where: { $0.path === path }) else {
      join((path, stream.sender), known)
      return
    }
    guard known.count < Self.maxPaths else { return }
    known.append((path, stream.sender))
    join((path, stream.sender), known)
  }

  private func join(_ one: (path: MediaTransport, end: Int), _ known: [(path: MediaTransport, end: Int)]) {
    let others = known.filter { $0.path !== one.path && $0.path.isBesides(one.path) }
    guard others.count == 1, let other = others.first else { return }
    let (older, younger) = one.path.number < other.path.number ? (one, other) : (other, one)
    guard younger.path.isBare else { return }
    older.path.takeIn(younger.path, isTurned: older.end != younger.end)
  }
}

extension MediaTransport {
  /// Whether one of two paths has only audio and the other only video, at the same time.
  fileprivate func isBesides(_ other: MediaTransport) -> Bool {
    let (own, others) = (Set(media.compactMap(\.kind)), Set(other.media.compactMap(\.kind)))
    guard own.count == 1, others.count == 1, own != others else { return false }
    let (firstNs, otherNs) = (media.map(\.firstNs).min() ?? 0, other.media.map(\.firstNs).min() ?? 0)
    return firstNs <= other.lastReceivedNs && otherNs <= lastReceivedNs
  }
}

/// The quality of a stream as its receivers reported it in VoIP metrics (RFC 3611 section 4.7): the maker's
/// own figures, reported like the quality reports of phones. A block covers the whole stream so far, so only
/// the last one is needed.
struct VoIPReports {
  private struct Key: Hashable {
    var flow: ObjectIdentifier
    var fromLow: Bool
    var ssrc: UInt32
  }

  private struct Report {
    var ssrc: UInt32
    var metrics: ReceiverReports.VoIPMetrics
    /// The stream, if any of its packets had been captured by then, and the flow on which the report came.
    var stream: MediaStream?
    var flow: Flow
    var fromLow: Bool
    var timeNs: Int64
  }

  private var reports: [Key: Report] = [:]
  private static let most = 10_000

  /// Takes a block of 36 bytes; returns false if there are too many.
  mutating func take(
    _ block: Octets, of ssrc: UInt32, _ stream: MediaStream?, _ flow: Flow, fromLow: Bool, at timeNs: Int64
  ) -> Bool {
    let key = Key(flow: ObjectIdentifier(flow), fromLow: fromLow, ssrc: ssrc)
    guard reports.count < Self.most || reports[key] != nil else { return false }
    reports[key] = Report(
      ssrc: ssrc, metrics: ReceiverReports.VoIPMetrics(block), stream: stream ?? reports[key]?.stream,
      flow: flow, fromLow: fromLow, timeNs: timeNs)
    return true
  }

  /// Adds the reports to their calls. If no packet of the stream was captured, a call is created for the flow
  /// on which the report came.
  func addReports(on paths: MediaTransports, _ stream: (UInt32) -> MediaStream?) {
    for report in reports.values.sorted(by: { ($0.timeNs, $0.ssrc) < ($1.timeNs, $1.ssrc) }) {
      let place: (path: MediaTransport, end: Int)
      if let stream = report.stream ?? stream(report.ssrc) {
        place = MediaTransport.whole(stream.path, 1 - stream.sender)
      } else if let path = paths.path(of: report.flow) {
        let lowEnd = report.flow.lowEnd
        place = MediaTransport.whole(path, report.fromLow ? lowEnd : 1 - lowEnd)
      } else {
        continue
      }
      // At the capturing end, the far end's report is about what was sent.
      let isSent = place.path.local.map { $0 != place.end } ?? false
      var w = ArgumentWriter()
      w.add("by", "rtcp-xr")
      w.add("of", isSent ? "sent" : "received")
      w.add("ssrc", Int(report.ssrc))
      report.metrics.write(to: &w)
      place.path.add(
        .mediaQualityReported, "RTCP XR: VoIP metrics", at: report.timeNs,
        end: isSent ? 1 - place.end : place.end, args: w.text)
    }
  }
}
