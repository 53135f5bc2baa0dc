import CallModel

/// Times in which a capture has nothing of any kind from the far end: the way is broken, or nobody is there any more.
///
/// Who is there is heard of though it sends no media: checks that keep consent are 6 s apart at most (RFC 7675 section 5.1),
/// reports 6.2 s (RFC 3550 section 6.3.1).
struct FarEndAbsence {
  static let longestSilenceMs = 6500.0

  /// Whether the far end was ever heard of beside media; of one that never was, a silence tells nothing.
  private(set) var givesSigns = false
  private(set) var heardMs: Double?
  private var absent: [QuietSpan] = []

  /// Takes note that media of the far end came, or something else of it did.
  mutating func heard(at timeMs: Double, isSign: Bool = false) {
    givesSigns = givesSigns || isSign
    if let last = heardMs, timeMs - last > Self.longestSilenceMs, absent.count < Spell.mostKept {
      absent.append(QuietSpan(startMs: last, endMs: timeMs))
    }
    heardMs = max(heardMs ?? timeMs, timeMs)
  }

  /// The times, up to the end of the capture.
  func times(until endMs: Double?) -> QuietTimes {
    guard givesSigns else { return QuietTimes() }
    var whole = self
    if let endMs { whole.heard(at: endMs) }
    return QuietTimes(whole.absent)
  }
}
