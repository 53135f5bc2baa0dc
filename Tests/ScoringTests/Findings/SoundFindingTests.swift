import CallModel
import Scoring
import Testing

/// Sound that does not come, or comes without anything in it.
@Suite("Findings on sound")
struct SoundFindingTests: FindingSuite {
  /// Sound played at a pace from 10 s to 25 s, in a buffer of which statistics tell how long it is and is to be, and needs to be.
  private func buffered(pace: Double, delayMs: Double, targetMs: Double, minimumMs: Double) -> Trace {
    var trace = Trace()
    trace.cleanAudio(trace.stream(.audio), until: 40) { time, values in
      let late = min(max(0, time - 10), 15)
      let emitted = (time - late * (1 - pace)) * 48_000
      let odd = late * pace * 48_000
      values[.totalSamplesDurationMs] = emitted / 48
      values[.jitterBufferEmitted] = emitted
      values[.jitterBufferDelayMs] = (emitted - odd) * 40 + odd * delayMs
      values[.jitterBufferTargetDelayMs] = (emitted - odd) * 40 + odd * targetMs
      values[.jitterBufferMinimumDelayMs] = (emitted - odd) * 40 + odd * minimumMs
    }
    return trace
  }

  @Test(
    "Sound that came and is taken too slowly out of a full buffer is the machine's fault, though it is taken")
  func slowPlayout() {
    #expect(codes(buffered(pace: 0.84, delayMs: 500, targetMs: 140, minimumMs: 140)) == ["rig-fault"])
    #expect(
      codes(buffered(pace: 0.84, delayMs: 140, targetMs: 140, minimumMs: 140)).isEmpty,
      "a buffer that fills up")
    #expect(
      codes(buffered(pace: 0.97, delayMs: 500, targetMs: 140, minimumMs: 140)).isEmpty, "time-stretching")
    #expect(codes(buffered(pace: 0.75, delayMs: 140, targetMs: 140, minimumMs: 140)) == ["rig-fault"])
  }

  @Test("Sound held longer than the network needs is told as the receiver's own wish")
  func heldBack() throws {
    let found = try #require(findings(buffered(pace: 1, delayMs: 980, targetMs: 1000, minimumMs: 60)).first)
    #expect(found.name == "sound-held-back")
    #expect(found.severity == .info)
    #expect(abs((found.startMs ?? 0) - Trace.start - 10_000) <= 1000)
    #expect(found.text.contains("by up to 0.9 s"))
    #expect(
      codes(buffered(pace: 1, delayMs: 980, targetMs: 1000, minimumMs: 1000)).isEmpty, "as the network needs")
  }

  @Test("Sound sent, none received, path alive: one-way audio")
  func oneWay() throws {
    let found = findings(healthy(received: { min($0, 10) }))
    #expect(found.map(\.name) == ["one-way-audio"])
    let finding = try #require(found.first)
    #expect(finding.severity == .error)
    #expect(finding.startMs == Trace.start + 10_000, "from the last packet on")
    #expect(finding.endMs == Trace.start + 40_000)
    #expect(finding.text.contains("for 30 s"))
  }

  @Test("An end that had not sent for long itself misses nothing from before it spoke")
  func oneWaySinceItSpoke() throws {
    let found = findings(
      healthy(
        received: { min($0, 10) },
        change: { time, sent in sent[.packets] = (time < 22 ? min(time, 10) : time) * 50 }))
    let finding = try #require(found.first { $0.name == "one-way-audio" })
    #expect(abs((finding.startMs ?? 0) - (Trace.start + 21_000)) <= 1000)
  }

  /// Sound both ways in a capture, that of the far end with a hole of 10 s; it is heard of beside media as said.
  private func hole(checksUntil: Double?) -> Trace {
    var trace = Trace()
    let inbound = trace.stream(.audio, .inbound, .capture)
    let outbound = trace.stream(.audio, .outbound, .capture)
    for time in stride(from: 1.0, through: 40, by: 1) {
      trace.report(
        inbound, at: time,
        [
          .packets: (time <= 10 ? time : max(10, time - 10)) * 50, .lost: time > 20 ? 500 : 0,
          .lastPacketMs: Trace.start + (time > 10 && time <= 20 ? 10 : time) * 1000,
        ])
      trace.report(outbound, at: time, [.packets: time * 50])
      // Checks of consent are 5 s apart.
      guard let checksUntil, time.truncatingRemainder(dividingBy: 5) == 2 else { continue }
      guard time <= checksUntil || time > 20 else { continue }
      trace.transports.append(TransportSample(timeMs: Trace.start + time * 1000))
    }
    return trace
  }

  @Test("An outage in which nothing of any kind came is no one-way audio: the path did not work")
  func outage() {
    let found = findings(hole(checksUntil: 40))
    #expect(found.map(\.name) == ["one-way-audio"])
    #expect(found.first?.text.hasSuffix(", over a path that works.") == true)
    #expect(codes(hole(checksUntil: 10)) == [])
    let untold = findings(hole(checksUntil: nil))
    #expect(untold.map(\.name) == ["one-way-audio"], "a far end that never says more than its media")
    #expect(untold.first?.text.contains("path") == false)
  }

  @Test("Sound that is taken out of the buffer and cannot be decoded was never played out, and that is told")
  func undecodable() throws {
    var trace = Trace()
    let inbound = trace.stream(.audio)
    for time in stride(from: 1.0, through: 30, by: 1) {
      trace.report(
        inbound, at: time,
        [
          .packets: time * 50, .totalSamples: 0, .totalSamplesDurationMs: time * 700, .totalAudioEnergy: 0.2,
          .jitterBufferEmitted: time * 96_000,
        ])
      trace.path(at: time, bytes: time * 10_000)
    }
    let found = findings(trace)
    #expect(found.map(\.name) == ["one-way-audio"])
    let first = try #require(found.first)
    #expect(first.text.contains("could be decoded") && first.evidence.json.contains("not_decoded_ms"))
  }

  @Test("Reports far apart, what was sent before what was received: sound that came meanwhile is not missing")
  func sparse() {
    func polled(every: Double, received: (Double) -> Double) -> Trace {
      var trace = Trace()
      let outbound = trace.stream(.audio, .outbound)
      let inbound = trace.stream(.audio)
      for time in stride(from: 0.0, through: 120, by: every) {
        trace.report(outbound, at: time, [.packets: time * 50])
        let got = received(time)
        trace.report(inbound, at: time, [.packets: got * 50, .lastPacketMs: Trace.start + got * 1000])
      }
      return trace
    }
    for every in [1, 5, 10, 20.0] {
      #expect(codes(polled(every: every) { $0 }) == [], "every \(every) s")
      #expect(codes(polled(every: every) { min($0, 40) }).contains("one-way-audio"), "every \(every) s")
    }
  }

  @Test("A camera that is off is no picture that stands still for any fault")
  func cameraOff() {
    var far = Trace()
    let outbound = far.stream(.video, .outbound)
    for time in stride(from: 1.0, through: 40, by: 1) {
      far.report(outbound, at: time, [.packets: (time > 10 && time < 25 ? 10 : time) * 50])
    }
    var scan = FindingScan(streams: far.streams)
    for step in far.steps { scan.add(step.sample, of: step.stream) }
    _ = scan.finish(FindingContext())
    func paused(from start: Double, to end: Double) -> Severity {
      var finding = Finding(.videoPaused, .warning, evidence: Evidence(), text: "")
      (finding.startMs, finding.endMs) = (Trace.start + start * 1000, Trace.start + end * 1000)
      return scan.notSent.explain(finding).severity
    }
    #expect(paused(from: 10, to: 25) == .info)
    #expect(paused(from: 27, to: 35) == .warning)
  }

  @Test("The same on hold is none")
  func held() {
    var context = FindingContext()
    context.quiet = [QuietSpan(startMs: Trace.start + 9000)]
    #expect(codes(healthy(received: { min($0, 10) }), context) == [])
  }

  @Test("A time that is on hold twice over counts once")
  func heldTwice() {
    var context = FindingContext()
    let third = QuietSpan(startMs: Trace.start + 13_000, endMs: Trace.start + 24_000)
    context.quiet = [third, third]
    #expect(codes(healthy(received: { min($0, 10) }), context) == ["one-way-audio"])
  }

  @Test("Packets in which nothing can be heard are one-way audio too")
  func silentPackets() {
    #expect(codes(healthy(energy: 0)) == ["one-way-audio"])
  }

  @Test(
    "Packets of which nothing was ever played are one-way audio, and no fault of the machine",
    arguments: [0, 13.0])
  func unplayed(from begin: Double) throws {
    var trace = Trace()
    let inbound = trace.stream(.audio)
    trace.cleanAudio(inbound, until: 20) { time, values in
      let played = begin == 0 ? 0 : max(0, time - begin)
      values[.totalSamples] = played * 48_000
      values[.totalSamplesDurationMs] = played * 1000
      values[.jitterBufferEmitted] = played * 48_000
      values[.jitterBufferDelayMs] = played * 48_000 * 30
      values[.totalAudioEnergy] = played * 0.002
    }
    let found = findings(trace)
    #expect(found.map(\.name) == (begin == 0 ? ["one-way-audio"] : []), "played later: somebody had to click")
    #expect(found.allSatisfy { $0.evidence.json.contains("not_played_ms") })
    let windows = trace.windows()
    #expect(windows.allSatisfy { $0.state == .active }, "what the network brought is known")
    #expect(windows.map { $0.inputs.concealedShare == nil } == [true, true, begin == 0, begin == 0])
  }

  /// Sound that comes for 40 s and of which nothing is played from 15 s to `end`: it is not asked for, or cannot be decoded.
  private func unheard(until end: Double, isAsked: Bool) -> Trace {
    var trace = Trace()
    let inbound = trace.stream(.audio)
    trace.cleanAudio(inbound, until: 40) { time, values in
      let lost = min(max(0, time - 15), end - 15)
      values[.totalSamples] = (isAsked ? time : time - lost) * 48_000
      values[.totalSamplesDurationMs] = (isAsked ? time : time - lost) * 1000
      values[.jitterBufferEmitted] = (time - lost) * 48_000
      values[.jitterBufferDelayMs] = (time - lost) * 48_000 * 30
      values[.concealedSamples] = isAsked ? lost * 48_000 : 0
      values[.silentConcealedSamples] = isAsked ? lost * 48_000 : 0
      values[.totalAudioEnergy] = (time - lost) * 0.002
    }
    return trace
  }

  @Test("Playing out that stops in the middle is one-way audio, and not a silent far end")
  func playingStopped() throws {
    let found = findings(unheard(until: 30, isAsked: false))
    #expect(found.map(\.name) == ["one-way-audio"])
    #expect(found.first?.evidence.json.contains("not_played_ms") == true)
    #expect(findings(unheard(until: 22, isAsked: false)).isEmpty, "for 7 s")
  }

  @Test(
    "Packets that cannot be decoded are one-way audio, though sound is concealed, and score as what was concealed"
  )
  func undecoded() throws {
    let trace = unheard(until: 30, isAsked: true)
    let found = findings(trace)
    #expect(found.map(\.name) == ["one-way-audio"])
    #expect(found.first?.evidence.json.contains("not_decoded_ms") == true)
    let windows = trace.windows()
    #expect(windows.contains { ($0.score ?? 100) < 40 } && windows.contains { ($0.score ?? 0) > 90 })
  }

  @Test("What the device had to fill by itself counts as concealed")
  func filledByTheDevice() {
    func scores(_ share: Double) -> [Int] {
      var trace = Trace()
      let inbound = trace.stream(.audio)
      trace.cleanAudio(inbound, until: 20) { time, values in values[.synthesizedMs] = time * 1000 * share }
      return trace.windows().compactMap { $0.score.map { Int($0) } }
    }
    #expect(scores(0.001).allSatisfy { $0 > 90 } && scores(0.3).allSatisfy { $0 < 60 })
  }

  @Test("A far end that falls silent is told, not judged")
  func farEndSilent() {
    var trace = healthy()
    trace.steps = trace.steps.map { step in
      var step = step
      if let energy = step.sample[.totalAudioEnergy] { step.sample[.totalAudioEnergy] = min(energy, 0.02) }
      return step
    }
    #expect(findings(trace).map { $0.name + " \($0.severity)" } == ["far-end-silent info"])
  }

  @Test("One of several who are heard is silent: the far end is heard", arguments: [0, 0.4])
  func oneOfSeveralSilent(apart: Double) {
    var trace = Trace()
    let streams = [trace.stream(.audio), trace.stream(.audio)]
    for time in stride(from: 1.0, through: 40, by: 1) {
      for (index, stream) in streams.enumerated() {
        let energy = index == 0 ? time * 0.002 : 0
        trace.report(
          stream, at: time + apart * Double(index), [.packets: time * 50, .totalAudioEnergy: energy])
      }
    }
    #expect(codes(trace) == [])
    trace.steps.removeAll { $0.stream == streams[0] && $0.time > Trace.start + 15_500 }
    #expect(codes(trace) == ["far-end-silent"], "once nobody else is there")
  }

  @Test("A microphone that gives silence, unless it is muted")
  func microphone() {
    let trace = healthy(change: { _, sent in sent[.audioLevel] = 0 })
    #expect(codes(trace) == ["mic-silent"])
    #expect(codes(trace, events((.callMuted, 0.5))) == [])
  }

  @Test("A microphone's silence is explained by its own mute, not by the camera's or another participant's")
  func whoseMute() {
    let trace = healthy(change: { _, sent in sent[.audioLevel] = 0 })
    func codes(_ args: String, own: String? = nil) -> [String] {
      var context = events((.callEstablished, 0), (.callMuted, 0.5))
      context.events[0].args = own.map { #"{"participant_uuid":"\#($0)"}"# } ?? "{}"
      context.events[1].args = args
      return self.codes(trace, context)
    }
    let muted = #"{"participant":"bob","kind":"audio"}"#
    #expect(codes(#"{"kind":"video"}"#) == ["mic-silent"])
    #expect(codes(muted, own: "alice") == ["mic-silent"])
    #expect(codes(muted, own: "bob") == [])
    #expect(codes(muted) == [], "who this end is the log does not tell")
    for (joined, found) in [(0.2, ["mic-silent"]), (-3, [])] {
      var context = events(
        (.conferenceRosterSynced, -3), (.conferenceParticipantJoined, joined), (.callMuted, 0.5))
      for place in 1...2 { context.events[place].args = muted }
      #expect(self.codes(trace, context) == found, "who came later is another")
    }
  }

  @Test("One mute that ends leaves another's span as it is")
  func twoMutes() {
    let trace = healthy(change: { _, sent in sent[.audioLevel] = 0 })
    var context = events((.callMuted, 0.5), (.callMuted, 1), (.callUnmuted, 2))
    context.events[1].args = #"{"kind":"video"}"#
    context.events[2].args = #"{"kind":"video"}"#
    #expect(codes(trace, context) == [])
  }

  @Test(
    "An end that only sends misses nothing, unless it was to receive: by an answer, or in a call that was taken up"
  )
  func sendOnly() {
    var trace = Trace()
    let outbound = trace.stream(.audio, .outbound)
    for time in stride(from: 1.0, through: 40, by: 1) {
      trace.report(outbound, at: time, [.packets: time * 50])
      trace.path(at: time, bytes: time * 100)
    }
    func codes(_ events: EventRecord...) -> [String] {
      var context = self.events((.iceConnected, 0))
      context.events += events
      return self.codes(trace, context)
    }
    func answer(_ event: EventName, _ way: String, type: String = "answer", kind: String = "audio")
      -> EventRecord
    {
      EventRecord(
        timeMs: Trace.start - 100, event: event, raw: event.rawValue,
        args: #"{"type":"\#(type)","sdp":"v=0\r\nm=\#(kind) 9 RTP/AVP 0\r\na=\#(way)\r\n"}"#)
    }
    let missing = ["no-media", "one-way-audio"]
    #expect(codes() == [])
    #expect(codes(answer(.sdpAnswerReceived, "recvonly")) == [])
    #expect(codes(answer(.sdpAnswerReceived, "sendrecv")) == missing)
    #expect(codes(answer(.sdpAnswerReceived, "sendrecv", kind: "video")) == ["no-media"])
    #expect(codes(answer(.sdpLocalSetting, "sendrecv", type: "offer")) == [])
    #expect(codes(answer(.sdpLocalSetting, "sendonly")) == [])
    #expect(codes(answer(.sdpLocalSetting, "recvonly")) == missing)
    func established(_ sdk: String?) -> EventRecord {
      EventRecord(timeMs: Trace.start, event: .callEstablished, raw: "", sdk: sdk)
    }
    #expect(codes(established("w3c")) == [])
    #expect(codes(established(nil)) == missing)
    #expect(codes(established(nil), answer(.sdpAnswerReceived, "recvonly")) == [])
    var oneSided = established(nil)
    oneSided.args = #"{"sound_from":"caller"}"#
    #expect(codes(oneSided) == [], "the callee is not to send")
    let incoming = EventRecord(timeMs: Trace.start, event: .callIncoming, raw: "")
    #expect(codes(incoming, oneSided) == missing)
  }

  @Test("Seen from the middle of the path: who hears nothing while the other does")
  func middle() throws {
    var here = EndActivity(established: 0...20_000, expectsAudio: true)
    var there = here
    there.sound = 100...19_900
    there.media = there.sound
    #expect(missingSound(at: here, others: [there])?.name == "one-way-audio")
    #expect(missingSound(at: there, others: [here]) == nil)
    #expect(missingSound(at: here, others: [here])?.name == "no-media")
    #expect(missingSound(at: here, others: [here])?.severity == .warning, "media may take another way")
    var elsewhere = here
    elsewhere.isElsewhere = true
    #expect(missingSound(at: elsewhere, others: [elsewhere]) == nil)
    here.quiet = [QuietSpan(startMs: 5000)]
    #expect(missingSound(at: here, others: [there]) == nil)
    #expect(
      missingSound(at: EndActivity(established: 0...20_000, expectsAudio: false), others: [there]) == nil)
    #expect(missingSound(at: EndActivity(established: 0...4000, expectsAudio: true), others: [there]) == nil)
  }
}
