import Glibc

/// When the sender of a stream of sound spoke, by the level of each of its packets: the audio level extension (RFC 6464), which is clear
/// under SRTP, or the samples of G.711 in the clear.
public struct SpeechSpans {
  /// A time of speech: from the first moment that its packets hold to the last, by the clock of the capture.
  public struct Span: Equatable {
    public var fromNs: Int64
    public var untilNs: Int64
  }

  /// More packets than these, 11 hours of 20 ms, are not looked at.
  private static let most = 2_000_000
  /// A pause so long ends an utterance, ms: speakers breathe and stop sounds for less.
  private static let pauseMs = 400.0
  /// What is shorter is a click, ms.
  private static let minMs = 90.0
  /// Speech stands out of what else is heard by so much at least, dB: where nothing does, nobody knows who spoke.
  private static let contrastDB = 12.0
  /// So far below the level of speech its weak sounds lie, dB: ITU-T P.56 takes 15.9 for an envelope smoothed over 30 ms; of single packets
  /// 20 to 24 serve, measured on recorded conversations.
  private static let marginDB = 23.0
  /// What is quieter is never speech, −dBov.
  private static let quietest = 60

  private var firstNs: Int64 = 0
  /// Time since the first packet, ms, and level, −dBov, of each packet.
  private var packets: [(ms: UInt32, level: UInt8)] = []
  private var counts = [Int](repeating: 0, count: 128)

  public init() {}

  /// Takes the level of a packet, in −dBov: 0 the loudest, 127 silence.
  public mutating func take(_ level: UInt8, at timeNs: Int64) {
    if packets.isEmpty { firstNs = timeNs }
    guard packets.count < Self.most, timeNs >= firstNs else { return }
    let ms = (timeNs &- firstNs) / 1_000_000
    guard ms <= Int64(UInt32.max) else { return }
    let level = min(level, 127)
    packets.append((UInt32(ms), level))
    counts[Int(level)] += 1
  }

  /// The utterances; none where levels do not tell speech from its background.
  /// - Parameter packetMs: how much sound a packet holds.
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

  /// The quietest level that is speech, −dBov, as ITU-T P.56 has it: a margin below the level of what is speech by it. Nil where that does
  /// not stand out of the quietest tenth.
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
