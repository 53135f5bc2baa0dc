import CallModel
import Packets
import Signalling

/// A flow of a path. The flow table may remove it.
private struct AttachedFlow {
  weak var place: FlowPlace?
}

/// The connection between two ends: a PeerConnection with all its flows, or the media of one SIP call.
final class MediaTransport {
  /// An event on the path.
  struct Event {
    /// `Int64.min` if it happened before the capture.
    var timeNs: Int64
    var event: EventName
    var raw: String
    var args: String
    /// The end it happened to, nil for both.
    var end: Int?
    var anomaly: String?
  }

  /// A round trip measured at the capture point for requests that the opposite end sent: capture point → end
  /// → capture point.
  struct RoundTrip {
    var timeNs: Int64
    var ms: Float
    var answeredBy: UInt8
  }

  let number: Int
  /// The path that this one proved to be part of, and whether its ends have swapped numbers there.
  var whole: (path: MediaTransport, isTurned: Bool)?
  var ends = (TransportEnd(), TransportEnd())
  var call: String?
  /// Call-IDs of its other legs.
  private(set) var legs: Set<String> = []
  /// Its streams. `StreamRegistry` keeps them alive as long as their paths.
  var media: [MediaStream] = []
  private(set) var events: [Event] = []
  var roundTrips: [RoundTrip] = []
  /// The routes of its media, from the time a second route was taken.
  var routes: [Route] = []
  /// How many times each end had new ICE credentials.
  private var renamed = [0, 0]
  var ice = ICEState()
  var dtls = DTLSState()
  /// The local end, once `decided`; nil then means that the capture was taken between the ends.
  private(set) var local: Int?
  private(set) var decided = false
  /// Whether ICE or DTLS runs on it.
  var isWebRTC: Bool { ice.checks > 0 || dtls.clientHelloNs != nil || dtls.serverHelloNs != nil }
  var lastNs: Int64 = 0
  /// When anything was last received in either direction, as far as the clock of the capture has advanced,
  /// ns.
  @exclusivity(unchecked) private(set) var lastReceivedNs: Int64 = 0
  /// When media of each end were last received, as far as the clock of the capture has advanced, ns.
  @exclusivity(unchecked) private var mediaNs: (Int64, Int64) = (0, 0)
  /// When one end hung up.
  var hungUpNs: Int64?
  /// When the call was ended by SIP, or by an alert that closes DTLS.
  var overNs: Int64? { hungUpNs ?? dtls.alertNs }
  /// From this time on, a sender that stops is not missed, because nobody has answered yet or the call is
  /// being transferred.
  var mayStopSinceNs: Int64?
  /// Flows that belong to it.
  private var flows: [AttachedFlow] = []
  /// Sender reports about streams that have not been captured.
  var announced: [AnnouncedStream: SenderReports] = [:]
  /// What its ends negotiated by SDP.
  @exclusivity(unchecked) var agreed = AgreedMedia()
  /// The pairs of addresses that its ends gave for audio, each in order of the addresses.
  private(set) var soundPairs: [[Endpoint]] = []
  private static let maxPairs = 16
  /// Whether the call was rejected before anybody was called.
  var hasNoCallee = false
  /// The ends whose own reports are all that is known of the call; nil if its signalling or media were captured.
  var reporters: Set<Int>?
  /// The hosts that its signalling was sent to, limited to the first few.
  private(set) var signalledTo: Set<Address> = []
  /// Time of the INVITE; nil if it was not captured.
  var calledNs: Int64?
  /// Whether the last description was captured completely.
  var isDescribed = false
  /// Times of truncated descriptions that do not say who may send.
  var cutDescriptionsNs: [Int64] = []
  /// When SDP was last exchanged.
  var describedNs: Int64?
  var isUnreachable = false
  /// T.38 fax packets.
  var fax = T38Counter()

  /// Limits against floods.
  static let maxEvents = Limit.captureEvents.value
  static let maxRoundTrips = Limit.roundTrips.value
  private static let maxFlows = 1000
  private static let maxSSRCs = 1000
  private static let maxLegs = 64
  /// The number of events beyond the limit.
  private(set) var eventsLeftOut = 0
  /// When a host last reported that the port of an end is closed.
  var lastRefusedNs: Int64 = .min
  var roundTripsLeftOut = 0

  init(number: Int) { self.number = number }

  /// Records that something was received.
  func heard(_ timeNs: Int64) { lastReceivedNs = max(lastReceivedNs, timeNs, lastNs) }

  /// Records that media of an end were received.
  func heard(_ timeNs: Int64, from end: Int) {
    heard(timeNs)
    if end == 0 { mediaNs.0 = max(mediaNs.0, timeNs) } else { mediaNs.1 = max(mediaNs.1, timeNs) }
  }

  /// Whether both ends sent media after a time.
  func bothSent(after timeNs: Int64) -> Bool { min(mediaNs.0, mediaNs.1) > timeNs }

  /// Adds an SSRC of an end.
  func append(_ ssrc: UInt32, to end: Int) {
    if self[end].ssrcs.count < Self.maxSSRCs { self[end].ssrcs.append(ssrc) }
  }

  /// Removes an SSRC of an end that turned out to belong to another call.
  func forget(_ ssrc: UInt32, of end: Int) {
    if let place = self[end].ssrcs.lastIndex(of: ssrc) { self[end].ssrcs.remove(at: place) }
  }

  /// Adds a flow that belongs to this path.
  func join(_ flow: Flow) {
    if flows.count < Self.maxFlows { flows.append(AttachedFlow(place: flow.place)) }
  }

  /// Removes an address that another call now uses.
  func leave(_ endpoint: Endpoint) {
    flows.removeAll {
      guard let flow = $0.place?.flow, flow.key.low == endpoint || flow.key.high == endpoint else {
        return false
      }
      if flow.path === self { flow.begin() }
      return true
    }
  }

  /// Merges a path that proved to be part of this one: checks of an ICE restart have other addresses and
  /// fragments.
  func takeIn(_ part: MediaTransport, isTurned: Bool) {
    part.whole = (self, isTurned)
    for attached in part.flows {
      guard let flow = attached.place?.flow, flow.path === part else { continue }
      flow.path = self
      if isTurned { flow.lowEnd = 1 - flow.lowEnd }
      join(flow)
    }
    for end in 0...1 { self[isTurned ? 1 - end : end].takeIn(part[end]) }
    for stream in part.media {
      stream.path = self
      if isTurned { stream.sender = 1 - stream.sender }
    }
    media += part.media.prefix(max(0, 1000 - media.count))
    part.media = []
    part.flows = []
    ice.takeIn(part.ice, isTurned: isTurned)
    agreed.takeIn(part.agreed, isTurned: isTurned)
    heard(max(part.lastReceivedNs, part.lastNs))
    lastNs = max(lastNs, part.lastNs)
    isUnreachable = isUnreachable || part.isUnreachable
    for (key, reports) in part.announced {
      announced[AnnouncedStream(ssrc: key.ssrc, end: isTurned ? 1 - key.end : key.end)] = reports
    }
    for event in part.events {
      add(
        event.event, event.raw, at: event.timeNs,
        end: event.end.map { isTurned ? 1 - $0 : $0 }, args: event.args, anomaly: event.anomaly)
    }
    for var trip in part.roundTrips.prefix(max(0, Self.maxRoundTrips - roundTrips.count)) {
      if isTurned { trip.answeredBy = 1 - trip.answeredBy }
      roundTrips.append(trip)
    }
  }

  /// Assigns a user fragment to an end. If the end had a different one, ICE was restarted, which both ends do
  /// together.
  func name(_ ufrag: String, of end: Int, at timeNs: Int64) {
    let isFirst = self[end].ufrags.isEmpty
    guard self[end].name(ufrag), !isFirst else { return }
    renamed[end] += 1
    guard renamed[end] > renamed[1 - end] else { return }
    add(.iceRestarted, "STUN check under new credentials", at: timeNs)
  }

  /// Records that an end sent signalling, and to which host.
  func signalled(by end: Int, to host: Address) {
    self[end].hasSignalled = true
    if signalledTo.count < Self.maxLegs { signalledTo.insert(host) }
  }

  /// Notes a pair of addresses for audio; returns whether it is new.
  func note(soundBetween pair: [Endpoint]) -> Bool {
    guard soundPairs.last != pair, !soundPairs.contains(pair), soundPairs.count < Self.maxPairs else {
      return false
    }
    soundPairs.append(pair)
    return true
  }

  /// Adds another leg of the call.
  func addLeg(_ call: String) {
    if legs.count < Self.maxLegs { legs.insert(call) }
  }

  /// Informs the streams of each end about the negotiated or offered media: whether they may be sent, and
  /// whether their sender holds the call.
  func agree(_ agreed: OfferAnswer, at timeNs: Int64) {
    for stream in media {
      guard let kind = stream.kind else { continue }
      let isSilent = agreed.isSilent(kind, stream.sender)
      if !isSilent, agreed.isHolding(stream.sender) {
        stream.hold(at: timeNs)
      } else {
        stream.setSilent(isSilent, at: timeNs)
      }
    }
  }

  /// Ends the streams that an end sent from its former audio address, when it gives another address or begins
  /// to send from there.
  func leaveFormerSound(of end: Int, at timeNs: Int64) {
    guard let former = self[end].soundWasAt, !isWebRTC else { return }
    for stream in media where stream.sender == end && stream.kind == .audio && stream.source == former {
      stream.leave(at: timeNs)
    }
  }

  /// Accesses an end by number.
  subscript(end: Int) -> TransportEnd {
    // Yielded rather than copied, because it is accessed many times per second for every stream.
    _read { if end == 0 { yield ends.0 } else { yield ends.1 } }
    _modify { if end == 0 { yield &ends.0 } else { yield &ends.1 } }
  }

  /// The end that a host is; nil if it is neither, or if its address alone matches both.
  func end(of host: Address) -> Int? {
    let isFirst = ends.0.addresses.contains { $0.address == host }
    let isSecond = ends.1.addresses.contains { $0.address == host }
    return isFirst == isSecond ? nil : isFirst ? 0 : 1
  }

  /// Adds an event.
  func add(
    _ event: EventName, _ raw: String, at timeNs: Int64, end: Int? = nil, args: String = "{}",
    anomaly: String? = nil
  ) {
    guard events.count < Self.maxEvents else { return eventsLeftOut += 1 }
    events.append(
      Event(timeNs: timeNs, event: event, raw: raw, args: args, end: end, anomaly: anomaly))
  }

  /// Adds what the capture shows beside events.
  func add(note: CaptureNote, at timeNs: Int64, end: Int? = nil, args: String = "{}") {
    add(.unknown, note.rawValue, at: timeNs, end: end, args: args)
  }

  /// Adds arguments to the events with a name that have neither a reason nor an outcome yet.
  func explain(_ event: EventName, _ more: String) {
    let known = [EventArgument.outcome.name, EventArgument.reason.name]
    add(to: event, more) { args in known.allSatisfy { memberText($0, of: args) == nil } }
  }

  /// Adds arguments to the events with a name.
  func add(to event: EventName, _ more: String, where isMeant: (String) -> Bool = { _ in true }) {
    for i in events.indices where events[i].event == event && isMeant(events[i].args) {
      let args = events[i].args
      events[i].args = args == "{}" ? more : args.dropLast() + "," + more.dropFirst()
    }
  }

  /// Makes the events of this path unknown, because it is another leg of a call that reports the same.
  func demoteEvents() {
    for i in events.indices { events[i].event = .unknown }
  }

  /// Makes these events unknown, because they were requested again.
  func demote(_ names: Set<EventName>) {
    for i in events.indices where names.contains(events[i].event) { events[i].event = .unknown }
  }

  /// Removes an event of an end, because nothing shows that it happened.
  func retract(_ event: EventName, of end: Int) {
    events.removeAll { $0.event == event && $0.end == end }
  }

  /// Whether the capture was taken between the ends and only one of them ever answered, so that half of each
  /// round trip is known.
  var hasHalfRoundTrips: Bool { local == nil && (ends.0.answers > 0) != (ends.1.answers > 0) }

  /// Decides which end is the capturing host, once, with what is known at that time.
  func decideLocal(_ hints: LocalHints) {
    guard !decided else { return }
    decided = true
    local = local(hints)
  }
}

/// How long the ends take to answer, as measured at the capture point.
extension MediaTransport {
  /// An answer this late may have been delayed by an end that had stalled, ms.
  private static let minWaitMs = 500.0
  static let minWaitNs: Int64 = 500_000_000

  /// Records how long an end took to answer a check or report sent at `askedNs`, minus the delay that it
  /// reports itself.
  func add(roundTripMs: Double, answeredBy end: Int, askedNs: Int64, at timeNs: Int64) {
    // Answers do not take more than a minute; such times come from broken captures.
    guard roundTripMs >= 0, roundTripMs <= 60_000, !waited(roundTripMs, for: end, askedNs, timeNs) else {
      return
    }
    self[end].answers += 1
    self[end].answerSumMs += roundTripMs
    self[end].lastAnswerMs = roundTripMs
    for stream in media where stream.sender == end { stream.video?.roundTripMs = roundTripMs }
    guard roundTrips.count < Self.maxRoundTrips else { return roundTripsLeftOut += 1 }
    roundTrips.append(
      RoundTrip(timeNs: timeNs, ms: Float(roundTripMs), answeredBy: UInt8(truncatingIfNeeded: end)))
  }

  /// Records that an end sent audio again after a gap of `minWaitNs` or more.
  func soundCame(of end: Int, afterNs: Int64, at timeNs: Int64) { self[end].soundless = (afterNs, timeNs) }

  /// Whether the answering end sent no audio, within an audio stream, for most of the time that the answer
  /// took. A program that stalled or a broken route explains that; it says nothing about the length of the
  /// route.
  private func waited(_ ms: Double, for end: Int, _ askedNs: Int64, _ timeNs: Int64) -> Bool {
    guard ms >= Self.minWaitMs else { return false }
    let untilNs = askedNs &+ Int64(ms * 1e6)
    func covers(_ fromNs: Int64, _ toNs: Int64) -> Bool {
      Double(min(toNs, untilNs) &- max(fromNs, askedNs)) >= ms * 1e6 / 2
    }
    if let soundless = self[end].soundless, covers(soundless.fromNs, soundless.toNs) { return true }
    let last = media.lazy.filter { $0.sender == end && $0.kind == .audio }.map(\.lastNs).max()
    return last.map { timeNs &- $0 >= Self.minWaitNs && covers($0, timeNs) } ?? false
  }
}

/// The route that media take between the ends of a path, which ICE may change during the call.
extension MediaTransport {
  /// A pair of addresses, one per end.
  struct Route {
    var ends: (Endpoint, Endpoint)
    var sinceNs: Int64

    /// The route of a stream from one end.
    init(from source: Endpoint, to destination: Endpoint, sender: Int, sinceNs: Int64) {
      ends = sender == 0 ? (source, destination) : (destination, source)
      self.sinceNs = sinceNs
    }

    /// `local>remote` from the point of view of an end.
    func text(of end: Int) -> String {
      end == 0 ? "\(ends.0.text)>\(ends.1.text)" : "\(ends.1.text)>\(ends.0.text)"
    }
  }

  private static let maxRoutes = 1000

  /// The route at a time: the last one taken by then, or the first one before any change; nil if it never
  /// changed.
  func route(at timeNs: Int64) -> Route? {
    routes.isEmpty ? nil : routes[max(0, routes.endOfPrefix { $0.sinceNs <= timeNs } - 1)]
  }

  /// Records that media took another route. Its other streams then move to the same route.
  func moved(from before: Route, to after: Route) {
    if let last = routes.last, last.ends == after.ends { return }
    guard routes.count < Self.maxRoutes else { return }
    if routes.isEmpty { routes.append(before) }
    routes.append(after)
    for end in 0...1 {
      var w = ArgumentWriter()
      w.add("from", before.text(of: end))
      w.add("to", after.text(of: end))
      add(.icePairChanged, "RTP between other addresses", at: after.sinceNs, end: end, args: w.text)
    }
  }
}
