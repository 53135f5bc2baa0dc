import Glibc

/// When the sender of an audio stream spoke, by the level of each packet: the audio level extension (RFC 6464), which
/// SRTP does not encrypt, or the samples of unencrypted G.711.
public struct SpeechSpans {
  /// A span of speech, from its first to its last packet, by the capture's clock.
  public struct Span: Equatable {
    public var fromNs: Int64
    public var untilNs: Int64
  }

  /// The most packets examined: 11 hours of 20 ms packets.
  private static let most = 2_000_000
  /// A pause of this length ends an utterance, ms: breaths and stop consonants are shorter.
  private static let pauseMs = 400.0
  /// Shorter sounds are clicks, ms.
  private static let minMs = 90.0
  /// Minimum distance of speech from the background, dB: otherwise it is unknown who spoke.
  private static let contrastDB = 12.0
  /// How far weak sounds of speech are below its level, dB: ITU-T P.56 uses 15.9 for an envelope smoothed over 30 ms;
  /// for single packets 20 to 24 work, measured on recorded conversations.
  private static let marginDB = 23.0
  /// Quieter sounds are never speech, −dBov.
  private static let quietest = 60

  private var firstNs: Int64 = 0
  /// Time since the first packet, ms, and level, −dBov, of each packet.
  private var packets: [(ms: UInt32, level: UInt8)] = []
  private var counts = [Int](repeating: 0, count: 128)

  public init() {}

  /// Adds the level of a packet, in −dBov: 0 the loudest, 127 silence.
  public mutating func take(_ level: UInt8, at timeNs: Int64) {
    if packets.isEmpty { firstNs = timeNs }
    guard packets.count < Self.most, timeNs >= firstNs else { return }
    let ms = (timeNs &- firstNs) / 1_000_000
    guard ms <= Int64(UInt32.max) else { return }
    let level = min(level, 127)
    packets.append((UInt32(ms), level))
    counts[Int(level)] += 1
  }

  /// The utterances; empty if levels do not distinguish speech from its background.
  /// - Parameter packetMs: the duration of a packet.
  public func spans(packetMs: Double) -> [Span] {
    guard packets.count > 50, let limit = threshold else { return [] }
    var spans: [(from: Double, until: Double)] = []
    for packet in packets where packet.level <= limit {
      let until = Double(packet.ms)
      let from = until - packetMs
      if let last = spans.last, from - last.until < Self.pauseMs {
        spans[spans.count - 1].until = max(last.until, until)
      } else {
        spans.append((from, until))
      }
    }
    return spans.filter { $0.until - $0.from >= Self.minMs }.map {
      Span(fromNs: firstNs &+ Int64($0.from * 1e6), untilNs: firstNs &+ Int64($0.until * 1e6))
    }
  }

  /// The quietest level of speech, −dBov, as in ITU-T P.56: a margin below the active speech level. Nil if that does
  /// not exceed the quietest tenth.
  private var threshold: Int? {
    var (power, count, limit) = (0.0, 0, 0)
    var level = 0.0
    for (step, packets) in counts.enumerated() where packets > 0 {
      power += Double(packets) * pow(10, -Double(step) / 10)
      count += packets
      let active = -10 * log10(power / Double(count))
      guard Double(step) - active <= Self.marginDB else { break }
      (limit, level) = (step, active)
    }
    var left = packets.count / 10
    let quiet = counts.indices.reversed().first { step in
      left -= counts[step]
      return left <= 0
    }
    guard let quiet, Double(quiet) - level >= Self.contrastDB, level <= Double(Self.quietest) else {
      return nil
    }
    return min(limit, Self.quietest)
  }
}
