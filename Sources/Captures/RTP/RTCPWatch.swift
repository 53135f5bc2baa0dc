/// Reads RTCP (RFC 3550 section 6, RFC 3611): reports in the clear, and of encrypted ones what their first eight bytes say.
final class RTCPWatch {
  /// When a sender report passed, by the middle 32 bits of its NTP time.
  private struct Report {
    var ntp: UInt32
    var timeNs: Int64
  }

  private var reports: [UInt32: [Report]] = [:]
  /// The same of receivers that send none (RFC 3611 section 4.4).
  private var references: [UInt32: [Report]] = [:]
  static let mostReporters = 20_000
  /// Reports of others than those.
  private(set) var leftOut = 0
  private static let kept = 8
  private var names = CanonicalNames()

  /// Takes a datagram sent by an end of a path; `stream` finds the stream of an SSRC.
  func take(
    _ b: Octets, wireLength: Int, from end: Int, of path: Path?, at timeNs: Int64,
    _ stream: (UInt32) -> MediaStream?
  ) {
    let isClear = isClear(b, wireLength)
    noteFirst(b, wireLength, isClear, end, path, at: timeNs, stream)
    guard isClear else { return }
    var at = 0
    while at + 8 <= b.count {
      let packet = b.from(at)
      let count = Int(packet.byte(0) & 31)
      let size = 4 * (Int(packet.short(2)) + 1)
      let body = packet.first(size)
      switch packet.byte(1) {
      case 200:
        senderReport(body, at: timeNs)
        if body.count >= 28 { stream(body.word(4))?.reported(sent: body.word(20), at: timeNs) }
        blocks(body.from(28), count, from: body.word(4), at: timeNs, stream)
      case 201: blocks(body.from(8), count, from: body.word(4), at: timeNs, stream)
      case 202: names.take(body, chunks: count, stream)
      case 203: goodbye(body, count, from: end, of: path, at: timeNs, stream)
      case 207: extended(body, at: timeNs, stream)
      default: break
      }
      at += size
    }
  }

  /// Sources that leave (RFC 3550 section 6.6), as far as the end they are heard from says so.
  private func goodbye(
    _ b: Octets, _ count: Int, from end: Int, of path: Path?, at timeNs: Int64,
    _ stream: (UInt32) -> MediaStream?
  ) {
    for i in 0..<count where b.count >= 8 + 4 * i {
      guard let left = stream(b.word(4 + 4 * i)), path == nil || left.path === path && left.sender == end
      else { continue }
      left.leave(at: timeNs)
    }
  }

  /// What also SRTCP shows: kind and sender of the first packet.
  private func noteFirst(
    _ b: Octets, _ wireLength: Int, _ isClear: Bool, _ flowEnd: Int, _ flowPath: Path?, at timeNs: Int64,
    _ stream: (UInt32) -> MediaStream?
  ) {
    let sender = stream(b.word(4))
    guard let path = flowPath ?? sender?.path else {
      // On ports that nobody described the stream that it answers tells whose it is.
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

  /// Whether a report may be about sound. Chromium reports it under the SSRC of the picture that it sends: then one block
  /// is sound's, for the picture has a second one for its repairs.
  private func isOfSound(blocks: Int, by sender: MediaStream?) -> Bool {
    blocks > 0 && (blocks == 1 || sender?.kind != .video)
  }

  /// What an encrypted receiver report carries behind it, told by its length alone (RFC 4585): a picture loss indication
  /// is 12 bytes, a request for packets 16 and more, beyond the least that ever followed a report of that end.
  private func noteHidden(extra: Int, _ end: Int, _ path: Path, at timeNs: Int64) {
    guard extra >= 0 else { return }
    let least = min(path[end].leastBehindReport ?? extra, extra)
    path[end].leastBehindReport = least
    for media in path.media where media.sender != end {
      if extra - least == 12 { media.keyFrameAsked(at: timeNs) }
      if extra - least >= 16 { media.packetsAsked(at: timeNs) }
    }
  }

  /// Whether the packets of a compound fill the datagram exactly, as encrypted ones do not.
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
    guard book.count < Self.mostReporters || book[ssrc] != nil else { return leftOut += 1 }
    var list = book[ssrc] ?? []
    if list.count >= Self.kept { list.removeFirst() }
    list.append(report)
    book[ssrc] = list
  }

  /// Extended reports: receivers' reference times, the answers to them, and VoIP metrics.
  private func extended(_ b: Octets, at timeNs: Int64, _ stream: (UInt32) -> MediaStream?) {
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
      case 7: stream(block.word(4))?.reports.take(voipMetrics: block)
      default: break
      }
      at += size
    }
  }

  /// Round trips tap → reporter → tap: A(RR) − A(SR) − DLSR, never the reporter's own clock.
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
      reported.compareLoss(with: reporter, at: timeNs)
      addRoundTrip(
        reports[block.word(0)], block.word(16), block.word(20), reported.path, 1 - reported.sender, at: timeNs
      )
    }
  }

  /// Notes the time from a report to the answer that names it, less what the one who answers held it.
  private func addRoundTrip(
    _ sent: [Report]?, _ named: UInt32, _ heldTicks: UInt32, _ path: Path, _ end: Int, at timeNs: Int64
  ) {
    guard named != 0, let report = sent?.last(where: { $0.ntp == named }) else { return }
    let ms = Double(timeNs &- report.timeNs) / 1e6 - Double(heldTicks) / 65_536 * 1000
    guard ms >= -1, ms < 60_000 else { return }
    path.add(roundTripMs: max(0, ms), answeredBy: end, askedNs: report.timeNs, at: timeNs)
  }
}
