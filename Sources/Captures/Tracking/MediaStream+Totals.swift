import CallModel
import Packets
import Playout

extension MediaStream {
  /// The figures of the whole stream, for the store.
  func totals() -> StreamTotals {
    var t = StreamTotals()
    t.firstMs = firstNs.unixMs
    // The clock of a capture may go back.
    t.lastMs = max(firstNs, lastNs).unixMs
    t.packets = sequence.unique
    t.bytes = payloadBytes
    t.expected = sequence.expected - lostAfterEnd
    t.lost = sequence.lost - lostAfterEnd
    t.duplicates = sequence.duplicates
    t.reordered = sequence.reordered
    t.restarts = sequence.restarts
    t.probes = probes
    t.captureDuplicates = captureDuplicates
    t.maxDeltaMs = Double(maxDeltaNs) / 1e6
    if clockRate > 0, let mean = jitter.meanMs {
      t.jitterMeanMs = mean
      t.jitterMaxMs = jitter.maxMs
      if kind == .video && separatesFrames { t.frameJitterMeanMs = frameJitter.meanMs }
    }
    t.late = played?.late
    t.rtx = repairedBy == nil ? nil : repeats
    t.fec = audio.map { $0.fec.received + $0.redundant } ?? (redundant > 0 ? redundant : nil)
    if let packetMs, let bursts = losses.metrics.figures(packetMs: packetMs) {
      t.burstDensity = bursts.burstDensity
      t.gapDensity = bursts.gapDensity
      t.burstMs = bursts.burstMs
      t.gapMs = bursts.gapMs
    }
    if let near = path.ends.0.meanAnswerMs, let far = path.ends.1.meanAnswerMs { t.rttMs = near + far }
    t.extra = extra
    takeWireshark(into: &t)
    return t
  }

  /// The mean media time per packet, ms.
  private var packetMs: Double? {
    sequence.expected > 1 ? Double(lastNs - firstNs) / 1e6 / Double(sequence.expected - 1) : nil
  }

  /// Figures without a column: the stream it repairs, its route, runs of loss.
  private var extra: String? {
    var w = ArgumentWriter()
    if role == .repair { w.add("role", "rtx") }
    if role == .redundancy { w.add("role", "fec") }
    if role == .probing { w.add("role", "padding") }
    if role == .data { w.add("role", "data") }
    if let repairs { w.add("repairs_ssrc", Int(repairs.ssrc)) }
    if figures.count > 1 {
      w.add("addresses", figures.map { "\($0.source.text)>\($0.destination.text)" }.joined(separator: " "))
    }
    if ttl > 0 { w.add("ttl", Int(ttl)) }
    if recent.notPassedOn > 0 { w.add("not_passed_on", recent.notPassedOn) }
    if uncaptured > 0 { w.add("uncaptured", uncaptured) }
    if lostAfterEnd > 0 { w.add("lost_after_end", lostAfterEnd) }
    if sequence.lost > 0 {
      let runs = (0..<11).map { String(losses.histogram[$0]) }.joined(separator: ",")
      w.add(raw: "loss_runs", "[\(runs)]")
    }
    if let audio, audio.fec.received > 0 {
      let guess = hasLevels ? "audio level" : "assumed share 0.5"
      w.add("fec_evidence", audio.fec.isClear ? "Opus header" : guess)
      w.add("fec_used", audio.fec.used)
    }
    if let paused = played?.pausedConcealed, paused > 0 { w.add("paused_concealed", Int(paused)) }
    if let tail = played?.trailingConcealed, tail > 0 { w.add("trailing_concealed", Int(tail)) }
    if let audio, audio.redundant > 0 { w.add("red_restored", audio.restored) }
    if let reported = reports.json(clockRate: clockRate) { w.add(raw: "receiver_reports", reported) }
    if let errors = returned.json { w.add(raw: "returned", errors) }
    if let astray { w.add(raw: "astray", astray) }
    if let stalled = stalled.json(lastNs: lastNs) { w.add(raw: "not_received", stalled) }
    if let beyond = reportedLoss.json { w.add(raw: "lost_beyond", beyond) }
    return w.text == "{}" ? nil : w.text
  }

  /// Fills TShark's columns. For a stream that moved, they are sums over its pairs of addresses and means
  /// weighted by packets.
  private func takeWireshark(into t: inout StreamTotals) {
    t.wiresharkPackets = figures.reduce(0) { $0 + $1.wireshark.packets }
    t.wiresharkLost = figures.reduce(0) { $0 + $1.wireshark.lost }
    let timed = figures.map(\.wireshark).filter(\.hasJitter)
    guard !timed.isEmpty else { return }
    let weight = timed.reduce(0) { $0 + $1.packets }
    t.wiresharkJitterMeanMs =
      timed.reduce(0) { $0 + $1.meanJitterMs * Double($1.packets) } / Double(max(1, weight))
    t.wiresharkJitterMaxMs = timed.reduce(0) { max($0, $1.maxJitterMs) }
  }
}

extension MediaStream {
  /// Takes the packet count in an unencrypted sender report (RFC 3550 section 6.4.1).
  func reported(sent packets: UInt32, at timeNs: Int64) { senderReport = (packets, timeNs) }

  /// Records a report of its receiver about loss, after which its sender may begin to protect the audio.
  func wasReported(at timeNs: Int64) {
    guard audio != nil else { return }
    audio?.fec.reported(atMs: Double(timeNs) / 1e6, expected: sequence.expected, lost: sequence.lost)
  }

  /// Compares the cumulative loss in an unencrypted receiver report with the capture. Duplicates reduce the
  /// reported number (RFC 3550).
  func compareLoss(with reporter: UInt32, at timeNs: Int64) {
    let missing = sequence.lost - sequence.duplicates
    uncapturedLoss.take(
      missing: missing, of: sequence.expected, reported: reports.lost, by: reporter, since: firstNs,
      at: timeNs)
    reportedLoss.take(missing: missing, of: sequence.expected, reported: reports.lost, by: reporter)
  }

  /// Records that its receiver requested a key frame.
  func keyFrameAsked(at timeNs: Int64) { video?.asked(at: timeNs) }

  /// Records that its receiver requested retransmissions.
  func packetsAsked(at timeNs: Int64) {
    repeatRequests &+= 1
    video?.nacked(at: timeNs)
  }

  /// The number of retransmission requests from its receiver; nil if none of the receiver's reports was
  /// captured, or if another video stream of the sender may have been meant.
  var ownRepeatRequests: Int? {
    let isAlone = !path.media.contains {
      $0 !== self && $0.sender == sender && $0.role == .media && $0.kind == .video
    }
    return isAlone && path[1 - sender].firstRTCPNs != nil ? repeatRequests : nil
  }

  /// Called once a second. If no reports of the receiver were captured, one is assumed. Also keeps audio and
  /// video in sync.
  func everySecond(at timeNs: Int64) {
    guard let size = audio?.lastSize else { return }
    largestSize = max(largestSize, size)
    if let media = audio?.newestMedia { soundMade.take(timeNs: newestNs, media: media, clock: clockRate) }
    let ms = Double(timeNs) / 1e6
    if audio?.fec.isOverdue(atMs: ms, startMs: Double(firstNs) / 1e6) == true { wasReported(at: timeNs) }
    synchronise(timeNs)
  }

  /// Two sender reports of each stream are needed to relate their clocks. If those were not captured, this
  /// time has to pass instead.
  private static let reportsNeeded = 2
  private static let unreportedNs: Int64 = 8_000_000_000

  private func synchronise(_ timeNs: Int64) {
    guard audio != nil,
      let picture = path.media.first(where: { $0.sender == sender && $0.kind == .video && $0.video != nil }),
      let shown = picture.video, shown.lastPacketNs > syncedNs, hasKnownClock(timeNs),
      picture.hasKnownClock(timeNs)
    else { return }
    guard let latenessMs = audio?.newestLatenessMs, let levelMs = audio?.levelMs else { return }
    syncedNs = shown.lastPacketNs
    // The fastest packets of both are assumed to have been sent at the same time.
    let wanted = lipSync.step(
      relativeMs: shown.newestLatenessMs - latenessMs,
      soundMs: levelMs + LipSync.deviceMs, pictureMs: shown.wantedMs)
    guard let wanted else { return }
    audio?.wanted.minMs = wanted.soundMs
    picture.video?.minDelayMs = wanted.pictureMs
  }

  private func hasKnownClock(_ timeNs: Int64) -> Bool {
    path[sender].firstRTCPNs != nil
      ? senderReports >= Self.reportsNeeded : timeNs &- firstNs > Self.unreportedNs
  }
}

/// A stream that carries no medium of its own, but repeats or protects another stream.
extension MediaStream {
  /// Whether a packet repeats one of a sibling stream; if so, it is passed to that stream.
  func isRepair(_ packet: RTPPacket) -> Bool {
    if format != nil { return false }
    guard let original = repairGuess.take(packet, of: self) else { return false }
    beRepair(of: original)
    return true
  }

  /// Records that this stream has turned out to be a retransmission of another one.
  func noteRepair() {
    guard role == .media, format == nil, kind != .audio, let original = repairGuess.repaired(by: self) else {
      return
    }
    beRepair(of: original)
  }

  private func beRepair(of original: MediaStream) {
    role = .repair
    kind = original.kind
    clockRate = 0
    video = nil
    repairs = original
    original.repairedBy = self
    unsettled = []
    openTicks = []
    for held in repairGuess.close() { original.takeRepeat(held) }
    _ = clock.close()
  }

  /// Takes a retransmission of one of this stream's packets.
  func takeRepeat(_ packet: RTPPacket) {
    repeats &+= 1
    repeatBytes &+= packet.payloadLength
    if video != nil {
      video?.takeRepeat(packet)
    } else if clock.isOpen && earlyRepeats.count < 64 {
      earlyRepeats.append(packet)
    }
  }

  /// Detects that a stream without a description is FlexFEC: it never marks the end of a frame, and the same
  /// sender has a larger video stream that does.
  func noteRedundancy() {
    guard role == .media, format == nil, kind == .video, repairGuess.isUnmarked else { return }
    let isBesidesPicture = path.media.contains {
      $0 !== self && $0.sender == sender && $0.role == .media && $0.kind == .video
        && $0.repairGuess.isMarked && $0.sequence.unique > 2 * sequence.unique
    }
    guard isBesidesPicture else { return }
    role = .redundancy
    kind = nil
    clockRate = 0
    video = nil
    unsettled = []
    openTicks = []
  }
}

/// A stream with several pairs of addresses, because ICE moved it or some of its packets took another route.
extension MediaStream {
  private static let betweenTicksNs: Int64 = 1_000_000_000

  /// Whether a packet of this SSRC on another flow of the path has not arrived before. A packet that has is
  /// only seen again, on another leg.
  func lacks(_ packet: RTPPacket) -> Bool {
    let ahead = Int64(Int16(bitPattern: packet.sequence &- UInt16(truncatingIfNeeded: sequence.highest)))
    // Numbers this old are not remembered. After a silence they belong to the next cycle.
    if ahead <= -Int64(SequenceState.window) { return packet.timeNs &- lastNs > Self.betweenTicksNs }
    return ahead > 0 || !sequence.has(sequence.highest + ahead)
  }

  /// Finds the pair of addresses with most of the recent packets, and informs the path if it has changed.
  func followRoute(at timeNs: Int64) {
    var (busiest, most) = (route, 0)
    for index in figures.indices {
      let count = figures[index].wireshark.packets
      let new = count - figures[index].packetsSeen
      figures[index].packetsSeen = count
      if new > most { (busiest, most) = (index, new) }
    }
    guard busiest != route else { return }
    let before = figures[route]
    route = busiest
    source = figures[busiest].source
    destination = figures[busiest].destination
    guard role == .media, path.isWebRTC else { return }
    path.moved(
      from: MediaTransport.Route(from: before.source, to: before.destination, sender: sender, sinceNs: .min),
      to: MediaTransport.Route(
        from: source, to: destination, sender: sender,
        sinceNs: max(figures[busiest].firstNs, timeNs &- Self.betweenTicksNs)))
  }
}

/// A stream over TCP of which the capture missed segments. Their receiver acknowledged them, so nothing was
/// lost.
extension MediaStream {
  /// The maximum number of packets whose times are interpolated, and the maximum time between them, s.
  private static let maxInterpolated = 500
  private static let longestStep = 0.13

  /// Treats the packets missing before this one as received at equal intervals.
  func passHole(before packet: RTPPacket, _ verdict: SequenceState.Verdict) {
    isPastHole = false
    guard case .advanced(let gap) = verdict, gap > 0 else { return }
    sequence.markUncaptured(gap)
    uncaptured += gap
    video?.passHole(at: packet.timeNs)
    guard audio != nil, gap <= Self.maxInterpolated else { return }
    let step = Int64(Int32(bitPattern: packet.timestamp &- newestTimestamp)) / Int64(gap + 1)
    guard step > 0, Double(step) <= Self.longestStep * Double(clockRate) else { return }
    let apartNs = (packet.timeNs &- newestNs) / Int64(gap + 1)
    for n in 1...gap {
      var missing = packet
      missing.sequence = packet.sequence &- UInt16(truncatingIfNeeded: gap + 1 - n)
      missing.timestamp = newestTimestamp &+ UInt32(truncatingIfNeeded: step * Int64(n))
      missing.timeNs = newestNs &+ apartNs * Int64(n)
      audio?.take(missing, level: nil)
    }
  }
}

/// Media sent where the far end is not. Its own media comes from another address, and nothing comes from the one that
/// was sent to: a private address in SDP although the far end is behind a NAT, a port that SDP does not name, or the
/// address before a change.
extension MediaStream {
  /// For less than this, the sender may be waiting for the far end's first packet, in order to send to its
  /// source (symmetric RTP), ns.
  private static let minNs = Threshold.notDelivered.ns

  /// Where it was sent and where the far end is, as a JSON object; nil if it may have arrived.
  var astray: String? { sentToPrivate ?? sentElsewhere }

  private var sentToPrivate: String? {
    guard role == .media, path.call != nil, !path.isWebRTC, destination.address.isPrivate,
      route < figures.count, lastNs &- figures[route].firstNs >= Self.minNs
    else { return nil }
    let others = path.media.filter { $0.sender != sender && $0.role == .media && $0.kind == kind }
    if others.isEmpty { return sentBehindNAT }
    guard let far = others.max(by: { $0.payloadBytes < $1.payloadBytes }),
      far.destination.address == source.address,
      others.allSatisfy({ !$0.source.address.isPrivate }),
      min(far.lastNs, lastNs) &- max(far.firstNs, figures[route].firstNs) >= Self.minNs
    else { return nil }
    var w = ArgumentWriter()
    w.add("to", destination.text)
    w.add("far_end", far.source.text)
    w.add("from_ms", figures[route].firstNs.unixMs)
    w.add("until_ms", lastNs.unixMs)
    return w.text
  }

  /// The same where nothing came back: the far end signals from public addresses, and this one is in no network with the
  /// private address.
  private var sentBehindNAT: String? {
    let hosts = path.signalledTo.subtracting([source.address])
    let isBeside =
      source.address.high == destination.address.high
      && source.address.low >> 16 == destination.address.low >> 16
    guard !isBeside, !hosts.contains(where: \.isPrivate), let far = hosts.map(\.text).min() else {
      return nil
    }
    var w = ArgumentWriter()
    w.add("to", destination.text)
    w.add("far_end", far)
    w.add(raw: "unanswered", "true")
    w.add("from_ms", figures[route].firstNs.unixMs)
    w.add("until_ms", lastNs.unixMs)
    return w.text
  }

  /// The same of audio of a SIP call sent to another port of the far end, or to the address that it had before, than the
  /// one that SDP names and that the far end's own audio comes from.
  private var sentElsewhere: String? {
    let receiver = path[1 - sender]
    guard role == .media, kind == .audio, path.call != nil, !path.isWebRTC, route < figures.count,
      let named = receiver.soundAt, destination != named,
      destination.address == named.address || destination == receiver.soundWasAt
    else { return nil }
    let others = path.media.filter { $0.sender != sender && $0.role == .media }
    guard
      let far = others.last(where: {
        $0.kind == .audio && $0.source == named && $0.destination.address == source.address
      }), far.route < far.figures.count
    else { return nil }
    let fromNs = max(figures[route].firstNs, far.figures[far.route].firstNs)
    // Whatever sends from an address may receive there as well.
    guard min(far.lastNs, lastNs) &- fromNs >= Self.minNs,
      !others.contains(where: { $0.source == destination && $0.lastNs > fromNs })
    else { return nil }
    var w = ArgumentWriter()
    w.add("to", destination.text)
    w.add("far_end", named.text)
    w.add(raw: "named", "true")
    w.add("from_ms", fromNs.unixMs)
    w.add("until_ms", lastNs.unixMs)
    return w.text
  }
}
