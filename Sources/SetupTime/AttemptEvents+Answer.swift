import CallModel

extension AttemptEvents {
  /// The event that shows that somebody answered, or that something answered in place of a person; nil if
  /// there is none.
  ///
  /// Early media is no answer. SIP stacks apply the description in a 183 as an answer, so in a log that
  /// reports ringing, only an explicit event counts. If the log knows only a PeerConnection, the description
  /// is the only sign.
  func answer(_ direction: CallDirection) -> EventRecord? {
    let words: [EventName] = [.callAnswered, .callMediaPending]
    let descriptions: [EventName] =
      direction == .incoming ? [.sdpAnswerSent, .sdpAnswerCreated] : [.sdpAnswerReceived]
    let names = words + (logsRinging ? [] : descriptions)
    return events.prefix { !$0.event.isEnd }
      .first { names.contains($0.event) }
  }

  /// Whether nobody answered, even though a server acknowledged the call. Either its end says so (a gateway
  /// answered but the far end beyond it never did, or the server stopped waiting in its room), or it was
  /// never admitted from the waiting room.
  var isUnanswered: Bool {
    isWaiting
      || events.contains { event in
        EndOfAttempt.isEnd(event)
          && (event[.answered] == "false" || isOfRoom && event.statedOutcome == .noAnswer)
      }
  }

  /// Whether it stayed in the waiting room to the end.
  var isWaiting: Bool {
    let doors: [EventName] = [.conferenceWaiting, .conferenceAdmitted]
    return events.last { doors.contains($0.event) }?.event == doors[0]
  }

  /// Whether it requested a token for admission to a room. The server of a room says why a participant left.
  var isOfRoom: Bool { hasGroup(.token) || hasGroup(.conference) }

  private var logsRinging: Bool {
    has(
      .callRinging, .callAlerting, .callIncoming, .callEarlyMedia, .sdpProvisionalAnswerReceived)
  }

  /// Whether the log reports the states of an SDK, one of which means that media flow. If that state is
  /// missing, media did not flow.
  var reportsMediaState: Bool {
    has(.callMediaPending)
      || events.contains {
        $0.event.group == .call && $0[.tellsMedia] == true
      }
  }
}
