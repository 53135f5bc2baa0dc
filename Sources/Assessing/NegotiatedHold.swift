import CallModel
import Scoring

/// Times in which a medium was not to come to an end by what was agreed: from an answer that took its direction away to the one
/// that gave it back (RFC 3264 8.4).
///
/// Only for an end with one connection: of several nobody says here whose answer it was. What never was to come is no hold.
func negotiatedHolds(_ account: [EventRecord]) -> [QuietSpan] {
  let answers = account.filter { Reception.isOwnAnswer($0) != nil }
  guard answers.count > 1, hasOneConnection(account) else { return [] }
  let kinds = [MediaKind.audio, .video]
  var spans: [QuietSpan] = []
  var came: Set<MediaKind> = []
  var since: [MediaKind: Double] = [:]
  for answer in answers {
    let sections = SessionDescription(answer.args).sections
    guard let timeMs = answer.timeMs, let isOwn = Reception.isOwnAnswer(answer), !sections.isEmpty else {
      continue
    }
    for kind in kinds {
      let comes = sections.contains { $0.kind == kind && (isOwn ? $0.flow.receives : $0.flow.sends) }
      if comes {
        came.insert(kind)
        if let start = since.removeValue(forKey: kind) {
          spans.append(QuietSpan(startMs: start, endMs: timeMs, kind: kind))
        }
      } else if came.contains(kind) {
        since[kind] = since[kind] ?? timeMs
      }
    }
  }
  return spans
    + kinds.compactMap { kind in since[kind].map { QuietSpan(startMs: $0, kind: kind) } }
}

/// Whether all that the end itself described is of one session, as its offers and answers for one connection are (RFC 3264 8).
private func hasOneConnection(_ account: [EventRecord]) -> Bool {
  let own = [
    "sdp.local-setting", "sdp.offer-created", "sdp.answer-created", "sdp.offer-sent", "sdp.answer-sent",
  ]
  let sessions = account.filter { own.contains($0.event) }.compactMap { SessionDescription($0.args).session }
  return Set(sessions).count == 1
}
