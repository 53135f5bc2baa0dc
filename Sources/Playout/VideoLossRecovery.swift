import Glibc

/// Distinguishes missing redundancy packets (ULPFEC) from missing video packets by sizes and times alone.
struct RedundancyEvidence {
  /// Redundancy packets per frame, running mean.
  private(set) var mean = 0.0
  /// Whether there were any.
  private(set) var hasRedundancy = false
  private var sizes = FrameSizes()
  /// Mean step of RTP time between frames.
  private var meanStep = 0.0
  private var largestPacket = 0
  /// Share of missing sequence numbers, running mean.
  private var lossShare = 0.0

  private static let memory = 1.0 / 16
  private static let lossMemory = 1.0 / 256
  private static let maxTogether = 6
  /// Redundancy is never ruled out.
  private static let minMean = 0.02
  /// Unlikely, but possible with other senders.
  private static let unlikely = 0.05
  /// A request fails if it or its answer is lost, which can happen at any time.
  private static let vainShares = 0.04...0.9

  /// Adds a packet; `skipped` sequence numbers before it are missing.
  mutating func take(bytes: Int, skipped: Int64) {
    largestPacket = max(largestPacket, bytes)
    let skipped = Double(skipped)
    lossShare += (skipped / (skipped + 1) - lossShare) * Self.lossMemory
  }

  /// Adds a packet that had been missing.
  mutating func takeOvertaken() { lossShare = max(0, lossShare - Self.lossMemory) }

  /// Adds a frame: its packets if any were received, and the RTP time since the previous one, nil after a gap.
  mutating func take(packets: Int, step: Int64?) {
    if packets > 0 { sizes.take(packets) }
    guard let step, step > 0, meanStep == 0 || Double(step) < 4 * meanStep else { return }
    meanStep += (Double(step) - meanStep) * (meanStep == 0 ? 1 : Self.memory)
  }

  /// Adds the redundancy packets received after a frame.
  mutating func take(redundancy: Int) {
    mean += (Double(redundancy) - mean) * Self.memory
    if redundancy > 0 { hasRedundancy = true }
  }

  /// Index of the frame after which the redundancy of several frames is sent, if it repairs what they lack: it covers
  /// the frames of at most two round trips (libwebrtc `VCMNackFecMethod`), and takes two packets for each missing one
  /// beyond the first.
  func wholeTogether(_ frames: [VideoFrame], from i: Int, lacking: Int, roundTripMs: Double) -> Int? {
    guard hasRedundancy, meanStep > 0, frames[i].fec == 0 else { return nil }
    let most = max(1, min(Double(Self.maxTogether), 2 * roundTripMs * 90 / meanStep + 0.5))
    var lacking = lacking
    for j in frames.indices.dropFirst(i + 1).prefix(Int(most) - 1) {
      guard let first = frames[j].first, let marker = frames[j].marker else { return nil }
      let start = frames[j - 1].marker.map { $0 + 1 } ?? first
      lacking += max(0, Int(marker - start) + 1 - frames[j].packets)
      if frames[j].fec > 0 {
        return lacking <= max(1, (frames[j].fec + frames[j].repeats) / 2) ? j : nil
      }
    }
    return nil
  }

  /// Whether sequence numbers missing between two frames were redundancy of the earlier one, rather than the first
  /// packets of the later one or frames in between: whichever is more likely given the redundancy per frame, sizes and
  /// times, and the number of unanswered requests, as redundancy is not retransmitted.
  ///
  /// `came` is the received redundancy of the earlier frame, `step` the RTP time to the later one.
  func isRedundancy(missing: Int, came: Int, before frame: VideoFrame, step: Int64, vainRequests: Int)
    -> Bool
  {
    guard missing > 0, frame.repeats == 0, frame.packets > 0 else { return false }
    // Redundancy per frame as a Poisson variable: some were received, so this many more were sent.
    let mean = max(Self.minMean, mean)
    var more = 1.0
    for n in 1...min(missing, 64) { more *= mean / Double(came + n) }
    let asIs = sizes.share(frame.packets)
    let others =
      sizes.share(frame.packets + missing) * beganEarlier(missing, frame) + asIs * isLate(missing, step)
    let vain = max(Self.vainShares.lowerBound, min(Self.vainShares.upperBound, 2 * lossShare))
    return more * asIs > others * pow(vain, Double(vainRequests))
  }

  /// How well a frame fits if it had more packets: they have about the same size, and a frame is not split if it fits
  /// in fewer packets (libwebrtc `rtp_packetizer`; RFC 7741 leaves it to the sender).
  private func beganEarlier(_ missing: Int, _ frame: VideoFrame) -> Double {
    let packets = Double(frame.packets + missing)
    let size = Double(frame.bytes) / Double(frame.packets)
    return size > 0.9 * Double(largestPacket) * (packets - 1) / packets ? 1 : Self.unlikely
  }

  /// How well whole frames fit in before a frame: then time is missing as well.
  private func isLate(_ missing: Int, _ step: Int64) -> Double {
    let steps = meanStep > 0 ? (Double(step) / meanStep).rounded() : 1
    return steps >= 2 && Double(missing) >= steps - 1 ? 1 : Self.unlikely
  }
}

/// The recent numbers of packets per frame.
private struct FrameSizes {
  private var logs = InlineArray<32, Double>(repeating: 0)
  private var count = 0

  /// Standard deviation of the logarithms of sizes that count as similar.
  private static let spread = 0.2
  /// Minimum probability of a new size.
  private static let least = 0.01

  /// Adds the number of packets of a frame.
  mutating func take(_ packets: Int) {
    logs[count & 31] = log(Double(packets))
    count &+= 1
  }

  /// Share of the last 32 frames with about this many packets, 0–1.
  func share(_ packets: Int) -> Double {
    let size = log(Double(max(1, packets)))
    let known = min(count, 32)
    guard known > 0 else { return 1 }
    var sum = 0.0
    for i in 0..<known {
      let distance = (logs[i] - size) / Self.spread
      sum += exp(-distance * distance / 2)
    }
    return max(Self.least, sum / Double(known))
  }
}

/// A video frame being received, identified by its RTP timestamp.
struct VideoFrame {
  /// RTP time since the first packet, unwrapped.
  var at: Int64
  /// First and last received sequence number of the media stream itself; nil if there were only retransmissions.
  var first: Int64?
  var last: Int64?
  /// Sequence number of the packet with the marker, the last of the frame; later packets are redundancy (ULPFEC).
  var marker: Int64?
  /// Distinct media packets up to the marker.
  var packets = 0
  /// Redundancy after the marker.
  var fec = 0
  /// Retransmitted packets of this frame.
  var repeats = 0
  /// Whether the marked packet was retransmitted.
  var markerRepeated = false
  /// Whether sequence numbers are missing among its retransmissions.
  var lacksRepeats = false
  /// Whether all of it was lost and retransmitted: packets are retransmitted in order, the marked one last.
  var isRepeatedWhole: Bool { first == nil && markerRepeated && !lacksRepeats }
  var bytes = 0
  var firstNs: Int64
  /// When its last packet arrived.
  var lastNs: Int64
  /// Whether part of it was requested again, or overtaken for so long that it must have been.
  var isRepaired = false
  /// Whether one of its packets arrived after one that was sent later.
  var isOvertaken = false
  /// Whether it is assumed to be a key frame: the first sent after the receiver requested one.
  var isKey = false
}

extension VideoAssembly {
  /// A frame completed by a packet.
  struct Decoded {
    var at: Int64
    var bytes: Int
    /// When its first and last packet arrived, and whether some were retransmitted.
    var firstNs: Int64
    var lastNs: Int64
    var isRepaired: Bool
    /// Whether some of it, or of the frames before it, is missing, and is assumed to have been repaired.
    var isGuessed: Bool
    /// When it could be decoded.
    var readyNs: Int64
  }
}

/// What a receiver's requests for lost packets (RFC 4585 generic NACK) say while a frame blocks others.
///
/// A receiver repeats a request after a round trip, at most ten times (libwebrtc `nack_requester.cc`).
struct RepeatRequests {
  private var lastNs: Int64?
  private var firstNs: Int64?
  private var count = 0
  private var patienceNs: Int64 = 0
  private var answerNs: Int64 = 0

  private static let most = 10
  private static let minPatienceMs = 100.0
  /// The answer to a request takes this many round trips plus this time.
  private static let answerMargin = 1.1
  private static let answerMarginMs = 30.0

  /// Records a request; `isBlocked` means that frames are waiting.
  mutating func asked(at timeNs: Int64, roundTripMs: Double, isBlocked: Bool) {
    lastNs = timeNs
    count += 1
    patienceNs = Int64(max(Self.minPatienceMs, 2 * roundTripMs) * 1e6)
    answerNs = Int64((Self.answerMarginMs + Self.answerMargin * roundTripMs) * 1e6)
    if isBlocked, firstNs == nil { firstNs = timeNs }
  }

  /// Resets the state: nothing is waiting any more.
  mutating func forget() {
    firstNs = nil
    count = 0
  }

  /// Whether the receiver stopped before its last attempt: it has what it needs, from redundancy that is not visible
  /// here.
  func areOver(since blockedNs: Int64, at timeNs: Int64) -> Bool {
    guard let lastNs else { return false }
    return count < Self.most && timeNs &- max(blockedNs, lastNs) > patienceNs
  }

  /// How many answers should have arrived since frames began to wait.
  func vain(at timeNs: Int64) -> Int {
    guard let firstNs, answerNs > 0 else { return 0 }
    return min(Self.most, max(0, Int((timeNs &- firstNs) / answerNs)))
  }
}
