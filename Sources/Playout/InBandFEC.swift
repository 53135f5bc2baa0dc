import Glibc
import Packets

/// Whether Opus packets repeat the previous frame (LBRR), which is not visible under SRTP and must be inferred.
///
/// libopus adds it only while the sender expects loss, and only for frames with speech. The expected loss follows the
/// receiver's reports, smoothed as in libwebrtc (0.9999 per ms); speech is known from the audio level extension (RFC
/// 6464). It is part of SILK (RFC 6716 section 2.1.7): packets with more bytes than speech needs are music, coded by
/// CELT without it.
public struct InBandFEC {
  /// Share of frames assumed to be protected if there is no audio level.
  static let blindShare = 0.5
  /// Quietest speech, −dBov. Fitted to recordings: the number of packets louder than this equals `fecPacketsReceived`.
  static let quietestSpeech: UInt8 = 48
  /// Smoothed loss at which the encoder adds redundancy (libwebrtc rounds it to whole per cent for libopus).
  static let minLoss = 0.005
  /// Bounds on the loss of reports.
  private static let maxUnheard = 0.9
  /// Maximum bit rate of speech, bit/s: 40,000 fullband (RFC 6716 section 2.1.1), and less than as much again for
  /// redundancy.
  private static let maxOfSpeech = 80_000.0
  /// Minimum bit rate of speech with room for redundancy, including the SRTP tag, bit/s: below it libopus spends too
  /// few bits on the frame itself (`decide_fec`). Fitted to recordings: according to statistics 5 % of the packets
  /// below have redundancy, and half or more above.
  private static let minOfSpeech = 28_000.0
  /// Number of packets over which the rate is smoothed.
  private static let ratePackets = 32.0
  /// Report interval if reports were not captured (RFC 3550 section 6.2, audio alone).
  static let reportIntervalMs = 5000.0

  private var smoothed = 0.0
  private var lastReportMs: Double?
  private var reportedExpected = 0
  private var reportedLost = 0
  /// Probability that no loss report has reached the sender, assuming that they are lost as often as media.
  private var noReportReceived = 1.0
  private var due = 0.0
  /// Bit rate of the packets while it may be on, bit/s.
  private var bitrate: Double?
  /// The same for packets with speech.
  private var spokenBitrate: Double?
  /// Whether the sender currently protects its frames.
  private(set) var isOn = false
  /// Whether packets are unencrypted, so that redundancy is visible.
  public var isClear = false
  var isPossible: Bool { isOn || isClear }
  /// Packets with redundancy, and those whose redundancy was needed.
  public var received = 0
  public var used = 0

  /// Receiver reports, with their counters so far.
  public mutating func reported(atMs ms: Double, expected: Int, lost: Int) {
    let newExpected = expected - reportedExpected
    guard newExpected > 0 else { return }
    let fraction = max(0, Double(lost - reportedLost)) / Double(newExpected)
    reportedExpected = expected
    reportedLost = lost
    if let last = lastReportMs {
      let kept = pow(0.9999, max(0, ms - last))
      smoothed = kept * smoothed + (1 - kept) * fraction
    } else {
      smoothed = fraction
    }
    lastReportMs = ms
    isOn = smoothed >= Self.minLoss
    if fraction > 0 { noReportReceived *= min(Self.maxUnheard, fraction) }
  }

  /// Whether a report that would have been captured is overdue.
  public func isOverdue(atMs ms: Double, startMs: Double) -> Bool {
    ms - (lastReportMs ?? startMs) >= Self.reportIntervalMs * 1.5
  }

  /// Whether a packet with this level repeats the previous frame; if that is uncertain, as often as it is likely.
  mutating func isCarried(_ packet: RTPPacket, level: UInt8?, lengthMs: Double) -> Bool {
    if isClear, let says = Self.isCarried(packet.payloadStart) { return says }
    guard isOn, !isMusic(packet.payloadLength, lengthMs) else { return false }
    let isSpoken = level.map { $0 < Self.quietestSpeech }
    if isSpoken == true, isThin(packet.payloadLength, lengthMs) { return false }
    let share = isSpoken.map { $0 ? 1 : 0 } ?? Self.blindShare
    due += share * (1 - noReportReceived)
    if due < 1 { return false }
    due -= 1
    return true
  }

  /// The FEC flag of an unencrypted payload: its mode (RFC 6716 section 3.1) and, for SILK, after a voice activity flag
  /// for each frame, the LBRR flag (sections 4.2.3, 4.2.4). Nil for packets of several Opus frames, and for payload
  /// that was not captured.
  private static func isCarried(_ start: UInt16) -> Bool? {
    let (configuration, code) = (start >> 11, start >> 8 & 3)
    if configuration >= 16 { return false }
    guard code == 0, start > 0 else { return nil }
    // 10, 20, 40 and 60 ms; hybrid with CELT 10 and 20.
    let frames = configuration < 12 ? max(1, configuration & 3) : 1
    return start >> (7 - frames) & 1 == 1
  }

  private mutating func isMusic(_ bytes: Int, _ lengthMs: Double) -> Bool {
    Self.smooth(&bitrate, bytes, lengthMs) > Self.maxOfSpeech
  }

  private mutating func isThin(_ bytes: Int, _ lengthMs: Double) -> Bool {
    Self.smooth(&spokenBitrate, bytes, lengthMs) < Self.minOfSpeech
  }

  private static func smooth(_ mean: inout Double?, _ bytes: Int, _ lengthMs: Double) -> Double {
    let rate = Double(bytes) * 8000 / max(1, lengthMs)
    let smoothed = mean.map { $0 + (rate - $0) / ratePackets } ?? rate
    mean = smoothed
    return smoothed
  }
}
