/// Puts frames together from packets whose content is encrypted: which frames could be decoded, and when.
///
/// A frame is whole when no number up to its marker is missing, or as many retransmissions or redundancy packets of the
/// same timestamp came as are missing. A frame that cannot be made whole blocks those after it until a key frame.
struct VideoAssembly {
  /// What came out of a packet.
  struct Decoded {
    var at: Int64
    var isKey: Bool
    var bytes: Int
    /// When the first and the last packet of it came, and whether some of it had to be sent again.
    var firstNs: Int64
    var lastNs: Int64
    var isRepaired: Bool
  }

  private var frames: [VideoFrame] = []
  /// Highest number that belongs to frames already decoded or given up.
  private var end: Int64?
  private var fecOfLast = 0
  /// Numbers beyond `end` that came and belong to frames already decoded.
  private var trailing = 0
  /// Retransmissions of earlier frames beyond what they were thought to need.
  private var surplus = 0
  /// Redundancy packets a frame, running mean: tells a missing redundancy packet from a missing first packet.
  private var meanFEC = 0.0
  private var meanBytes = 0.0
  private var blockedSinceNs: Int64?
  private var lastDecoded = Int64.min
  /// Highest number that came at all, when, and packets since one was overtaken.
  private var newest = Int64.min
  private var nowNs: Int64 = 0
  private var sinceOvertaken = VideoAssembly.overtakenMemory
  /// When the receiver last asked for a key frame (PLI, FIR), and from when on frames may answer it.
  private var askedNs: Int64?
  private var seesRequests = false
  /// Retransmissions of frames after the one that blocks.
  private var laterRepeats = 0
  private var lastNackNs: Int64?
  private var nacksSinceBlocked = 0
  private var nackPatienceNs: Int64 = 0
  private(set) var received = 0
  private(set) var keyFrames = 0
  private(set) var repeatsUsed = 0

  /// Frames in assembly at most.
  private static let most = 256
  /// Without visible feedback a blocked decoder is taken to get a key frame after this time (libwebrtc asks after 3 s).
  private static let blindPatienceNs: Int64 = 3_200_000_000
  /// A receiver asks again after a round trip, ten times at most (libwebrtc `nack_requester.cc`): when it falls silent
  /// earlier, it has what it needs, by redundancy that cannot be told from here.
  private static let leastNackPatienceMs = 100.0
  private static let mostNacks = 10
  /// Where packets were overtaken so lately, a missing one is given so long before it is taken for redundancy.
  private static let overtakenMemory = 200
  private static let overtakenNs: Int64 = 100_000_000
  /// Redundancy packets a frame from which a missing number may be one.
  private static let someFEC = 0.1
  /// A key frame is so much larger than the mean where no request was seen.
  private static let keySize = 3.0

  /// Notes that the receiver asked for a key frame; what was sent before it heard of it is no answer.
  mutating func asked(at timeNs: Int64, roundTripMs: Double) {
    seesRequests = true
    askedNs = timeNs &+ Int64(roundTripMs * 0.9e6)
  }

  /// Notes that the receiver asked for packets again; it goes on asking while it misses them.
  mutating func nacked(at timeNs: Int64, roundTripMs: Double) {
    lastNackNs = timeNs
    nacksSinceBlocked += 1
    nackPatienceNs = Int64(max(Self.leastNackPatienceMs, 2 * roundTripMs) * 1e6)
  }

  /// Takes a packet of the stream.
  mutating func take(
    number: Int64, at: Int64, marker: Bool, bytes: Int, timeNs: Int64, _ decoded: (Decoded) -> Void
  ) {
    if let end, number <= end { return }
    guard let i = index(at, timeNs) else {
      // Redundancy that follows a frame already decoded.
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
      sinceOvertaken = 0
    } else {
      newest = number
      sinceOvertaken = min(Self.overtakenMemory, sinceOvertaken + 1)
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

  /// Takes a retransmission of a packet with the given timestamp.
  mutating func takeRepeat(at: Int64, marker: Bool, timeNs: Int64, _ decoded: (Decoded) -> Void) {
    guard at > lastDecoded, let i = index(at, timeNs) else {
      if at == lastDecoded { surplus = min(8, surplus + 1) }
      return
    }
    if i > 0 { laterRepeats += 1 }
    frames[i].repeats += 1
    frames[i].lastNs = timeNs
    frames[i].isRepaired = true
    if marker { frames[i].markerRepeated = true }
    advance(timeNs, decoded)
  }

  /// A sender that began anew.
  mutating func restart() {
    frames = []
    end = nil
    lastDecoded = .min
    blockedSinceNs = nil
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
    if frames.count > Self.most { give(up: 1) }
    return min(i, frames.count - 1)
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
    // A whole key frame further on frees the decoder.
    for i in frames.indices.dropFirst()
    where isKey(i, timeNs, since) && missing(i, from: frames[i].first) <= frames[i].repeats + frames[i].fec {
      give(up: i)
      frames[0].isKey = true
      end = frames[0].first.map { $0 - 1 }
      blockedSinceNs = nil
      return advance(timeNs, decoded)
    }
  }

  private func isKey(_ i: Int, _ timeNs: Int64, _ since: Int64) -> Bool {
    if frames[i].isKey { return true }
    if seesRequests { return false }
    return timeNs &- since > Self.blindPatienceNs
      || meanBytes > 0 && Double(frames[i].bytes) > Self.keySize * meanBytes && timeNs &- since > 100_000_000
  }

  /// Index of the first frame with packets of its own, if it and what lies before it are whole.
  private func wholeAtHead() -> Int? {
    guard let i = frames.firstIndex(where: { $0.first != nil }) else { return nil }
    return lacking(i) <= available(i) ? i : nil
  }

  /// Retransmissions and redundancy at hand for a frame and those before it.
  private func available(_ i: Int) -> Int {
    var count = surplus + frames[i].fec
    // Redundancy cannot be told from media where the marked packet between them is missing.
    if frames[i].marker == nil { count += Int(meanFEC) }
    for j in 0...i { count += frames[j].repeats }
    return count
  }

  /// Packets that a frame lacks, those between the last decoded frame and its first packet included.
  private func lacking(_ i: Int) -> Int {
    let start = end.map { $0 + 1 } ?? frames[i].first
    var count = missing(i, from: start)
    guard let start, let first = frames[i].first, first > start else { return count }
    let leading = max(0, Int(first - start) - trailing)
    count -= min(trailing, Int(first - start))
    if isRedundancy(leading, before: i) { count -= leading }
    return max(0, count)
  }

  /// Whether numbers that are missing between two frames were redundancy of the earlier one, rather than the first packets
  /// of the later: where such followed the one before, where a whole group of it is due, or where the frame would be larger
  /// with them than frames are. Packets of a frame are about the same size (RFC 7741 leaves that to the sender).
  private func isRedundancy(_ leading: Int, before i: Int) -> Bool {
    guard leading > 0 else { return false }
    if sinceOvertaken < Self.overtakenMemory && nowNs &- frames[i].firstNs < Self.overtakenNs { return false }
    if fecOfLast > 0 && leading <= fecOfLast + 1 || meanFEC >= 0.4 && leading >= 3 { return true }
    let frame = frames[i]
    guard meanFEC >= Self.someFEC, frame.repeats == 0, frame.packets > 0 else { return false }
    let size = Double(frame.bytes) / Double(frame.packets)
    return isNearer(Double(frame.bytes), than: Double(frame.bytes) + Double(leading) * size)
  }

  /// Whether what came of a frame without its marked packet is redundancy of a frame that was lost as a whole: so it is
  /// where the frame would else be larger than frames are.
  private func isOnlyRedundancy(_ frame: VideoFrame, from start: Int64) -> Bool {
    guard let first = frame.first, first > start, frame.marker == nil, meanFEC >= Self.someFEC,
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

  /// The same for a frame about which the receiver has stopped asking.
  private func settledAtHead(_ timeNs: Int64) -> Int? {
    guard let since = blockedSinceNs, let nack = lastNackNs else { return nil }
    let isSilent = nacksSinceBlocked < Self.mostNacks && timeNs &- max(since, nack) > nackPatienceNs
    // Others are repaired and this one is not: nobody asks for it.
    let isPassedOver = laterRepeats >= 3 && timeNs &- since > nackPatienceNs
    guard isSilent || isPassedOver, let i = frames.firstIndex(where: { $0.first != nil }),
      missing(i, from: frames[i].first) < .max / 2
    else { return nil }
    return i
  }

  /// Numbers that have not come between a start and the end of a frame; many while its end is not known.
  private func missing(_ i: Int, from start: Int64?) -> Int {
    guard let start else { return .max / 2 }
    let frame = frames[i]
    if let marker = frame.marker { return max(0, Int(marker - start) + 1 - frame.packets) }
    if isOnlyRedundancy(frame, from: start) { return 0 }
    // The marked packet is missing: the next frame's first packet bounds it.
    let next = frames[(i + 1)...].first { $0.first != nil }?.first
    let bound = next.map { max(0, Int($0 - start) - frame.packets) } ?? .max / 2
    guard frame.markerRepeated, let last = frame.last, let first = frame.first else { return bound }
    // It came again: it is one of those missing within, or lies one beyond.
    let within = Int(last - first) + 1 - frame.packets
    return min(bound, max(1, within) + max(0, Int(first - start)))
  }

  private mutating func decode(upTo i: Int, _ timeNs: Int64, _ decoded: (Decoded) -> Void) {
    surplus = min(
      8, max(0, available(i) - frames[i].fec - (frames[i].marker == nil ? Int(meanFEC) : 0) - lacking(i)))
    trailing = 0
    meanFEC += (Double(fecOfLast) - meanFEC) / 16
    for j in 0...i {
      let frame = frames[j]
      received += 1
      if frame.isKey || keyFrames == 0 { keyFrames += 1 }
      lastDecoded = frame.at
      decoded(
        Decoded(
          at: frame.at, isKey: frame.isKey, bytes: frame.bytes, firstNs: frame.firstNs, lastNs: frame.lastNs,
          isRepaired: frame.isRepaired))
      meanBytes += (Double(frame.bytes) - meanBytes) / Double(min(32, received))
      if let last = frame.last {
        // Where the marked packet came by retransmission, the frame is one longer at least.
        end = max(end ?? last, frame.marker == nil ? last + 1 : last)
        fecOfLast = frame.fec
      }
    }
    frames.removeFirst(i + 1)
    blockedSinceNs = nil
    nacksSinceBlocked = 0
    laterRepeats = 0
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
