import CallModel
import Packets
import Playout
import Signalling

/// Turns paths and streams into records: which end is local, in which direction a stream flows, and when a
/// sample may be passed on.
final class CaptureRecords {
  private let sink: any RecordSink
  private let hints: MediaTransport.LocalHints
  /// The clock rate that Chromium gives for red/48000/2, Hz.
  private static let opusClock = 48_000
  private let firstConnection: Int
  private var connections: Int
  private var registered = 0
  /// Whether the capture held nothing that made a connection.
  var areEmpty: Bool { connections == firstConnection }
  private var declared: Set<Int> = []

  /// - Parameter firstConnection: the number of the first connection, where the source has others too.
  init(sink: any RecordSink, options: ReaderOptions, firstConnection: Int = 0) {
    self.sink = sink
    (self.firstConnection, connections) = (firstConnection, firstConnection)
    hints = .init(
      side: CallSide(fileName: options.fileName), address: options.localAddress.flatMap { Address(text: $0) })
  }

  /// The end that reports a stream: the local one, or for a capture between the ends, the receiver of the
  /// stream.
  private func reporter(of stream: MediaStream) -> Int { stream.path.local ?? 1 - stream.sender }

  /// The connection of an end, declared on first use.
  private func connection(_ path: MediaTransport, _ end: Int) throws -> Int {
    if let known = path[end].connection { return known }
    let number = connections
    connections += 1
    path[end].connection = number
    try sink.connection(number, facts(path, end))
    return number
  }

  /// What is known about an end so far.
  private func facts(_ path: MediaTransport, _ end: Int) -> ConnectionFacts {
    var f = ConnectionFacts()
    let this = path[end]
    let that = path[1 - end]
    if let number = this.connection { f.name = name(path, end, number) }
    // The file name gives the endpoint only if it agrees with what is known about the end.
    if path.local == end, let side = hints.side, !side.contradicts(this) { f.endpoint = side.rawValue }
    f.userAgent = this.userAgent
    f.person = this.person
    if let starts = this.invited ?? this.controls { f.direction = starts ? .outgoing : .incoming }
    for call in path.legs.union([path.call].compactMap { $0 }) { f.identities.insert(Identity(.sip, call)) }
    func add(_ kind: IdentityKind, _ value: String?) {
      if let value { f.identities.insert(Identity(kind, value)) }
    }
    for ufrag in this.ufrags { add(.ufragLocal, ufrag) }
    for ufrag in that.ufrags { add(.ufragRemote, ufrag) }
    add(.fingerprintLocal, this.fingerprint)
    add(.fingerprintRemote, that.fingerprint)
    add(.session, session(of: path))
    for ssrc in this.ssrcs { add(.ssrcOut, "\(ssrc)") }
    for ssrc in that.ssrcs { add(.ssrcIn, "\(ssrc)") }
    for address in this.addresses where !address.address.isUnknown { add(.addressLocal, address.text) }
    for address in that.addresses where !address.address.isUnknown { add(.addressRemote, address.text) }
    return f
  }

  /// An identity that links the two ends of a path captured between them if the SSRCs cannot do so: small
  /// SSRCs are not random, and so are no evidence anywhere else.
  private func session(of path: MediaTransport) -> String? {
    guard path.local == nil, path.call == nil, let first = path.media.first,
      path.media.contains(where: { !SSRC.isRandom($0.ssrc) })
    else { return nil }
    return "\(first.source.text)-\(first.destination.text)@\(first.firstNs)"
  }

  /// A name for a connection, unique within the capture.
  private func name(_ path: MediaTransport, _ end: Int, _ number: Int) -> String {
    func text(_ end: TransportEnd) -> String {
      end.addresses.first.flatMap { $0.address.isUnknown ? nil : $0.text } ?? "?"
    }
    let (local, remote) = (text(path[end]), text(path[1 - end]))
    return "\(local)>\(remote)#\(path.number)"
  }

  /// Declares a stream with what is known about it, once its path is decided.
  func declare(_ stream: MediaStream) throws {
    stream.path.decideLocal(hints)
    let end = reporter(of: stream)
    let number = try connection(stream.path, end)
    declared.insert(stream.number)
    var f = StreamFacts()
    f.source = .capture
    f.direction = stream.sender == end ? .outbound : .inbound
    f.kind = stream.kind ?? stream.repairs?.kind
    f.ssrc = stream.ssrc
    f.payloadType = stream.mainType.map(Int.init)
    f.codec = stream.format?.name
    f.fmtp = stream.format?.fmtp
    f.channels = stream.format?.channels
    f.clockRate = stream.clockRate > 0 ? stream.clockRate : nil
    if f.clockRate != nil { f.clockRateGuessed = stream.clockGuessed }
    f.rtxSsrc = stream.repairedBy?.ssrc
    // A stream without this flag may still be screen content.
    if stream.isScreen { f.screen = true }
    let outbound = stream.sender == end
    f.local = (outbound ? stream.source : stream.destination).text
    f.remote = (outbound ? stream.destination : stream.source).text
    try sink.stream(stream.number, of: number, f)
  }

  /// Passes on a sample, or holds it until it is known which connection it belongs to.
  func take(_ sample: Sample, of stream: MediaStream) throws {
    if declared.contains(stream.number) { return try sink.sample(sample, of: stream.number, extra: nil) }
    stream.held.append(sample)
    if stream.held.count >= MediaStream.maxHeld { try release(stream) }
  }

  private func release(_ stream: MediaStream) throws {
    try declare(stream)
    for sample in stream.held { try sink.sample(sample, of: stream.number, extra: nil) }
    stream.held = []
  }

  /// Adds a note on the source.
  func note(_ text: String) throws { try sink.note(text) }

  /// Reports what is only known at the end of the capture.
  func finish(_ paths: MediaTransports, _ streams: StreamRegistry, _ ice: ICETracker, _ frames: FrameNumbers)
    throws
  {
    for path in paths.all { path.decideLocal(hints) }
    for stream in streams.all {
      try release(stream)
      try sink.totals(stream.totals(), of: stream.number)
    }
    for stream in streams.all where stream.role == .media {
      reportUncaptured(stream)
      reportDoubts(stream)
      reportRemovedByCut(stream)
      stream.reportSentAfterLast()
      reportSpeech(of: stream)
    }
    for path in paths.all where path.fax.datagrams > 0 { reportFax(path) }
    for path in paths.all { path.reportOneDirection() }
    for path in paths.all { path.reportUnheard() }
    paths.reportMediaElsewhere(streams.all)
    for path in paths.all { try finish(path, ice, frames) }
    try countWhatIsBeyond(paths)
    try explain(paths, streams)
  }

  /// Reports how many packets of a stream the capture missed, according to its receiver's reports.
  private func reportUncaptured(_ stream: MediaStream) {
    let loss = stream.uncapturedLoss
    guard loss.packets > 0 else { return }
    var w = ArgumentWriter()
    w.add("ssrc", Int(stream.ssrc))
    w.add("missing", loss.packets)
    w.add("expected", loss.expected)
    w.add("until_ms", loss.toNs.unixMs)
    stream.path.add(note: .missed, at: loss.fromNs, end: 1 - stream.sender, args: w.text)
  }

  /// Reports when the sender of a stream spoke, at its own end, and one playout delay later at the end that
  /// heard it.
  private func reportSpeech(of stream: MediaStream) {
    guard let speech = stream.speech, let audio = stream.audio else { return }
    let heldNs = Int64(min(1000, max(0, audio.levelMs)) * 1e6)
    for span in speech.spans(packetMs: audio.packetLengthMs) {
      for end in stream.path.local.map({ [$0] }) ?? [0, 1] {
        let isLocal = end == stream.sender
        let laterNs = isLocal ? 0 : heldNs
        var w = ArgumentWriter()
        w.add("by", isLocal ? "local" : "remote")
        w.add("until_ms", (span.untilNs &+ laterNs).unixMs)
        stream.path.add(.mediaSpoke, "audio level", at: span.fromNs &+ laterNs, end: end, args: w.text)
      }
    }
  }

  /// Reports what part of a call was fax, which is not decoded.
  private func reportFax(_ path: MediaTransport) {
    let caller = path.ends.1.invited == true ? 1 : 0
    for end in 0...1 {
      var w = ArgumentWriter()
      w.add(.fromCaller, path.fax.sent[caller])
      w.add(.fromCallee, path.fax.sent[1 - caller])
      w.add(.packets, path.fax.sent[1 - end])
      w.add("until_ms", path.fax.lastNs.unixMs)
      path.add(note: .fax, at: path.fax.firstNs, end: end, args: w.text)
    }
  }

  /// Reports limits exceeded on a single path.
  private func countWhatIsBeyond(_ paths: MediaTransports) throws {
    let events = paths.all.reduce(0) { $0 + $1.eventsLeftOut }
    if events > 0 {
      try sink.reject(
        .beyond(MediaTransport.maxEvents, "events of one call in a capture", count: events))
    }
    let trips = paths.all.reduce(0) { $0 + $1.roundTripsLeftOut }
    if trips > 0 {
      try sink.reject(.beyond(MediaTransport.maxRoundTrips, "round trips of one call", count: trips))
    }
  }

  /// Reports what was guessed, and what packets cannot show: why a score from the capture may differ from the
  /// receiver's own.
  private func explain(_ paths: MediaTransports, _ streams: StreamRegistry) throws {
    let media = streams.all.filter { $0.role == .media }
    if media.contains(where: \.clockGuessed) {
      try sink.note("RTP clocks without SDP are guessed from how timestamps advance")
    }
    if media.contains(where: { $0.kind == .audio && $0.format == nil && $0.clockRate == Self.opusClock }) {
      try sink.note(
        "sound at 48 kHz whose codec is unknown is taken for Opus where its MOS is estimated")
    }
    if let back = media.map(\.steppedBackMs).max(), back > 0 {
      try sink.note(
        "RTP time of sound stepped back by \(Int((back / 1000).rounded())) s while its numbers went on: played as sound that begins anew, which a receiver may have done worse"
      )
    }
    if let ahead = media.map(\.steppedForwardMs).max(), ahead > 0 {
      try sink.note(
        "RTP time of sound stepped forward by \(Int((ahead / 1000).rounded())) s while its numbers went on: played as sound that follows, which a receiver may have done worse"
      )
    }
    let protected = media.filter { $0.audio.map { $0.fec.received > 0 && !$0.fec.isClear } ?? false }
    if !protected.isEmpty {
      let evidence = protected.contains(where: \.hasLevels) ? "the audio level" : "an assumed share of 0.5"
      try sink.note(
        "in-band redundancy of Opus cannot be seen: taken from \(evidence) and the receiver's reports, which the sender may not have got"
      )
    }
    let restored = media.reduce(0) { $0 + ($1.audio?.restored ?? 0) }
    if media.contains(where: \.redundancy.isOn) {
      try sink.note(
        "sound in redundant blocks (RED, RFC 2198): \(Plural.of(restored, "frame that was", "frames that were")) lost came again in time"
      )
    } else if media.contains(where: {
      $0.path.isWebRTC && $0.mainType == ComfortNoiseMark.browsersRED && $0.format == nil
    }) {
      try sink.note(
        "payload type 63 is that of redundant audio (RED, RFC 2198) in browsers: under SRTP nobody sees what it restored"
      )
    }
    if media.contains(where: { $0.video != nil }) && media.contains(where: { $0.audio != nil }) {
      try sink.note("sound and picture are taken to wait for one another as libwebrtc lets them")
    }
    if paths.all.contains(where: { $0.local == nil && !$0.media.isEmpty }) {
      try sink.note("seen from the middle of the path: loss between here and the receivers is not counted")
    }
    if paths.all.contains(where: { $0.uncapturedEnd != nil }) {
      try sink.note(
        "of a call, packets of one direction alone are in the capture: nothing is said of its setup, nor of what came the other way"
      )
    }
    if paths.all.contains(where: \.hasHalfRoundTrips) {
      try sink.note(
        "seen from the middle of the path: of calls in which one end alone answers checks or reports, one half of their round trip is known, and so the whole is not"
      )
    }
    let fax = paths.all.filter { $0.fax.datagrams > 0 }.map(\.fax)
    if !fax.isEmpty {
      let seconds = fax.reduce(0) { $0 + Double($1.lastNs &- $1.firstNs) / 1e9 }
      let datagrams = fax.reduce(0) { $0 + $1.datagrams }
      try sink.note(
        "\(Plural.of(datagrams, "datagram")) of fax (T.38) over \(Int(seconds.rounded())) s \(Plural.word(datagrams, "is", "are")) not read: the score is of the sound beside it"
      )
    }
    // Media would pass wherever the handshake for their keys passes.
    if streams.all.isEmpty, paths.all.contains(where: { $0.call != nil }),
      !paths.all.contains(where: { $0.dtls.serverHelloNs != nil })
    {
      try sink.note("no RTP at all: signalling alone, which tells nothing of the media")
    }
  }

  /// Reports registrations as ends of their own, which belong to no call.
  func add(_ registrations: SIPRegistrations, _ frames: FrameNumbers) throws {
    for registration in registrations.all where !registration.events.isEmpty {
      let number = connections + registered
      registered += 1
      var facts = ConnectionFacts()
      facts.name = "\(registration.source.text)>\(registration.destination.text) REGISTER#\(number)"
      facts.person = registration.person.isEmpty ? nil : registration.person
      facts.userAgent = registration.agent
      try sink.connection(number, facts)
      for event in registration.events {
        try sink.event(
          EventRecord(
            timeMs: event.timeNs.unixMs, event: event.event, raw: event.raw, args: event.args,
            line: frames.number(at: event.timeNs)), of: number)
      }
    }
    let refused = registrations.refused
    guard refused.count > 0 else { return }
    let last = refused.count == 1 ? "" : "the last "
    try sink.note(
      "\(Plural.of(refused.count, "REGISTER was", "REGISTERs were")) refused (\(last)\(refused.status) \(refused.phrase)): `callqa sessions` lists them once imported"
    )
  }

  private func finish(_ path: MediaTransport, _ ice: ICETracker, _ frames: FrameNumbers) throws {
    var events = path.events
    let worth = !events.isEmpty || path.ice.checks > 0 || path.dtls.clientHelloNs != nil
    let ends = (path.local.map { [$0] } ?? [0, 1]).filter {
      path.reporters?.contains($0) ?? (!path.hasNoCallee || path[$0].invited != false)
    }
    for end in ends where worth || path[end].connection != nil {
      let number = try connection(path, end)
      try sink.connection(number, facts(path, end))
      events = path.events.filter { $0.end == nil || $0.end == end }
      events += SetupEvents.of(path, seenBy: end, ice)
      for h in events.sorted(by: { $0.timeNs < $1.timeNs }) {
        var record = EventRecord(
          timeMs: h.timeNs == .min ? nil : h.timeNs.unixMs, event: h.event, raw: h.raw, args: h.args,
          line: frames.number(at: h.timeNs))
        record.anomaly = h.anomaly
        try sink.event(record, of: number)
      }
      try transports(path, end, number)
    }
  }

  /// Reports the round-trip times of one end: from capture point to far end and back for a local end. For a
  /// capture between the ends, both halves are added, provided that neither is missing. Also reports when the
  /// far end showed signs of life during silence.
  private func transports(_ path: MediaTransport, _ end: Int, _ number: Int) throws {
    var near: Float?
    for timeNs in path[1 - end].signs.times {
      try sink.transport(transport(path, end, at: timeNs), of: number)
    }
    for trip in path.roundTrips.sorted(by: { $0.timeNs < $1.timeNs }) {
      if Int(trip.answeredBy) == end {
        near = trip.ms
        continue
      }
      guard let rest = path.local == end ? 0 : near else { continue }
      var sample = transport(path, end, at: trip.timeNs)
      sample.rttMs = Double(trip.ms) + Double(rest)
      try sink.transport(sample, of: number)
    }
  }

  private func transport(_ path: MediaTransport, _ end: Int, at timeNs: Int64) -> TransportSample {
    var sample = TransportSample(timeMs: timeNs.unixMs)
    let way = path.route(at: timeNs).map { end == 0 ? $0.ends : ($0.ends.1, $0.ends.0) }
    sample.local = (way?.0 ?? path[end].addresses.first)?.text
    sample.remote = (way?.1 ?? path[1 - end].addresses.first)?.text
    return sample
  }
}

/// The numbers of the frames that events refer to, counted from 1 as in Wireshark, by time.
///
/// Only frames off the fast path of running streams are kept: signalling, STUN, DTLS, RTCP and the first
/// packets of a stream.
final class FrameNumbers {
  /// The maximum number of frames kept, so that memory is bounded in captures of other traffic. Later events
  /// have no frame number.
  static let most = 1 << 16

  private var byTime: [Int64: Int] = [:]

  /// Keeps the number of a frame. If several have the same time, the first counts.
  func add(_ number: Int, at timeNs: Int64) {
    guard byTime.count < Self.most, byTime[timeNs] == nil else { return }
    byTime[timeNs] = number
  }

  /// The number of the frame with the given time; nil if it was not kept.
  func number(at timeNs: Int64) -> Int? { byTime[timeNs] }
}
