import Glibc

/// What tells missing redundancy packets (ULPFEC) from missing packets of pictures, where nothing but sizes and times shows.
struct RedundancyEvidence {
  /// Redundancy packets a frame, running mean.
  private(set) var mean = 0.0
  /// Whether any came.
  private(set) var hasRedundancy = false
  private var sizes = FrameSizes()
  /// Mean step of RTP time between frames.
  private var meanStep = 0.0
  private var largestPacket = 0
  /// Share of numbers that did not come, running mean.
  private var lossShare = 0.0

  private static let memory = 1.0 / 16
  private static let lossMemory = 1.0 / 256
  private static let maxTogether = 6
  /// Redundancy is never ruled out.
  private static let minMean = 0.02
  /// What should not be, and may be with other senders.
  private static let unlikely = 0.05
  /// A request is in vain where it or its answer was lost; some are at any time.
  private static let vainShares = 0.04...0.9

  /// Takes a packet; `skipped` numbers before it have not come.
  mutating func take(bytes: Int, skipped: Int64) {
    largestPacket = max(largestPacket, bytes)
    let skipped = Double(skipped)
    lossShare += (skipped / (skipped + 1) - lossShare) * Self.lossMemory
  }

  /// Takes a packet that had been missing.
  mutating func takeOvertaken() { lossShare = max(0, lossShare - Self.lossMemory) }

  /// Takes a frame: its packets if any came, and by how much RTP time went on, nil after a gap.
  mutating func take(packets: Int, step: Int64?) {
    if packets > 0 { sizes.take(packets) }
    guard let step, step > 0, meanStep == 0 || Double(step) < 4 * meanStep else { return }
    meanStep += (Double(step) - meanStep) * (meanStep == 0 ? 1 : Self.memory)
  }

  /// Takes the redundancy packets that came after a frame.
  mutating func take(redundancy: Int) {
    mean += (Double(redundancy) - mean) * Self.memory
    if redundancy > 0 { hasRedundancy = true }
  }

  /// Index of the frame after which the redundancy of several comes, if it makes up for what they lack: it is spread over those of
  /// two round trips at most (libwebrtc `VCMNackFecMethod`), and two packets of it are needed for each beyond the first.
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

  /// Whether numbers that are missing between two frames were redundancy of the earlier one, rather than the first packets of
  /// the later or frames between: what is more likely by how much redundancy frames have, by sizes and times, and by how
  /// often they were asked for in vain, for redundancy is not sent again.
  ///
  /// `came` is the redundancy of the earlier frame that came, `step` how much later the later one is in RTP time.
  func isRedundancy(missing: Int, came: Int, before frame: VideoFrame, step: Int64, vainRequests: Int)
    -> Bool
  {
    guard missing > 0, frame.repeats == 0, frame.packets > 0 else { return false }
    // Redundancy a frame as a Poisson number: some came, so many more were sent.
    let mean = max(Self.minMean, mean)
    var more = 1.0
    for n in 1...min(missing, 64) { more *= mean / Double(came + n) }
    let asIs = sizes.share(frame.packets)
    let others =
      sizes.share(frame.packets + missing) * beganEarlier(missing, frame) + asIs * isLate(missing, step)
    let vain = max(Self.vainShares.lowerBound, min(Self.vainShares.upperBound, 2 * lossShare))
    return more * asIs > others * pow(vain, Double(vainRequests))
  }

  /// How well a frame fits with more packets before: they are about the same size, and a frame is not cut where it would have
  /// fitted into fewer (libwebrtc `rtp_packetizer`; RFC 7741 leaves it to the sender).
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

/// How many packets the frames of a stream have had of late.
struct FrameSizes {
  private var logs = InlineArray<32, Double>(repeating: 0)
  private var count = 0

  /// Sizes whose logarithms are so far apart count as alike, as standard deviation.
  private static let spread = 0.2
  /// A size never seen is still possible.
  private static let least = 0.01

  /// Takes the number of packets of a frame.
  mutating func take(_ packets: Int) {
    logs[count & 31] = log(Double(packets))
    count &+= 1
  }

  /// Share of the last 32 frames that had about so many packets, 0–1.
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

/// A video frame on its way: what came of it, known by its RTP timestamp.
struct VideoFrame {
  /// RTP time since the first packet, unwrapped.
  var at: Int64
  /// First and last sequence number received of the media stream itself; nil while only retransmissions came.
  var first: Int64?
  var last: Int64?
  /// Number of the packet with the marker, the last of the frame; what follows is redundancy (ULPFEC).
  var marker: Int64?
  /// Distinct media packets up to the marker.
  var packets = 0
  /// Redundancy after the marker.
  var fec = 0
  /// Retransmitted packets of this frame.
  var repeats = 0
  /// Whether the marked packet came by retransmission.
  var markerRepeated = false
  /// Whether numbers are missing among its retransmissions.
  var lacksRepeats = false
  /// Whether it was lost as a whole and came again as a whole: packets are sent again in order, the marked one last.
  var isRepeatedWhole: Bool { first == nil && markerRepeated && !lacksRepeats }
  var bytes = 0
  var firstNs: Int64
  /// When the last packet of it came.
  var lastNs: Int64
  /// Whether a part of it was asked for again, or overtaken for so long that it will have been.
  var isRepaired = false
  /// Whether a packet of it came after one that was sent later.
  var isOvertaken = false
  /// Whether it is taken for a key frame: the first sent after the receiver asked for one.
  var isKey = false
}

extension VideoAssembly {
  /// A frame that came out of a packet.
  struct Decoded {
    var at: Int64
    var bytes: Int
    /// When the first and the last packet of it came, and whether some of it had to be sent again.
    var firstNs: Int64
    var lastNs: Int64
    var isRepaired: Bool
    /// Whether something of it or before it is missing, and is only thought to have come some other way.
    var isGuessed: Bool
    /// When it could be decoded.
    var readyNs: Int64
  }
}
