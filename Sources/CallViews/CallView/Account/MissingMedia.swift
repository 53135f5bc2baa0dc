import CallModel
import Rendering
import Timeline

/// A period in which a medium did not come to some ends, or stood still, and what became of it.
struct MissingMedia {
  var ends: [String]
  /// In order; empty where nothing was recorded.
  var media: [MediaKind]
  var what: String
  var fromMs: Double
  var untilMs: Double
  var place: Place?
  /// What became of it; nil for a freeze, and where nothing was recorded.
  var fate: Fate?

  /// Minimum length, ms, of what is not known, or is a codec's pause: the seams of a record are shorter.
  fileprivate static let minPlainMs = 2500.0
  /// How far apart reports of one fault may be at different ends or media, ms.
  private static let apartMs = 1500.0

  func overlaps(_ span: ClosedRange<Double>) -> Bool {
    fromMs <= span.upperBound && span.lowerBound <= untilMs
  }

  fileprivate func isLike(_ other: MissingMedia) -> Bool {
    what == other.what && abs(fromMs - other.fromMs) < Self.apartMs
      && abs(untilMs - other.untilMs) < Self.apartMs
  }

  fileprivate func goesOn(in next: MissingMedia) -> Bool {
    what == next.what && media == next.media && abs(next.fromMs - untilMs) < 1
  }

  /// `sound lost`.
  var label: String {
    let names = media.map { $0 == .audio ? "sound" : "picture" }
    return (names.isEmpty ? "" : Measure.list(names) + " ") + what
  }

  /// `caller and callee: sound lost, 14:03:10 to 14:03:18 (8 s)`.
  func words(of account: CallAccount, _ zone: Zone) -> String {
    let isAll = ends.count == account.ends.count && ends.count > 2
    let who = isAll ? "all ends" : Measure.list(ends.map(EndWords.plain))
    let times = "\(zone.clockText(fromMs) ?? "?") to \(zone.clockText(untilMs) ?? "?")"
    return "\(who): \(label), \(times) (\(Measure.duration(untilMs - fromMs)))"
  }
}

extension CallAccount {
  /// What was missing at which ends, in order of time; what is alike at several ends, or of both media, is one.
  var missingMedia: [MissingMedia] {
    var all: [MissingMedia] = []
    for end in ends {
      var own: [MissingMedia] = []
      for one in end.missingMedia {
        if let place = own.firstIndex(where: { $0.isLike(one) }) {
          own[place].media = MediaKind.allCases.filter((own[place].media + one.media).contains)
          own[place].place = own[place].place ?? one.place
        } else if let place = own.firstIndex(where: { $0.goesOn(in: one) }) {
          own[place].untilMs = one.untilMs
        } else {
          own.append(one)
        }
      }
      for one in own {
        if let place = all.firstIndex(where: { $0.media == one.media && $0.isLike(one) }) {
          all[place].ends.append(end.name)
          all[place].place = all[place].place ?? one.place
        } else {
          all.append(one)
        }
      }
    }
    all += ends.flatMap(\.missingAtFarEnd)
    return all.sorted { ($0.fromMs, $0.untilMs) < ($1.fromMs, $1.untilMs) }
  }
}

extension EndAccount {
  /// What was missing here, medium by medium.
  var missingMedia: [MissingMedia] {
    let fated = fates.compactMap { MissingMedia($1, of: $0, at: name) }
    let pictures = SpanSet(fated.filter { $0.media == [.video] }.map { (start: $0.fromMs, end: $0.untilMs) })
    let rest = spans.compactMap { span -> MissingMedia? in
      let what: String
      switch span.kind {
      case .freeze where pictures.covered(from: span.startMs, to: span.endMs) < span.lengthMs / 2:
        what = "frozen"
      case .gap: what = "no reports"
      case .freeze, .outage, .notSent, .hold: return nil
      }
      return MissingMedia(
        ends: [name], media: span.medium.map { [$0] } ?? [], what: what, fromMs: span.startMs,
        untilMs: span.endMs)
    }
    return (fated + rest).sorted { $0.fromMs < $1.fromMs }
  }

  /// What the other end missed of what was sent from here, if that has no record.
  fileprivate var missingAtFarEnd: [MissingMedia] {
    fatesOfFarEnd.filter { $0.fate.what != .unknown }.compactMap {
      MissingMedia($1, of: $0, at: "the other end")
    }
  }
}

extension MissingMedia {
  /// Nil if the medium came as it should, or the time is too short.
  fileprivate init?(_ fate: Fate, of medium: MediaKind, at end: String) {
    guard let what = fate.missingWords,
      fate.isMissed || fate.what == .notDue || fate.lengthMs >= Self.minPlainMs
    else { return nil }
    self.init(
      ends: [end], media: [medium], what: what, fromMs: fate.startMs, untilMs: fate.endMs, place: fate.place,
      fate: fate)
  }
}

extension Place {
  /// Whether what a server had was lost behind it, so that the server is not at fault.
  var isBehindServer: Bool { self == .receiverNetwork || self == .network }
}

extension Fate {
  /// What became of a medium that did not come as it should; nil where it did.
  fileprivate var missingWords: String? {
    switch rule {
    case .arrived: nil
    case .held: "on hold, muted or not agreed"
    case .undecodable: "came and could not be decoded"
    case .notPlayed: "came and was not played"
    case .silencedSpeech: "silent, though its source was heard"
    case .notForwarded where place?.isBehindServer == true: "lost"
    case .notForwarded: "not passed on by a server"
    case .lost: "lost"
    case .notSentThoughDue: "not sent, though due"
    case .paused: "paused by its codec"
    case .silentToEnd, .silent: "silent"
    case .notSent: "not sent"
    case .nothingKnown: "not known"
    }
  }
}
