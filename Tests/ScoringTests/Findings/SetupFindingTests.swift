import CallModel
import Scoring
import Testing

/// What is found of a call whose setup came to nothing.
@Suite("Findings of setups in vain")
struct SetupFindingTests: FindingSuite {
  /// The arguments of the events of a name, for those that tell nothing without.
  private func with(_ args: String, on name: EventName, _ context: FindingContext) -> FindingContext {
    var context = context
    for index in context.events.indices where context.events[index].event == name {
      context.events[index].args = args
    }
    return context
  }

  // MARK: The answer

  private let offered: [(EventName, Double)] = [
    (.sdpOfferCreated, 0), (.sdpLocalSet, 0.1), (.iceChecking, 1),
  ]

  private func offering(_ more: (EventName, Double)...) -> FindingContext {
    var context = events()
    for (name, time) in offered + more {
      context.events.append(EventRecord(timeMs: Trace.start + time * 1000, event: name, raw: name.rawValue))
    }
    return context
  }

  @Test("Checks of the far end came and its answer never did: that is no missing path")
  func answerLost() {
    let lost = findings(Trace(), offering((.callEnded, 26)))
    #expect(lost.map(\.name) == ["answer-not-received"])
    #expect(lost.first?.severity == .error)
    #expect(lost.first?.evidence.json == #"{"checked_ms":25000,"waited_ms":26000,"ended_by":"giving up"}"#)
    #expect(
      lost.first?.text
        == "The other end's checks came for 25 s, but no answer to the offer: it was not sent, or signalling lost it."
    )
    #expect(codes(Trace(), offering((.iceFailed, 15))) == ["answer-not-received"])
    #expect(codes(Trace(), offering((.callEnded, 3))) == [], "given up before it could have come")
    let captured = offering((.iceConnected, 1.1), (.dtlsStarted, 1.2), (.callEnded, 26))
    #expect(
      codes(Trace(), captured) == ["answer-not-received"], "a capture saw the far end's checks answered")
    for answer in [EventName.sdpAnswerReceived, .sdpRemoteSet, .sdpProvisionalAnswerReceived] {
      #expect(codes(Trace(), offering((answer, 0.5), (.callEnded, 26))) == ["ice-never-connected"])
    }
  }

  @Test("A log that does not tell of its own descriptions tells nothing of an answer that is missing")
  func silentLog() {
    let context = events((.sdpOfferCreated, 0), (.iceChecking, 1), (.callEnded, 26))
    #expect(codes(Trace(), context) == ["ice-never-connected"])
    let stable = with(#"{"state":"stable"}"#, on: .sdpSignalingState, offering((.sdpSignalingState, 2)))
    #expect(codes(Trace(), stable + (.callEnded, 26)) == ["ice-never-connected"])
    let waiting = with(
      #"{"state":"have-local-offer"}"#, on: .sdpSignalingState, offering((.sdpSignalingState, 0.1)))
    #expect(codes(Trace(), waiting + (.callEnded, 26)) == ["answer-not-received"])
  }

  // MARK: The handshake

  @Test("A way, and a handshake that hangs: named, and not called connected")
  func hangingHandshake() {
    let silent = healthy(received: { _ in 0 }, heard: { _ in 1 }) { $1[.packets] = 0 }
    let trying: [(EventName, Double)] = [(.iceConnecting, -1.0), (.iceConnected, 0.0)]
    func found(_ more: (EventName, Double)...) -> [Finding] {
      var context = events()
      for (name, time) in trying + more { context = context + (name, time) }
      return findings(silent, context)
    }
    let hung = found((.callEnded, 20))
    #expect(hung.map(\.name) == ["dtls-never-connected"])
    #expect(
      hung.first?.text
        == "ICE found a path, but the handshake for the keys (DTLS) did not finish in 20 s.")
    #expect(hung.first?.evidence.json == #"{"tried_ms":20000,"ended_by":"giving up"}"#)
    #expect(found((.dtlsFailed, 0.9)).map(\.name) == ["dtls-never-connected"])
    #expect(found((.dtlsFailed, 0.9), (.callEnded, 20)).map(\.name) == ["dtls-never-connected"])
    #expect(found((.callEnded, 3)).map(\.name) == [], "given up")
    #expect(found((.dtlsConnected, 0.4)).map(\.name) == ["no-media"])
    #expect(found((.dtlsConnected, 0.4), (.callFailed, 1.3)).map(\.name) == [], "it stood for 0.9 s")
  }

  @Test("A handshake that a capture follows until it ends, unanswered")
  func capturedHandshake() {
    let again = (0..<8).map { (EventName.dtlsRetransmitted, 0.05 * Double(1 << $0)) }
    func found(_ more: [(EventName, Double)]) -> [String] {
      var context = events((.iceConnected, 0), (.dtlsStarted, 0))
      for (name, time) in more { context = context + (name, time) }
      return codes(Trace(), context)
    }
    #expect(found(again) == ["dtls-never-connected", "dtls-retransmit"])
    #expect(found(again + [(.dtlsConnected, 7)]) == ["dtls-retransmit"])
    #expect(found(again + [(.mediaFirstPacket, 7)]) == ["dtls-retransmit"], "its end was not captured")
  }

  @Test("A handshake that hangs, as the states in statistics tell")
  func hangingByStates() {
    func found(_ states: [(Double, String, String)], _ told: FindingContext = FindingContext()) -> [String] {
      var trace = Trace()
      let sent = trace.stream(.audio, .outbound)
      for (time, ice, dtls) in states {
        trace.report(sent, at: time, [.packets: 0])
        var sample = TransportSample(timeMs: Trace.start + time * 1000)
        (sample.iceState, sample.dtlsState) = (ice, dtls)
        trace.transports.append(sample)
      }
      var scan = FindingScan(streams: trace.streams)
      for sample in trace.transports { scan.addTransport(sample) }
      var context = told
      context.events = scan.completing(told.events)
      return findings(trace, context).filter { $0.severity == .error }.map(\.text)
    }
    let hung = [(0.0, "checking", "new"), (1, "connected", "connecting"), (20, "connected", "connecting")]
    let words = "ICE found a path, but the handshake for the keys (DTLS) did not finish in"
    #expect(found(hung) == ["\(words) 19 s."])
    #expect(found(hung, events((.iceChecking, 0), (.iceConnected, 0.5))) == ["\(words) 19.5 s."])
    #expect(
      found([(0, "connected", "connecting"), (4, "connected", "connecting")]) == [], "nobody knows yet")
    #expect(found(hung + [(21, "connected", "connected")]) == [])
  }

  // MARK: Candidates

  private let refusal =
    #"{"url":"turn:198.51.100.9:3478?transport=udp","error_code":401,"error_text":"Unauthorized."}"#

  @Test("A TURN server that refuses is named, and so is that nothing was gathered")
  func refused() {
    let none = with(
      refusal, on: .iceCandidateError,
      events((.iceGatheringStarted, 0), (.iceCandidateError, 0.1), (.iceGatheringComplete, 0.2)))
    let found = findings(Trace(), none)
    #expect(found.map(\.name) == ["no-candidates", "turn-failed"])
    #expect(
      found.map(\.text) == [
        "Gathering ended without one candidate: there was nothing to connect with.",
        "No relay: the TURN server turn:198.51.100.9:3478?transport=udp refused (401 Unauthorized).",
      ])
    #expect(found.allSatisfy { $0.severity == .error })
    let other = with(#"{"candidate_type":"host"}"#, on: .iceCandidate, none + (.iceCandidate, 0.05))
    #expect(findings(Trace(), other).map(\.severity) == [.warning])
    let stands = findings(Trace(), other + (.iceConnected, 1))
    #expect(stands.map(\.name) == ["turn-failed"])
    #expect(stands.map(\.severity) == [.info])
    let relayed = with(#"{"candidate_type":"relay"}"#, on: .iceCandidate, none + (.iceCandidate, 0.05))
    #expect(codes(Trace(), relayed) == [], "another one of its servers gave one")
  }

  @Test("A TURN server out of reach is named where no connection came about")
  func unreachable() {
    let lost =
      #"{"url":"turns:relay.example:443","errorCode":701,"errorText":"TURN host lookup received error."}"#
    let host = with(
      #"{"candidate_type":"host"}"#, on: .iceCandidate,
      with(lost, on: .iceCandidateError, events((.iceCandidate, 0), (.iceCandidateError, 9))))
    #expect(codes(Trace(), host + (.iceConnected, 10)) == [])
    let failed = findings(Trace(), host + (.iceChecking, 1) + (.iceFailed, 16))
    #expect(failed.map(\.name) == ["ice-never-connected", "turn-failed"])
    #expect(
      failed.last?.text
        == "No relay: the TURN server turns:relay.example:443 was not reached (701 TURN host lookup received error)."
    )
    let stun = #"{"url":"stun:stun.example","errorCode":701}"#
    #expect(codes(Trace(), with(stun, on: .iceCandidateError, events((.iceCandidateError, 1)))) == [])
  }

  @Test("Gathering that ends without a candidate, by the log's own last word of them")
  func nothingGathered() {
    let empty = events(
      (.iceGatheringStarted, 0), (.iceGatheringComplete, 40), (.iceCandidatesEnd, 40))
    #expect(findings(Trace(), empty).map(\.evidence.json) == [#"{"gathered_ms":40000}"#])
    #expect(codes(Trace(), empty + (.iceConnected, 41)) == [], "a log that leaves them out")
    #expect(codes(Trace(), empty + (.iceCandidate, 1)) == [])
    #expect(codes(Trace(), events((.iceGatheringComplete, 40))) == [], "it may not tell of candidates")
  }
}

extension FindingContext {
  /// The same with one event more.
  fileprivate static func + (context: FindingContext, event: (name: EventName, second: Double))
    -> FindingContext
  {
    var context = context
    context.events.append(
      EventRecord(timeMs: Trace.start + event.second * 1000, event: event.name, raw: event.name.rawValue))
    return context
  }
}
