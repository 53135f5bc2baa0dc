/// So long before the call a push, a question for the camera or a look at the devices still belongs to it, ms: a telephone rings, and
/// a browser asks, for about as long.
private let leadMs = 60_000.0

/// From the first to the last moment of a call: its own events and its media.
///
/// What the application and its session do before and after is no part of it: an application may have logged in hours ago. What
/// leads up to a call is, where it comes shortly before. Where nothing is the call's own, everything is taken.
public func spanOfCall(_ events: [EventRecord], media: [Double]) -> ClosedRange<Double>? {
  var own = Moments()
  var leading: [Double] = []
  var all = Moments()
  var overMs: Double?
  for time in media { own.add(time) }
  for event in events {
    guard let time = event.timeMs else { continue }
    all.add(time)
    switch EventVocabulary.relation(of: event.event) {
    case .own:
      own.add(time)
      if event.event == "call.ended" || event.event == "call.failed" { overMs = max(overMs ?? time, time) }
    case .leading: leading.append(time)
    case .session: break
    }
  }
  guard let span = own.span else { return all.span }
  for time in leading where time >= span.lowerBound - leadMs && time <= overMs ?? .infinity { own.add(time) }
  // As long as nobody says that it is over, it goes on.
  if overMs == nil, let last = all.span?.upperBound { own.add(max(last, span.lowerBound)) }
  return own.span
}

private struct Moments {
  private(set) var span: ClosedRange<Double>?

  mutating func add(_ ms: Double) {
    span = min(span?.lowerBound ?? ms, ms)...max(span?.upperBound ?? ms, ms)
  }
}

extension EventVocabulary {
  /// What an event is to a call in whose log it stands.
  enum Relation { case own, leading, session }

  static func relation(of event: String) -> Relation {
    let group = event.prefix { $0 != "." }
    switch group {
    case "call": return event == "call.idle" ? .session : .own
    case "sdp", "ice", "dtls", "conference": return .own
    // A token is asked for to be let in, perhaps in vain at first; to keep it is the session's.
    case "token": return event == "token.requested" ? .own : event == "token.failed" ? .leading : .session
    // A call that came too late.
    case "push" where event == "push.expired": return .own
    case "push": return ["push.sent", "push.received", "push.relayed"].contains(event) ? .leading : .session
    case "media": return .leading
    default: return .session
    }
  }
}
