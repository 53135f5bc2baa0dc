import Packets

/// The duration of packets, samples.
///
/// If every sample takes the same number of bytes, the size shows it: the codec is named, or sizes of several durations
/// agree. Otherwise it is assumed to be that of the previous packet, by the timestamp difference to the one after it.
struct PacketDuration {
  /// Duration of packets whose size does not show it.
  private(set) var usual: Int64
  /// Duration of the previous packet.
  private(set) var last: Int64
  /// Bytes per sample of all channels, 0 if unknown or variable.
  private var bytes = 0
  /// Overhead of SRTP (RFC 3711, RFC 7714).
  private var tag = 0
  private var mayGuess: Bool
  /// Bytes per sample according to a size and a timestamp step.
  private var likely: (bytes: Int, tag: Int, step: Int64)?
  /// Consecutive steps longer than their bytes.
  private var longerSteps = 0
  /// Steps that matched their bytes.
  private var confirmations = 0
  /// Consecutive steps longer than the usual duration.
  private var longSteps = 0
  /// Samples of 10 ms, and in the longest packets.
  private let step: Int64
  private let longest: Int64
  private let veryLongest: Int64
  /// Size of the previous packet, its duration by size, and whether silence followed.
  private(set) var lastSize = 0
  private var lastFromSize: Int64?
  private var lastPauses = false

  private static let tags = [0, 4, 10, 16]
  private static let sampleBytes = [1, 2, 3, 4, 6]
  private static let maxChannels = 8
  /// A step up to the first value is a packet duration; up to the second if several such steps follow each other.
  private static let longestMs = 120
  private static let veryLongestMs = 500
  private static let longStepsNeeded = 3
  /// After this many consecutive steps longer than the bytes, sizes are not a measure; fewer are pauses of the sender.
  private static let longerStepsNeeded = 3
  /// If this many matched, a sender that is slower afterwards is skipping audio.
  private static let confirmationsNeeded = 50

  /// Durations for a codec or, if unnamed, for a clock rate in Hz.
  init(_ format: PayloadFormat?, clockRate: Int) {
    usual = Int64(clockRate / 50)  // 20 ms until packets say otherwise
    last = usual
    step = Int64(clockRate / 100)
    longest = Int64(clockRate * Self.longestMs / 1000)
    veryLongest = Int64(clockRate * Self.veryLongestMs / 1000)
    // The number of channels in SDP may be anything.
    let channels = format?.channels.flatMap { (1...Self.maxChannels).contains($0) ? $0 : nil } ?? 1
    switch format?.name.uppercased() {
    // The RTP clock of G722 is half its sampling rate (RFC 3551 section 4.5.2), and a byte has two samples.
    case "PCMU", "PCMA", "L8", "G722": bytes = channels
    case "L16": bytes = 2 * channels
    case "L24": bytes = 3 * channels
    default: break
    }
    mayGuess = bytes == 0
  }

  /// Adds a received media packet, and the timestamp step from the packet with the previous number, if that was the
  /// last one. Returns its own duration if its size shows it.
  @inline(__always)
  mutating func take(size: Int, after step: Int64?, pauses: Bool) -> Int64? {
    if let step { learn(step) }
    if bytes > 0 && (size != lastSize || pauses != lastPauses || lastFromSize == nil) {
      if lastSize == 0 { tag = Self.tags.first { isWhole(size - $0) } ?? 0 }
      lastFromSize = pauses ? nil : durationOf(size)
    }
    lastSize = size
    lastPauses = pauses
    last = lastFromSize ?? usual
    return lastFromSize
  }

  @inline(__always)
  private mutating func learn(_ step: Int64) {
    if bytes > 0 {
      if step != lastFromSize {
        check(step)
      } else {
        longerSteps = 0
        confirmations += 1
      }
    } else if mayGuess, step != usual, lastSize >= step {
      guess(step)
    }
    if step <= longest {
      usual = step
      longSteps = 0
    } else if bytes == 0, step <= veryLongest, !lastPauses {
      longSteps += 1
      // A duration that is too long is corrected at the next packet, one that is too short is not.
      if longSteps >= Self.longStepsNeeded {
        usual = longSteps > Self.longStepsNeeded ? max(usual, step) : step
      }
    }
  }

  /// Whether this many bytes are a usual packet, a multiple of 10 ms.
  private func isWhole(_ size: Int) -> Bool { size > 0 && step > 0 && size % (bytes * Int(step)) == 0 }

  private func durationOf(_ size: Int) -> Int64? {
    let length = Int64((size - tag) / bytes)
    return length > 0 && length <= veryLongest ? length : nil
  }

  /// Compares the duration by size with the following step: a smaller step shows that size is not a measure, and so do
  /// several longer ones.
  private mutating func check(_ step: Int64) {
    guard let expected = lastFromSize else { return }
    let rest = lastSize - Int(step) * bytes
    if Self.tags.contains(rest) {
      tag = rest
    } else {
      longerSteps += 1
      if step < expected || longerSteps >= Self.longerStepsNeeded && confirmations < Self.confirmationsNeeded
      {
        bytes = 0
      }
    }
    lastFromSize = nil
  }

  /// Uses a step of another duration as evidence of the bytes per sample; two that agree are accepted.
  private mutating func guess(_ step: Int64) {
    for bytes in Self.sampleBytes {
      let rest = lastSize - Int(step) * bytes
      guard Self.tags.contains(rest) else { continue }
      if let likely, likely.bytes == bytes, likely.tag == rest {
        if likely.step != step { (self.bytes, tag) = (bytes, rest) }
      } else {
        likely = (bytes, rest, step)
      }
      return
    }
  }
}

/// Caches durations of packets: needed a hundred times per second, for the same few values.
struct PacketDurationCache {
  private var length = Int64.min
  private var known = InlineArray<8, Double>(repeating: 0)

  /// The duration of `count` packets of `length` samples at a sampling rate.
  @inline(__always)
  mutating func ms(_ count: Int, of length: Int64, rate: Double) -> Double {
    if length != self.length { learn(length, rate) }
    return count >= 0 && count < 8 ? known[count] : Self.ms(count, length, rate)
  }

  private mutating func learn(_ length: Int64, _ rate: Double) {
    self.length = length
    for count in 0..<8 { known[count] = Self.ms(count, length, rate) }
  }

  private static func ms(_ count: Int, _ length: Int64, _ rate: Double) -> Double {
    Double(Int64(count) * length) / rate * 1000
  }
}
