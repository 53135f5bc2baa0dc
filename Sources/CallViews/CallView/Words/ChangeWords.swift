import CallModel
import Rendering

/// What changed in a period: codec, size, limitation, path, rate, hold.
struct ChangeWords {
  private let account: CallAccount
  private let zone: Zone
  /// From which factor on a bit rate of a window has changed against that of the window before.
  private static let rateFactor = 2.0
  /// Changes of rate of an end that are told, the greatest: a fall and its recovery.
  private static let maxRates = 2

  init(_ account: CallAccount, _ zone: Zone) { (self.account, self.zone) = (account, zone) }

  /// The changes in order of time.
  func sentences(in span: ClosedRange<Double>) -> [String] {
    var changes: [(atMs: Double, words: String)] = account.ownEvents.compactMap { event in
      guard let time = event.record.timeMs, span.contains(time), let words = Self.words(event) else {
        return nil
      }
      return (time, words)
    }
    for end in account.ends {
      let name = EndWords.plain(end.name)
      for step in end.path where step.isChange && span.contains(step.fromMs) {
        changes.append((step.fromMs, "\(name): path now \(PathWords.one(step))"))
      }
      let rates = zip(end.windows, end.windows.dropFirst()).compactMap {
        before, window -> (ratio: Double, words: String, atMs: Double)? in
        guard span.contains(window.startMs), let then = before.inputs.bitrateBps,
          let now = window.inputs.bitrateBps, then > 0, now > 0
        else { return nil }
        let words = "\(name): received \(Measure.bitrate(then)) → \(Measure.bitrate(now))"
        return (max(then / now, now / then), words, window.startMs)
      }
      for rate in rates.filter({ $0.ratio >= Self.rateFactor }).sorted(by: { $1.ratio < $0.ratio }).prefix(
        Self.maxRates)
      {
        changes.append((rate.atMs, rate.words))
      }
    }
    return changes.sorted { ($0.atMs, $0.words) < ($1.atMs, $1.words) }.map {
      "\(zone.clockText($0.atMs) ?? "?") \($0.words)"
    }
  }

  private static func words(_ event: AccountEvent) -> String? {
    let record = event.record
    let isSent = record[.direction] == StreamDirection.outbound.rawValue
    func step(_ what: String) -> String? {
      guard let from = record[.from], let until = record[.to] else { return nil }
      return "\(isSent ? "sent" : "received") \(what) \(from) → \(until)"
    }
    let what: String? =
      switch record.event {
      case .mediaResolutionChanged: step("picture")
      case .mediaCodecChanged: step("codec")
      case .mediaQualityLimited: record[.reason].map { "sent picture limited by \($0)" }
      case .callHeld: "put the call on hold"
      case .callRemotelyHeld: "held by the other end"
      case .callResumed: "resumed the call"
      case .callHandedOver: "call handed over"
      case .callMuted: "muted"
      case .callUnmuted: "unmuted"
      default: nil
      }
    return what.map { VisibleText.visible("\(event.end.map { $0 + ": " } ?? "")\($0)") }
  }
}
