/// Assembles frames from encrypted packets: which frames could be decoded, and when.
///
/// A frame is complete if no sequence number up to its marker is missing, or if as many retransmissions or redundancy
/// packets with its timestamp were received as are missing. An incomplete frame blocks later ones until a key frame.
struct VideoAssembly {
  private var frames: [VideoFrame] = []
  /// Highest sequence number of frames already decoded or given up.
  private var end: Int64?
  private var fecOfLast = 0
  /// Numbers beyond `end` that were received and belong to decoded frames.
  private var trailing = 0
  /// Retransmissions of earlier frames beyond what they seemed to need.
  private var surplus = 0
  /// Whether the last frame was received complete and in order: its retransmissions are bandwidth probes. Not if frames
  /// have redundancy: then a missing number may never be retransmitted, and the next frame must not wait for it.
  private var isComplete = false
  private var evidence = RedundancyEvidence()
  private var requests = RepeatRequests()
  private var meanBytes = 0.0
  private var blockedSinceNs: Int64?
  private var lastDecoded = Int64.min
  /// Highest sequence number received, and when.
  private var newest = Int64.min
  private var nowNs: Int64 = 0
  /// When the receiver last requested a key frame (PLI, FIR), and from when on frames may answer it.
  private var askedNs: Int64?
  private var lastAskedNs: Int64?
  private var seesRequests: Bool { lastAskedNs != nil }
  /// As last given with a request, 0 before.
  private var roundTripMs = 0.0
  /// Whether the frames being assembled were displayed at their arrival, which is only known afterwards.
  private var isInHindsight = false
  private var lastRepeat: UInt16?
  private(set) var received = 0

  /// The most frames being assembled.
  private static let most = 256
  /// Without visible feedback a blocked decoder is assumed to get a key frame after this time; with feedback, a decoder
  /// that requests none is assumed not to be blocked (libwebrtc requests one after 3 s).
  private static let patienceNs: Int64 = 3_200_000_000
  /// Maximum time to receive a frame.
  private static let frameNs: Int64 = 100_000_000
  /// Redundancy packets per frame from which a missing number may be one.
  private static let someFEC = 0.1
  /// Minimum ratio of a key frame's size to the mean, if no request was captured.
  private static let keySize = 3.0

  /// Records a key frame request; frames sent before it reached the sender are not an answer.
  mutating func asked(at timeNs: Int64, roundTripMs: Double) {
    self.roundTripMs = roundTripMs
    lastAskedNs = timeNs
    askedNs = timeNs &+ Int64(roundTripMs * 0.9e6)
  }

  /// Records a request for retransmission, which the receiver repeats while packets are missing.
  mutating func nacked(at timeNs: Int64, roundTripMs: Double) {
    self.roundTripMs = roundTripMs
    requests.asked(at: timeNs, roundTripMs: roundTripMs, isBlocked: blockedSinceNs != nil)
  }

  /// Adds a packet of the stream.
  mutating func take(
    number: Int64, at: Int64, marker: Bool, bytes: Int, timeNs: Int64, _ decoded: (Decoded) -> Void
  ) {
    if let end, number <= end { return }
    guard let i = index(at, timeNs) else {
      // Redundancy after a frame already decoded.
      if end != nil {
        trailing += 1
        fecOfLast += 1
      }
      return
    }
    frames[i].first = min(frames[i].first ?? number, number)
    frames[i].last = max(frames[i].last ?? number, number)
    frames[i].lastNs = timeNs
    if number < newest {
      frames[i].isRepaired = true
      frames[i].isOvertaken = true
      evidence.takeOvertaken()
    } else {
      evidence.take(bytes: bytes, skipped: newest == .min ? 0 : number - newest - 1)
      newest = number
    }
    nowNs = timeNs
    if marker { frames[i].marker = number }
    if let m = frames[i].marker, number > m {
      frames[i].fec += 1
    } else {
      frames[i].packets += 1
      frames[i].bytes += bytes
    }
    advance(timeNs, decoded)
  }

  /// Adds a retransmission of a packet with this timestamp; `number` is its own number among retransmissions.
  mutating func takeRepeat(
    number: UInt16, at: Int64, marker: Bool, timeNs: Int64, _ decoded: (Decoded) -> Void
  ) {
    let follows = lastRepeat.map { number == $0 &+ 1 } ?? true
    lastRepeat = number
    guard at > lastDecoded, let i = index(at, timeNs) else {
      if at == lastDecoded, !isComplete { surplus = min(8, surplus + 1) }
      return
    }
    if !follows { frames[i].lacksRepeats = true }
    frames[i].repeats += 1
    frames[i].lastNs = timeNs
    frames[i].isRepaired = true
    if marker { frames[i].markerRepeated = true }
    advance(timeNs, decoded)
  }

  /// Whether it waits for lost packets, not just for the rest of a frame.
  func isStuck(at timeNs: Int64) -> Bool { blockedSinceNs.map { timeNs &- $0 > Self.frameNs } ?? false }

  /// The sender restarted.
  mutating func restart() {
    frames = []
    end = nil
    newest = .min
    lastRepeat = nil
    lastDecoded = .min
    blockedSinceNs = nil
    requests.forget()
  }

  private mutating func index(_ at: Int64, _ timeNs: Int64) -> Int? {
    var i = frames.count
    while i > 0 && frames[i - 1].at > at { i -= 1 }
    if i > 0 && frames[i - 1].at == at { return i - 1 }
    guard at > lastDecoded else { return nil }
    var frame = VideoFrame(at: at, firstNs: timeNs, lastNs: timeNs)
    if i == frames.count, let asked = askedNs, timeNs >= asked {
      frame.isKey = true
      askedNs = nil
    }
    frames.insert(frame, at: i)
    guard frames.count > Self.most else { return i }
    // Drop the first frame, and shift all others by one.
    give(up: 1)
    return i > 0 ? i - 1 : nil
  }

  private mutating func advance(_ timeNs: Int64, _ decoded: (Decoded) -> Void) {
    while let whole = wholeAtHead() ?? settledAtHead(timeNs) {
      decode(upTo: whole, timeNs, decoded)
    }
    guard !frames.isEmpty else {
      blockedSinceNs = nil
      return
    }
    let since = blockedSinceNs ?? timeNs
    blockedSinceNs = since
    // A complete key frame later in the queue unblocks the decoder.
    if let i = keyFrame(timeNs, since) { return goOn(at: i, timeNs, decoded) }
    guard let i = unaskedFrame(timeNs, since) else { return }
    isInHindsight = true
    goOn(at: i, timeNs, decoded)
    isInHindsight = false
  }

  private mutating func goOn(at i: Int, _ timeNs: Int64, _ decoded: (Decoded) -> Void) {
    give(up: i)
    frames[0].isKey = true
    end = frames[0].first.map { $0 - 1 }
    blockedSinceNs = nil
    advance(timeNs, decoded)
  }

  /// The frame with which a blocked decoder continues: the first that looks like a key frame. If no request was
  /// captured, one is assumed to have arrived by now, and earlier frames are useless.
  private func keyFrame(_ timeNs: Int64, _ since: Int64) -> Int? {
    let later = frames.indices.dropFirst()
    if let key = later.first(where: { isKey($0, timeNs, since) && isWhole($0) }) { return key }
    guard !seesRequests, timeNs &- since > Self.patienceNs else { return nil }
    return later.last(where: isWhole)
  }

  /// The frame with which a decoder continued whose receiver requests key frames, but has not for some time: it had
  /// what seems to be missing, and displayed what followed its last request.
  private func unaskedFrame(_ timeNs: Int64, _ since: Int64) -> Int? {
    guard let lastAskedNs, timeNs &- max(since, lastAskedNs) > Self.patienceNs else { return nil }
    return frames.indices.first { frames[$0].lastNs > lastAskedNs && isWhole($0) }
  }

  private func isWhole(_ i: Int) -> Bool {
    missing(i, from: frames[i].first) <= frames[i].repeats + frames[i].fec
  }

  private func isKey(_ i: Int, _ timeNs: Int64, _ since: Int64) -> Bool {
    if frames[i].isKey { return true }
    return !seesRequests && meanBytes > 0 && Double(frames[i].bytes) > Self.keySize * meanBytes
      && timeNs &- since > 100_000_000
  }

  /// Index of the first frame with anything other than retransmissions.
  private var firstReceived: Int? { frames.firstIndex { $0.first != nil } }

  /// First sequence number needed for a frame to be complete.
  private func start(of i: Int) -> Int64? { end.map { $0 + 1 } ?? frames[i].first }

  /// Index of the first frame that is complete together with all frames before it.
  private func wholeAtHead() -> Int? {
    if end != nil, frames.first?.isRepeatedWhole == true { return 0 }
    guard let i = firstReceived else { return nil }
    let lacking = lacking(i)
    if lacking <= available(i) { return i }
    return evidence.wholeTogether(frames, from: i, lacking: lacking, roundTripMs: roundTripMs)
  }

  /// Retransmissions and redundancy available for a frame and those before it.
  private func available(_ i: Int) -> Int {
    frames[...i].reduce(surplus + ownRedundancy(i)) { $0 + $1.repeats }
  }

  /// Redundancy received with a frame. It cannot be distinguished from media if the marked packet between them is
  /// missing; if the next frame follows directly, that packet precedes the last of them.
  private func ownRedundancy(_ i: Int) -> Int {
    guard frames[i].marker == nil else { return frames[i].fec }
    return frames[i].fec + max(Int(evidence.mean), endsInRedundancy(i) ? 1 : 0)
  }

  private func endsInRedundancy(_ i: Int) -> Bool {
    guard evidence.mean >= Self.someFEC, let last = frames[i].last, i + 1 < frames.count else { return false }
    return frames[i + 1].first == last + 1
  }

  /// Missing packets of a frame, including those between the last decoded frame and its first packet.
  private func lacking(_ i: Int) -> Int {
    let start = start(of: i)
    var count = missing(i, from: start)
    guard let start, let first = frames[i].first, first > start else { return count }
    // Frames known only from retransmissions account for some of the numbers before.
    let repeated = frames[..<i].reduce(0) { $0 + $1.repeats }
    let leading = max(0, Int(first - start) - trailing - repeated)
    count -= min(trailing, Int(first - start))
    if evidence.isRedundancy(
      missing: leading, came: fecOfLast, before: frames[i], step: frames[i].at &- lastDecoded,
      vainRequests: requests.vain(at: nowNs))
    {
      count -= leading
    }
    return max(0, count)
  }

  /// Whether the packets received of a frame without its marked packet are redundancy of a completely lost frame, which
  /// is assumed if the frame would otherwise be too large.
  private func isOnlyRedundancy(_ frame: VideoFrame, from start: Int64) -> Bool {
    guard let first = frame.first, first > start, frame.marker == nil, evidence.mean >= Self.someFEC,
      frame.repeats == 0, Int(first - start) <= frame.packets
    else { return false }
    let size = Double(frame.bytes) / Double(frame.packets)
    let missing = Double(first - start)
    return isNearer(missing * size, than: (missing + Double(frame.packets) + 1) * size)
  }

  /// Whether a frame is more likely to have one size than a larger one.
  private func isNearer(_ bytes: Double, than more: Double) -> Bool {
    meanBytes > 0 && bytes * more > meanBytes * meanBytes
  }

  /// The same for a frame that the receiver no longer requests.
  private func settledAtHead(_ timeNs: Int64) -> Int? {
    guard let since = blockedSinceNs, requests.areOver(since: since, at: timeNs),
      let i = firstReceived,
      missing(i, from: frames[i].first) < .max / 2
    else { return nil }
    return i
  }

  /// Missing sequence numbers between a start and the end of a frame; many while its end is unknown.
  private func missing(_ i: Int, from start: Int64?) -> Int {
    guard let start else { return .max / 2 }
    let frame = frames[i]
    if let marker = frame.marker { return max(0, Int(marker - start) + 1 - frame.packets) }
    if isOnlyRedundancy(frame, from: start) { return 0 }
    // The marked packet is missing: the next frame's first packet bounds it.
    let next = frames[(i + 1)...].first { $0.first != nil }?.first
    let bound = next.map { max(0, Int($0 - start) - frame.packets) } ?? .max / 2
    guard frame.markerRepeated, let last = frame.last, let first = frame.first else { return bound }
    // It was retransmitted: it is one of the missing ones, or one beyond.
    let within = Int(last - first) + 1 - frame.packets
    return min(bound, max(1, within) + max(0, Int(first - start)))
  }

  private mutating func decode(upTo i: Int, _ timeNs: Int64, _ decoded: (Decoded) -> Void) {
    isComplete =
      !evidence.hasRedundancy && frames[i].marker != nil && !frames[i].isOvertaken
      && missing(i, from: start(of: i)) == 0
    if frames[i].first != nil, !isComplete {
      surplus = min(8, max(0, available(i) - ownRedundancy(i) - lacking(i)))
    }
    let isGuessed = frames[i].isKey || missing(i, from: start(of: i)) > 0
    let lastOfAll = lastNumber(i)
    trailing = 0
    for j in 0...i {
      let frame = frames[j]
      if frame.first != nil || j == i { evidence.take(redundancy: fecOfLast) }
      evidence.take(packets: frame.packets, step: lastDecoded == .min ? nil : frame.at &- lastDecoded)
      received += 1
      lastDecoded = frame.at
      decoded(
        Decoded(
          at: frame.at, bytes: frame.bytes, firstNs: frame.firstNs, lastNs: frame.lastNs,
          isRepaired: frame.isRepaired, isGuessed: isGuessed,
          readyNs: isInHindsight ? frame.lastNs : timeNs))
      meanBytes += (Double(frame.bytes) - meanBytes) / Double(min(32, received))
      if let last = frame.last {
        // If the marked packet was retransmitted, the frame is at least one longer.
        end = max(end ?? last, j == i ? lastOfAll ?? last : frame.marker == nil ? last + 1 : last)
        fecOfLast = frame.fec
      } else if i == 0, let before = end {
        end = before + Int64(frame.repeats)
        fecOfLast = 0
      }
    }
    frames.removeFirst(i + 1)
    blockedSinceNs = nil
    requests.forget()
  }

  /// The last sequence number of a frame; if its marked packet is missing, the last one assigned to it.
  private func lastNumber(_ i: Int) -> Int64? {
    guard let last = frames[i].last, frames[i].marker == nil else { return frames[i].last }
    let from = start(of: i)
    let count = missing(i, from: from)
    guard let from, count < .max / 2, i + 1 < frames.count, frames[i + 1].first != nil else {
      return last + 1
    }
    return max(last + 1, from - 1 + Int64(frames[i].packets + count))
  }

  /// Drops frames that will not be decoded.
  private mutating func give(up count: Int) {
    for frame in frames.prefix(count) {
      if let last = frame.last { end = max(end ?? last, last) }
      lastDecoded = frame.at
    }
    frames.removeFirst(count)
    trailing = 0
    surplus = 0
  }
}
