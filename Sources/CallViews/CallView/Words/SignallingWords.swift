import CallModel
import Rendering

/// What SIP tells of a call's end, as additions to the sentence about it; each is empty where it does not apply.
struct SignallingWords {
  let events: [AccountEvent]

  /// The host that never answered an INVITE to which nothing else came.
  var neverAnswered: String {
    let host = events.lazy.first { $0.record.note == .neverAnswered }?.record[.words]
    return host.map { Measure.sentence(" \(VisibleText.visible($0)).") } ?? ""
  }

  /// How often an answer was sent for which no ACK came.
  var withoutACK: String {
    events.lazy.compactMap { $0.record[.answersWithoutACK] }.first.map {
      " The answer was sent \($0) times, and no ACK came for it."
    } ?? ""
  }

  /// Who never answered the BYE.
  var ignoredBye: String {
    let who = events.lazy.compactMap { $0.record[.byeIgnoredBy] }.first
    return who.map { " The \(VisibleText.visible($0 == "other" ? "other end" : $0)) never answered the BYE." }
      ?? ""
  }

  /// That the code which ended the call answers credentials.
  var refusedCredentials: String {
    events.contains { $0.record[.credentialsRefused] == true } ? ", with credentials that were refused" : ""
  }
}
