import Glibc
import Packets

/// Whether Opus packets carry the frame before them again (LBRR), which under SRTP nobody can see but much tells.
///
/// libopus adds it only while the sender expects loss, and only for frames with speech. What the sender expects follows
/// the receiver's reports as libwebrtc smooths them (0.9999 per ms); speech shows in the audio level extension (RFC 6464).
/// It is a part of SILK (RFC 6716 section 2.1.7): what has more bytes than speech takes is music, coded by CELT without it.
public struct InBandFEC {
  /// Share of frames taken to be protected where no audio level says which.
  static let blindShare = 0.5
  /// Quietest speech, −dBov. Fitted on recordings: the number of packets louder than this equals `fecPacketsReceived`.
  static let quietestSpeech: UInt8 = 48
  /// Smoothed loss from which the encoder adds redundancy (libwebrtc rounds it to whole per cent for libopus).
  static let minLoss = 0.005
  /// A report may always have been lost, and always have come.
  private static let maxUnheard = 0.9
  /// Most that speech takes, bit/s: 40,000 in the whole band (RFC 6716 section 2.1.1), and its redundancy less than as much again.
  private static let maxOfSpeech = 80_000.0
  /// Speech, cipher's tag included, that takes less has no room for it, bit/s: libopus spends few bits on the frame itself (`decide_fec`).
  /// Fitted on recordings: statistics show redundancy in 5 % of the packets below, and in half of them and more above.
  private static let minOfSpeech = 28_000.0
  /// The rate is smoothed over so many packets.
  private static let ratePackets = 32.0
  /// How often a receiver reports where its reports were not captured (RFC 3550 section 6.2, audio alone).
  static let reportIntervalMs = 5000.0

  private var smoothed = 0.0
  private var lastReportMs: Double?
  private var reportedExpected = 0
  private var reportedLost = 0
  /// Chance that no report of loss has reached the sender, taken to be lost as often as media is.
  private var unheard = 1.0
  private var due = 0.0
  /// Rate of the packets while it may be on, bit/s.
  private var bitrate: Double?
  /// The same of those in which somebody speaks.
  private var spokenBitrate: Double?
  /// Whether the sender protects its frames now.
  private(set) var isOn = false
  /// Whether packets are in the clear, and say so themselves.
  public var isClear = false
  var isPossible: Bool { isOn || isClear }
  /// Packets that carried redundancy, and those of them that were needed.
  public var received = 0
  public var used = 0

  /// The receiver reports, with its counters so far.
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
    if fraction > 0 { unheard *= min(Self.maxUnheard, fraction) }
  }

  /// Whether a report is overdue that would have been captured.
  public func isOverdue(atMs ms: Double, startMs: Double) -> Bool {
    ms - (lastReportMs ?? startMs) >= Self.reportIntervalMs * 1.5
  }

  /// Whether a packet with the given level carries the frame before it; where that is a chance, as often as it is likely.
  mutating func isCarried(_ packet: RTPPacket, level: UInt8?, lengthMs: Double) -> Bool {
    if isClear, let says = Self.isCarried(packet.payloadStart) { return says }
    guard isOn, !isMusic(packet.payloadLength, lengthMs) else { return false }
    let isSpoken = level.map { $0 < Self.quietestSpeech }
    if isSpoken == true, isThin(packet.payloadLength, lengthMs) { return false }
    let share = isSpoken.map { $0 ? 1 : 0 } ?? Self.blindShare
    due += share * (1 - unheard)
    if due < 1 { return false }
    due -= 1
    return true
  }

  /// What a payload that begins with these bytes says: its mode (RFC 6716 section 3.1) and, of SILK, behind a flag for each of its
  /// frames whether they are active, whether it has redundancy (sections 4.2.3, 4.2.4). Nil of several Opus frames, and of none
  /// that was captured.
  private static func isCarried(_ start: UInt16) -> Bool? {
    let (configuration, code) = (start >> 11, start >> 8 & 3)
    if configuration >= 16 { return false }
    guard code == 0, start > 0 else { return nil }
    // 10, 20, 40 and 60 ms; beside CELT 10 and 20.
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
