import CallModel
import Packets
import Playout

extension MediaStream {
  /// The whole-stream figures for the store.
  func totals() -> StreamTotals {
    var t = StreamTotals()
    t.firstMs = firstNs.unixMs
    t.lastMs = lastNs.unixMs
    t.packets = sequence.unique
    t.bytes = payloadBytes
    t.expected = sequence.expected
    t.lost = sequence.lost
    t.duplicates = sequence.duplicates
    t.reordered = sequence.reordered
    t.restarts = sequence.restarts
    t.probes = probes
    t.captureDuplicates = captureDuplicates
    t.maxDeltaMs = Double(maxDeltaNs) / 1e6
    if clockRate > 0, let mean = jitter.meanMs {
      t.jitterMeanMs = mean
      t.jitterMaxMs = jitter.maxMs
      if kind == .video && tellsPictures { t.frameJitterMeanMs = frameJitter.meanMs }
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

  /// Mean time of media a packet stands for, ms.
  private var packetMs: Double? {
    sequence.expected > 1 ? Double(lastNs - firstNs) / 1e6 / Double(sequence.expected - 1) : nil
  }

  /// What has no column: what it repairs, where it went, runs of loss.
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
    if let audio, audio.redundant > 0 { w.add("red_restored", audio.restored) }
    if let reported = reports.json(clockRate: clockRate) { w.add(raw: "receiver_reports", reported) }
    if let errors = returned.json { w.add(raw: "returned", errors) }
    if let astray { w.add(raw: "astray", astray) }
    if let beyond = reportedLoss.json { w.add(raw: "lost_beyond", beyond) }
    return w.text == "{}" ? nil : w.text
  }

  /// TShark's columns; for a stream that moved, sums over its pairs of addresses and the mean weighted by packets.
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
  /// Its sender reported in the clear how many packets it had sent (RFC 3550 6.4.1).
  func reported(sent packets: UInt32, at timeNs: Int64) { senderReport = (packets, timeNs) }

  /// Its receiver reported what it lost, which is when its sender may begin to protect the sound.
  func wasReported(at timeNs: Int64) {
    guard audio != nil else { return }
    audio?.fec.reported(atMs: Double(timeNs) / 1e6, expected: sequence.expected, lost: sequence.lost)
  }

  /// Its receiver reported in the clear how many packets it lost so far; duplicates count against them (RFC 3550).
  func compareLoss(with reporter: UInt32, at timeNs: Int64) {
    let missing = sequence.lost - sequence.duplicates
    uncapturedLoss.take(
      missing: missing, of: sequence.expected, reported: reports.lost, by: reporter, since: firstNs,
      at: timeNs)
    reportedLoss.take(missing: missing, of: sequence.expected, reported: reports.lost, by: reporter)
  }

  /// Its receiver asked for a key frame.
  func keyFrameAsked(at timeNs: Int64) { video?.asked(at: timeNs) }

  /// Its receiver asked for packets again.
  func packetsAsked(at timeNs: Int64) {
    repeatRequests &+= 1
    video?.nacked(at: timeNs)
  }

  /// How often its receiver asked for packets again; nil where none of its reports was captured, and where another picture of the
  /// sender may have been meant.
  var ownRepeatRequests: Int? {
    let isAlone = !path.media.contains {
      $0 !== self && $0.sender == sender && $0.role == .media && $0.kind == .video
    }
    return isAlone && path[1 - sender].firstRTCPNs != nil ? repeatRequests : nil
  }

  /// Once a second: where no reports of the receiver were captured, one is assumed; sound and picture stay together.
  func everySecond(at timeNs: Int64) {
    guard audio != nil else { return }
    let ms = Double(timeNs) / 1e6
    if audio?.fec.isOverdue(atMs: ms, startMs: Double(firstNs) / 1e6) == true { wasReported(at: timeNs) }
    synchronise(timeNs)
  }

  /// Both clocks are known from two reports of the sender each; where those were not captured, after so long.
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
    // The fastest packets of both are taken to have been sent together.
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

/// A stream that is no medium of its own: it repeats or protects another.
extension MediaStream {
  /// Whether a packet repeats one of a sibling stream; passes it on if so.
  func isRepair(_ packet: RTPPacket) -> Bool {
    if format != nil { return false }
    guard let original = repairGuess.take(packet, of: self) else { return false }
    beRepair(of: original)
    return true
  }

  /// Finds out that what came so far repeats another stream.
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

  /// Finds out that a stream without description is redundancy of a picture (FlexFEC): it has frames without an end, beside a
  /// picture of the same sender that marks the ends of its frames and is the greater.
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

/// A stream that passes on several pairs of addresses: ICE moved it, or some of its packets took another way.
extension MediaStream {
  private static let betweenTicksNs: Int64 = 1_000_000_000

  /// Whether a packet of its SSRC on another flow of its path is one that has not come: what came already is seen on its way
  /// once more, on another leg.
  func lacks(_ packet: RTPPacket) -> Bool {
    let ahead = Int64(Int16(bitPattern: packet.sequence &- UInt16(truncatingIfNeeded: sequence.highest)))
    // Of numbers so long ago nothing is known; after a silence they are those of the next round.
    if ahead <= -Int64(SequenceState.window) { return packet.timeNs &- lastNs > Self.betweenTicksNs }
    return ahead > 0 || !sequence.has(sequence.highest + ahead)
  }

  /// Finds the pair of addresses on which most of it passed of late, and tells its path where that changed.
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

/// A stream in TCP of which the capture misses segments: their receiver acknowledged them, so nothing of it was lost.
extension MediaStream {
  /// Packets of which the times are made up at most, and how far apart they may be, s.
  private static let mostMadeUp = 500
  private static let longestStep = 0.13

  /// Takes the packets that are missing before one for received at even distances.
  func passHole(before packet: RTPPacket, _ verdict: SequenceState.Verdict) {
    isPastHole = false
    guard case .advanced(let gap) = verdict, gap > 0 else { return }
    sequence.excuse(gap)
    uncaptured += gap
    video?.passHole(at: packet.timeNs)
    guard audio != nil, gap <= Self.mostMadeUp else { return }
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

/// Sound that goes to the private address that SDP named, while the far end is behind a translator (NAT): its own comes from a
/// public address, and nothing from the private one.
extension MediaStream {
  /// Shorter, the sender waits for the first packet of the far end, to answer where that comes from (symmetric RTP), ns.
  private static let leastNs: Int64 = 5_000_000_000

  /// Where it went and where the far end is, as a JSON object; nil where it may have arrived.
  var astray: String? {
    guard role == .media, path.call != nil, !path.isWebRTC, destination.address.isPrivate,
      route < figures.count, lastNs &- figures[route].firstNs >= Self.leastNs
    else { return nil }
    let others = path.media.filter { $0.sender != sender && $0.role == .media && $0.kind == kind }
    guard let far = others.max(by: { $0.payloadBytes < $1.payloadBytes }),
      far.destination.address == source.address,
      others.allSatisfy({ !$0.source.address.isPrivate }),
      min(far.lastNs, lastNs) &- max(far.firstNs, figures[route].firstNs) >= Self.leastNs
    else { return nil }
    var w = ArgumentWriter()
    w.add("to", destination.text)
    w.add("far_end", far.source.text)
    w.add("from_ms", figures[route].firstNs.unixMs)
    w.add("until_ms", lastNs.unixMs)
    return w.text
  }
}
