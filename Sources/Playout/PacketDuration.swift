import Packets

/// How much sound a packet holds, samples.
///
/// Where every sample takes as many bytes as any other its size tells: the codec is named, or sizes of several lengths agree.
/// Elsewhere it is taken to be as long as the one before, by the step to what followed that.
struct PacketDuration {
  /// Length of packets that do not tell their own.
  private(set) var usual: Int64
  /// Length of the packet before.
  private(set) var last: Int64
  /// Bytes of a sample of all channels, 0 where it is not known or not always the same.
  private var bytes = 0
  /// What SRTP adds to a packet (RFC 3711, RFC 7714).
  private var tag = 0
  private var mayGuess: Bool
  /// What a size and a step said of that.
  private var likely: (bytes: Int, tag: Int, step: Int64)?
  /// Steps in a row that were longer than the bytes before them.
  private var longerSteps = 0
  /// Steps that were what the bytes before them said.
  private var confirmations = 0
  /// Longer steps in a row than a packet has as a rule.
  private var longSteps = 0
  /// Samples of 10 ms, and in the longest packets.
  private let step: Int64
  private let longest: Int64
  private let veryLongest: Int64
  /// Size of the packet before, what that told, and whether silence followed.
  private var lastSize = 0
  private var lastTold: Int64?
  private var lastPauses = false

  private static let tags = [0, 4, 10, 16]
  private static let sampleBytes = [1, 2, 3, 4, 6]
  private static let maxChannels = 8
  /// A step up to here is a packet's length, up to there where so long ones follow each other.
  private static let longestMs = 120
  private static let veryLongestMs = 500
  private static let longStepsNeeded = 3
  /// So many steps in a row that are longer than the bytes tell that those are no measure; fewer are pauses of the sender.
  private static let longerStepsNeeded = 3
  /// After so many that agreed, a sender that is slower from then on leaves something out.
  private static let confirmationsNeeded = 50

  /// Lengths of a codec, or of what has a clock in Hz and no name.
  init(_ format: PayloadFormat?, clockRate: Int) {
    usual = Int64(clockRate / 50)  // 20 ms until packets say otherwise
    last = usual
    step = Int64(clockRate / 100)
    longest = Int64(clockRate * Self.longestMs / 1000)
    veryLongest = Int64(clockRate * Self.veryLongestMs / 1000)
    // What SDP says of channels may be any number.
    let channels = format?.channels.flatMap { (1...Self.maxChannels).contains($0) ? $0 : nil } ?? 1
    switch format?.name.uppercased() {
    // The clock of G722 is half its rate (RFC 3551 section 4.5.2), and a byte two samples.
    case "PCMU", "PCMA", "L8", "G722": bytes = channels
    case "L16": bytes = 2 * channels
    case "L24": bytes = 3 * channels
    default: break
    }
    mayGuess = bytes == 0
  }

  /// Takes a packet of the medium that came, and the step to it from the one with the number before, if that was the last.
  /// Answers its own length if its size tells.
  @inline(__always)
  mutating func take(size: Int, after step: Int64?, pauses: Bool) -> Int64? {
    if let step { learn(step) }
    if bytes > 0 && (size != lastSize || pauses != lastPauses || lastTold == nil) {
      if lastSize == 0 { tag = Self.tags.first { isWhole(size - $0) } ?? 0 }
      lastTold = pauses ? nil : told(size)
    }
    lastSize = size
    lastPauses = pauses
    last = lastTold ?? usual
    return lastTold
  }

  @inline(__always)
  private mutating func learn(_ step: Int64) {
    if bytes > 0 {
      if step != lastTold {
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
      // What is taken for too long is put right when the next comes, what for too short is not.
      if longSteps >= Self.longStepsNeeded {
        usual = longSteps > Self.longStepsNeeded ? max(usual, step) : step
      }
    }
  }

  /// Whether so many bytes are a packet of the usual sort, some times 10 ms.
  private func isWhole(_ size: Int) -> Bool { size > 0 && step > 0 && size % (bytes * Int(step)) == 0 }

  private func told(_ size: Int) -> Int64? {
    let length = Int64((size - tag) / bytes)
    return length > 0 && length <= veryLongest ? length : nil
  }

  /// Compares what a size told with the step that followed: a lesser one tells that it is no measure, and so do longer ones in a row.
  private mutating func check(_ step: Int64) {
    guard let told = lastTold else { return }
    let rest = lastSize - Int(step) * bytes
    if Self.tags.contains(rest) {
      tag = rest
    } else {
      longerSteps += 1
      if step < told || longerSteps >= Self.longerStepsNeeded && confirmations < Self.confirmationsNeeded {
        bytes = 0
      }
    }
    lastTold = nil
  }

  /// Takes a step of another length as a sign of what a sample takes; two that agree are believed.
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
