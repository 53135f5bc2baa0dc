/// Reads RTCP (RFC 3550 section 6, RFC 3611): reports in the clear, and of encrypted ones what their first eight bytes say.
final class RTCPWatch {
  /// When a sender report passed, by the middle 32 bits of its NTP time.
  private struct Report {
    var ntp: UInt32
    var timeNs: Int64
  }

  private var reports: [UInt32: [Report]] = [:]
  static let mostReporters = 20_000
  /// Sender reports of others than those.
  private(set) var leftOut = 0
  private static let kept = 8

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
        blocks(body.from(28), count, from: body.word(4), at: timeNs, stream)
      case 201: blocks(body.from(8), count, from: body.word(4), at: timeNs, stream)
      default: break
      }
      at += size
    }
  }

  /// What also SRTCP shows: kind and sender of the first packet.
  private func noteFirst(
    _ b: Octets, _ wireLength: Int, _ isClear: Bool, _ flowEnd: Int, _ flowPath: Path?, at timeNs: Int64,
    _ stream: (UInt32) -> MediaStream?
  ) {
    let sender = stream(b.word(4))
    guard let path = flowPath ?? sender?.path else { return }
    let end = flowPath == nil ? sender?.sender ?? flowEnd : flowEnd
    if path[end].firstRTCPNs == nil { path[end].firstRTCPNs = timeNs }
    if b.byte(1) == 200 { sender?.senderReports += 1 }
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
    let ssrc = b.word(4)
    guard b.count >= 28 else { return }
    guard reports.count < Self.mostReporters || reports[ssrc] != nil else { return leftOut += 1 }
    var list = reports[ssrc] ?? []
    if list.count >= Self.kept { list.removeFirst() }
    list.append(Report(ntp: UInt32(truncatingIfNeeded: b.long(8) >> 16), timeNs: timeNs))
    reports[ssrc] = list
  }

  /// Round trips tap → reporter → tap: A(RR) − A(SR) − DLSR, never the reporter's own clock.
  private func blocks(
    _ b: Octets, _ count: Int, from reporter: UInt32, at timeNs: Int64, _ stream: (UInt32) -> MediaStream?
  ) {
    for i in 0..<count where b.count >= 24 * (i + 1) {
      let block = b.from(24 * i)
      let lastReport = block.word(16)
      guard lastReport != 0, let reported = stream(block.word(0)),
        let sent = reports[block.word(0)]?.last(where: { $0.ntp == lastReport })
      else { continue }
      let delay = Double(block.word(20)) / 65_536 * 1000
      let ms = Double(timeNs &- sent.timeNs) / 1e6 - delay
      guard ms >= -1, ms < 60_000 else { continue }
      reported.path.add(roundTripMs: max(0, ms), answeredBy: 1 - reported.sender, at: timeNs)
    }
  }
}
