import CallModel
import Packets
import Redaction
import Signalling

/// Follows SIP calls: who called whom, what happened, and where SDP sends the media.
final class SIPTracker {
  let paths: MediaTransports
  private let ports: DescribedPorts
  let redactor = Redactor()
  var calls: [String: SIPCall] = [:]
  var legs = SIPLegs()
  private(set) var reported = ReportedQuality()
  var registrations = SIPRegistrations()
  /// The call whose INVITE was last sent to an address.
  private var invited: [Endpoint: String] = [:]
  private static let mostInvited = 20_000
  /// SIP messages outside of calls, counted by method or response.
  private var others: [String: Int] = [:]
  /// Messages truncated by the snaplen, and those of which too little is left to find their call.
  var cutMessages = 0
  var unusableMessages = 0

  /// Methods whose messages become events: those that set up, change and end a call, and those exchanged
  /// within it.
  private static let reported: Set<String> = [
    "INVITE", "ACK", "BYE", "CANCEL", "UPDATE", "REFER", "NOTIFY", "PRACK", "INFO", "OPTIONS", "MESSAGE",
  ]
  /// Methods of messages that describe media, with their answers (RFC 3261 13, RFC 3311, RFC 3262).
  private static let describing: Set<String> = ["INVITE", "ACK", "UPDATE", "PRACK"]
  private static let maxCutDescriptions = 1000
  /// After this time, an end that was asked for another INVITE has gone away, and a caller gives up: no
  /// transaction lasts longer (timer B, RFC 3261 section 17.1.1.2).
  static let patienceNs: Int64 = 32_000_000_000

  init(paths: MediaTransports, ports: DescribedPorts) {
    self.paths = paths
    self.ports = ports
  }

  /// Takes a message and its body.
  func take(
    _ message: SIPMessage, body: Octets, from source: Endpoint, to destination: Endpoint, at timeNs: Int64
  ) {
    let description = SIPBody.description(message, body)
    var message = message
    message.fragment = SIPBody.fragment(message, body)
    if message.contentType.hasPrefix("application/vq-rtcpxr"), message.status == nil {
      return reported.take(body, from: source, at: timeNs, paths) { calls[$0]?.path }
    }
    carryOn(message, description, source)
    joinLeg(message)
    let id = legs.call(of: message)
    if message.method == "REGISTER" { registrations.take(message, from: source, to: destination, at: timeNs) }
    if message.method == "INVITE", message.status == nil,
      invited.count < Self.mostInvited || invited[destination] != nil
    {
      invited[destination] = id
    }
    guard var call = calls[id] ?? begin(message, description, source, destination, timeNs) else {
      note(besideCalls: message)
      // The call began before the capture, but its media can still be recognised.
      if let description { describe(description, fallback: source) }
      return
    }
    let end = call.sender(of: message, source)
    call.path.signalled(by: end, to: destination.address)
    let holders = call.media.holders
    let isCut = SIPBody.isCut(message, body) && Self.describing.contains(message.method)
    // ACK and PRACK rarely have a description: one whose head was cut says nothing about the last one.
    if description != nil || isCut && ["INVITE", "UPDATE"].contains(message.method) {
      call.isDescriptionCut = isCut && description?.hasDirectionOfAudio != true
    }
    if isCut {
      paths.markDescribedInPart(call.path)
      noteCutDescription(message, description, call, timeNs)
    }
    if let description {
      if message.method == "INVITE", message.status == nil, !call.isUp { call.offered = description.words }
      place(description, of: message, source, end, &call, timeNs)
      call.path.describedNs = timeNs
      if !isCut { call.path.isDescribed = true }
      if !isCut { call.path.agreed.take(description, in: message, by: end, at: timeNs) }
      if call.media.take(description, in: message, by: end, isWhole: !isCut) {
        call.path.agree(call.media, at: timeNs)
      }
    }
    // What the rest of it named is agreed on too.
    if isCut { call.path.agreed.forget() }
    call.path.agreed.answered(message, by: end)
    if call.media.refused(message, by: end) { call.path.agree(call.media, at: timeNs) }
    call.path.lastNs = max(call.path.lastNs, timeNs)
    if Self.reported.contains(message.method) {
      note(
        message, &call, end: end, from: source, to: destination, at: timeNs,
        isHeldAnew: call.media.holders != holders)
    }
    if description != nil { add(descriptionOf: message, body, by: end, to: &call, timeNs) }
    addMediaChanges(message, &call, timeNs)
    if call.isUp, !call.isOver, let said = call.saidMedia, let kinds = call.media.kinds, kinds != said {
      call.saidMedia = kinds
      call.path.add(.callUpdated, raw(message), at: timeNs, args: arguments(message, agreedIn: call))
    }
    call.dialog.take(message, by: end, at: timeNs, isUp: call.isUp)
    if message.method == "ACK" && !call.faxOffers.isEmpty && call.accepts(message) {
      ports.beginFax(at: call.faxOffers)
    }
    calls[id] = call
  }

  /// The call whose INVITE was last sent to an address.
  func call(invitedAt destination: Endpoint) -> String? { invited[destination].map { legs.call(of: $0) } }

  private func note(besideCalls message: SIPMessage) {
    let isRefusal = message.status.map { $0 >= 300 && $0 != 401 && $0 != 407 } ?? false
    guard message.status == nil || isRefusal else { return }
    let name = message.method.prefix(16) + (isRefusal ? " refused (\(message.status ?? 0))" : "")
    if others[String(name)] != nil || others.count < 16 { others[String(name), default: 0] += 1 }
  }

  /// SIP messages outside of calls: `12 REGISTER, 1 REGISTER refused (403)`; nil if there are none.
  var beside: String? {
    others.isEmpty
      ? nil
      : others.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }
        .joined(separator: ", ")
  }

  /// Notes a description that changes an established call and was truncated before the direction of audio: an end that
  /// stops sending from here on is not missed.
  private func noteCutDescription(
    _ message: SIPMessage, _ description: SDP?, _ call: SIPCall, _ timeNs: Int64
  ) {
    guard call.isUp, !call.isOver, message.method != "ACK" else { return }
    guard description?.hasDirectionOfAudio != true else { return }
    call.path.mayStopSinceNs = timeNs
    if call.path.cutDescriptionsNs.count < Self.maxCutDescriptions {
      call.path.cutDescriptionsNs.append(timeNs)
    }
  }

  private func describe(_ description: SDP, fallback: Endpoint) {
    for media in description.media where media.port != 0 {
      let endpoint = Endpoint(address: media.address ?? fallback.address, port: media.port)
      ports.describe(endpoint, media.formats)
    }
  }

  /// Assigns the media of a description to the call's path.
  private func place(
    _ description: SDP, of message: SIPMessage, _ source: Endpoint, _ end: Int, _ call: inout SIPCall,
    _ timeNs: Int64
  ) {
    describe(description, fallback: source)
    for media in description.media where media.port != 0 {
      let endpoint = Endpoint(address: media.address ?? source.address, port: media.port)
      guard !endpoint.address.isUnspecified else { continue }
      paths.expect(endpoint, path: call.path, end: end, at: timeNs)
      paths.expect(reports: media.rtcpEndpoint(at: source.address), path: call.path, end: end)
      if media.kind == "audio" {
        let canMove = message.status == nil && call.isUp && !call.isOver
        call.path[end].names(
          sound: endpoint, by: source.address, in: message.sequence, canMove: canMove)
        call.path.leaveFormerSound(of: end, at: timeNs)
        paths.take(soundOf: call.path)
      }
      if media.kind == "image" && call.faxOffers.count < 16 { call.faxOffers.insert(endpoint) }
    }
    // A B2BUA may copy parts of the offer into its answer; these do not belong to the answering end.
    let other = call.path[1 - end]
    if let ufrag = description.ufrag, !other.ufrags.contains(ufrag) { call.path[end].name(ufrag) }
    if let fingerprint = description.fingerprint, other.fingerprint != fingerprint {
      call.path[end].fingerprint = fingerprint
    }
  }

  private func note(
    _ message: SIPMessage, _ call: inout SIPCall, end: Int, from source: Endpoint, to destination: Endpoint,
    at timeNs: Int64, isHeldAnew: Bool
  ) {
    let path = call.path
    // Proxies identify themselves in their own responses, and the host that rejects a call may not be the
    // last target.
    let isOwn = message.status.map { (101..<300).contains($0) } ?? true && !call.isCarrier(source.address)
    if isOwn, let agent = message.agent, path[end].userAgent == nil { path[end].userAgent = agent }
    let sighting = call.hops.meet(message, from: source, to: destination, at: timeNs)
    if message.method == "ACK" { call.isAcknowledged = true }
    if sighting == .copied { return }
    if case .again(let times) = sighting {
      if message.method == "INVITE", let status = message.status, (200..<300).contains(status) {
        call.repeatsAnswer(by: end, at: timeNs)
      }
      path.add(
        .unknown, raw(message), at: timeNs, args: arguments(message, transmission: times),
        anomaly: "sent again")
      return
    }
    if sighting == .new, let report = message.statistics {
      reported.take(header: report, on: path, end: end, timeNs)
    }
    let meaning = call.take(message, from: source, to: destination, at: timeNs)
    updateMedia(message, meaning, path, timeNs)
    path.hungUpNs = call.isOver ? path.hungUpNs ?? timeNs : Self.refusedNs(call)
    if let outdated = meaning.outdated { add(outdated, as: .unknown, of: call) }
    if let establishedByNs = meaning.establishedByNs {
      path.add(.callEstablished, "SIP BYE of a call of which the ACK was not captured", at: establishedByNs)
    }
    guard let event = meaning.event else { return }
    if meaning.isTransfer { addTransfer(message, call, timeNs) }
    if isHeldAnew, call.isUp, !call.isOver { addHold(message, call, timeNs) }
    if event == .unknown, meaning.isTransfer || isHeldAnew && call.isUp { return }
    guard sighting == .new else {
      path.add(.unknown, raw(message), at: timeNs, args: arguments(message, isPassedOn: true))
      return
    }
    switch event {
    case .callRequestSent:
      if meaning.waitedNs != nil { path.demote([.callRequestSent, .callIncoming]) }
      addForEachEnd(event, .callIncoming, message, call, timeNs, waitedNs: meaning.waitedNs)
    case .callRinging: addForEachEnd(event, .callAlerting, message, call, timeNs)
    // A response shows that the other end hung up.
    case .callEnded: addEnd(message, call, by: message.status == nil ? end : 1 - end, timeNs)
    default:
      path.add(
        event, raw(message), at: timeNs,
        args: arguments(
          message, by: call.name(of: end), agreedIn: event == .callEstablished ? call : nil,
          phonesRang: event == .callAnswered ? call.rung.count : 1))
    }
    if event == .callEstablished { call.saidMedia = call.media.kinds }
  }

  /// Informs a call's media about when they are expected: not before somebody answers, nor while the call is
  /// being transferred.
  private func updateMedia(
    _ message: SIPMessage, _ meaning: SIPCall.Meaning, _ path: MediaTransport, _ timeNs: Int64
  ) {
    if meaning.event == .callAnswered {
      path.mayStopSinceNs = nil
      for stream in path.media { stream.answered(at: timeNs) }
    }
    if message.method == "REFER", let status = message.status, (200..<300).contains(status) {
      path.mayStopSinceNs = timeNs
    }
    if let status = message.fragment, status >= 300 { path.mayStopSinceNs = nil }
  }

  /// When a call was finally rejected, as far as is known.
  private static func refusedNs(_ call: SIPCall) -> Int64? {
    call.refusal.flatMap { $0.asksAgain ? nil : $0.timeNs }
  }

  /// Adds for each end the event from its point of view.
  private func addForEachEnd(
    _ caller: EventName, _ callee: EventName, _ message: SIPMessage, _ call: SIPCall, _ timeNs: Int64,
    waitedNs: Int64? = nil
  ) {
    let args = arguments(message, waitedNs: waitedNs)
    call.path.add(caller, raw(message), at: timeNs, end: call.callerEnd, args: args)
    call.path.add(callee, raw(message), at: timeNs, end: 1 - call.callerEnd, args: args)
  }

  private func begin(
    _ message: SIPMessage, _ description: SDP?, _ source: Endpoint, _ destination: Endpoint, _ timeNs: Int64
  ) -> SIPCall? {
    if message.isWithinCall { return join(message, source, destination, timeNs) }
    guard message.method == "INVITE",
      let (path, caller) = early(message, description, source, destination, timeNs)
        ?? paths.makeCall().map({ ($0, 0) })
    else { return nil }
    let isRequest = message.status == nil
    path.call = message.callID
    path[caller].met(isRequest ? source : destination)
    path[1 - caller].met(isRequest ? destination : source)
    path[caller].invited = true
    path[1 - caller].invited = false
    path.mayStopSinceNs = timeNs
    path.calledNs = timeNs
    path[caller].person = message.from.isEmpty ? nil : message.from
    path[1 - caller].person = message.to.isEmpty ? nil : message.to
    return SIPCall(
      path: path, callerEnd: caller, caller: isRequest ? source : destination, tag: message.fromTag)
  }

  /// The path whose media already passes at the address in an INVITE, between the same two hosts, and the end that sent
  /// the INVITE. Captures merged from two clocks, or packets out of order, have the media first.
  private func early(
    _ message: SIPMessage, _ description: SDP?, _ source: Endpoint, _ destination: Endpoint, _ timeNs: Int64
  ) -> (MediaTransport, Int)? {
    guard message.status == nil, let description else { return nil }
    for media in description.media where media.port != 0 {
      let endpoint = Endpoint(address: media.address ?? source.address, port: media.port)
      guard let (path, end) = paths.unnamed(at: endpoint, at: timeNs),
        path[1 - end].addresses.contains(where: { $0.address == destination.address })
      else { continue }
      return (path, end)
    }
    return nil
  }

  /// A call that was established before the capture began. Its media may already be known without a call.
  private func join(
    _ message: SIPMessage, _ source: Endpoint, _ destination: Endpoint, _ timeNs: Int64
  ) -> SIPCall? {
    let known = paths.unnamed(between: source.address, destination.address, at: timeNs)
    guard let (path, end) = known ?? paths.makeCall().map({ ($0, 0) }) else { return nil }
    path.call = message.callID
    path[end].met(source)
    path[1 - end].met(destination)
    path[end].person = message.from.isEmpty ? nil : message.from
    path[1 - end].person = message.to.isEmpty ? nil : message.to
    path.add(.callEstablished, "SIP call begun before the capture", at: .min)
    return SIPCall(path: path, end: end, of: source, tag: message.fromTag)
  }
}

/// How an INVITE, or media, shows that a call continues under another Call-ID.
extension SIPTracker {
  /// Joins an INVITE that begins another leg of a call to that call.
  func carryOn(_ message: SIPMessage, _ offer: SDP?, _ source: Endpoint) {
    guard message.method == "INVITE", message.status == nil, message.toTag.isEmpty,
      calls[legs.call(of: message)] == nil
    else { return }
    for name in legs.calls(namedBy: message) {
      guard let call = calls[name], call.isUnanswered else { continue }
      return carry(call, name, on: message, source)
    }
    for name in legs.calls(likelyOf: message) {
      guard let call = calls[name], call.isCarriedOn(by: source) else { continue }
      return carry(call, name, on: message, source)
    }
    for media in offer?.media ?? [] where media.port != 0 {
      guard let address = media.address,
        let (path, end) = paths.expecting(Endpoint(address: address, port: media.port)),
        let name = path.call, let call = calls[name], end == call.callerEnd,
        call.isCarriedOn(by: source)
      else { continue }
      return carry(call, name, on: message, source)
    }
    legs.begin(message)
  }

  /// Joins a leg whose media have since shown which call it belongs to.
  func joinLeg(_ message: SIPMessage) {
    let id = legs.call(of: message)
    guard let leg = calls[id], let (whole, _) = leg.path.whole, let name = whole.call, name != id,
      var call = calls[name], legs.join(id, to: name)
    else { return }
    call.takeIn(leg)
    calls[name] = call
    calls[id] = nil
  }

  private func carry(_ call: SIPCall, _ name: String, on message: SIPMessage, _ source: Endpoint) {
    guard legs.join(message.callID, to: name) else { return }
    var call = call
    call.addLeg(message, by: source.address)
    call.path.addLeg(message.callID)
    calls[name] = call
  }
}
