import CallModel

extension Timeline {
  /// What tells that somebody answered, or that what answers for a person did; nil where nothing does.
  ///
  /// Early media is no answer. SIP stacks apply the description of a 183 as an answer, so beside ringing only a word of its own
  /// counts; a PeerConnection that is all the log knows of has no other word than its description.
  func answer(_ direction: CallDirection) -> EventRecord? {
    let words = ["call.answered", "call.media-pending"]
    let descriptions =
      direction == .incoming ? ["sdp.answer-sent", "sdp.answer-created"] : ["sdp.answer-received"]
    let names = words + (tellsRinging ? [] : descriptions)
    return events.prefix { $0.event != "call.failed" && $0.event != "call.ended" }
      .first { names.contains($0.event) }
  }

  /// Whether nobody answered, whatever a server acknowledged: its end says so (a gateway took the call, and whom it dialled never
  /// did; the server gave up the wait in its room), or nobody let it in where it waited.
  var isUnanswered: Bool {
    isWaiting
      || events.contains { event in
        EndOfAttempt.isEnd(event)
          && (event.argument("answered") == "false" || isOfRoom && event.saidOutcome == .noAnswer)
      }
  }

  /// Whether it waited in front of a room to the last.
  var isWaiting: Bool {
    let doors = ["conference.waiting", "conference.admitted"]
    return events.last { doors.contains($0.event) }?.event == doors[0]
  }

  /// Whether it took a token to be let in: a room, whose server says why somebody left it.
  var isOfRoom: Bool { hasGroup("token.") || hasGroup("conference.") }

  private var tellsRinging: Bool {
    has(
      "call.ringing", "call.alerting", "call.incoming", "call.early-media", "sdp.provisional-answer-received")
  }

  /// Whether the log follows an SDK through its states, of which one says that media flows: where that is missing, it did not.
  var tellsStates: Bool {
    has("call.media-pending")
      || events.contains {
        $0.event.hasPrefix("call.") && $0.argument("tells_media") == "true"
      }
  }
}
