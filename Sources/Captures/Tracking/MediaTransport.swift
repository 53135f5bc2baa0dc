import Packets
import Signalling

/// A flow of a path, which the table of flows may forget.
private struct AttachedFlow {
  weak var place: FlowPlace?
}

/// What two ends have between them: a PeerConnection with all its flows, or the media of one SIP call.
final class MediaTransport {
  /// Something that happened on it.
  struct Happening {
    /// Least where it was before the capture.
    var timeNs: Int64
    var event: String
    var raw: String
    var args: String
    /// The end it happened to, nil for both.
    var end: Int?
    var anomaly: String?
  }

  /// A round trip measured at the tap: of requests that the end's opposite sent, that is tap → end → tap.
  struct RoundTrip {
    var timeNs: Int64
    var ms: Float
    var answeredBy: UInt8
  }

  let number: Int
  /// What it proved to be a part of, and whether its ends are counted the other way round there.
  var whole: (path: MediaTransport, isTurned: Bool)?
  var ends = (TransportEnd(), TransportEnd())
  var call: String?
  /// Call-IDs of its other legs.
  private(set) var legs: Set<String> = []
  /// Streams on it; the book of streams keeps them alive as long as their paths.
  var media: [MediaStream] = []
  private(set) var happenings: [Happening] = []
  var roundTrips: [RoundTrip] = []
  /// The ways its media took, once it took a second.
  var routes: [Route] = []
  /// How often an end was met under new ICE credentials.
  private var renamed = [0, 0]
  var ice = ICEState()
  var dtls = DTLSState()
  /// The local end, once decided; `decided` with nil: seen from the middle.
  private(set) var local: Int?
  private(set) var decided = false
  /// Whether ICE or DTLS runs on it.
  var isWebRTC: Bool { ice.checks > 0 || dtls.clientHelloNs != nil || dtls.serverHelloNs != nil }
  var lastNs: Int64 = 0
  /// When anything of it passed last, either way, as far as the clock of the capture has gone.
  @exclusivity(unchecked) private(set) var heardNs: Int64 = 0
  /// When media of either end passed last, as far as the clock of the capture has gone.
  @exclusivity(unchecked) private var mediaNs: (Int64, Int64) = (0, 0)
  /// When one end hung up.
  var hungUpNs: Int64?
  /// When it was said to be over: by SIP, or by an alert that ends DTLS.
  var overNs: Int64? { hungUpNs ?? dtls.alertNs }
  /// Who stops sending from here on is not missed: nobody answered yet, or the call is being transferred.
  var mayStopSinceNs: Int64?
  /// Flows that lead to it.
  private var flows: [AttachedFlow] = []
  /// What an end reports to have sent of streams that have not come.
  var announced: [AnnouncedStream: SenderReports] = [:]
  /// What its ends agreed on by SDP.
  @exclusivity(unchecked) var agreed = AgreedMedia()
  /// Hosts that its signalling went to, the first few.
  private(set) var signalledTo: Set<Address> = []
  /// When it was called, where SIP asked for it; nil where its INVITE was not captured.
  var calledNs: Int64?
  /// Whether a description of it was captured whole, and none since in part.
  var isDescribed = false
  /// When descriptions changed it that were cut before they say who may send.
  var doubtfulNs: [Int64] = []
  /// When SDP was last exchanged.
  var describedNs: Int64?
  var unreachable = 0
  /// Fax (T.38) that passed.
  var fax = T38Counter()

  /// Bounds against floods.
  static let mostHappenings = 5000
  static let mostRoundTrips = 200_000
  private static let mostFlows = 1000
  private static let mostSSRCs = 1000
  private static let mostLegs = 64
  /// What came beyond them.
  private(set) var happeningsLeftOut = 0
  /// When a host last said that the port of an end is closed.
  var lastRefusedNs: Int64 = .min
  var roundTripsLeftOut = 0

  init(number: Int) { self.number = number }

  /// Notes that something passed.
  func heard(_ timeNs: Int64) { heardNs = max(heardNs, timeNs, lastNs) }

  /// Notes that media of an end passed.
  func heard(_ timeNs: Int64, from end: Int) {
    heard(timeNs)
    if end == 0 { mediaNs.0 = max(mediaNs.0, timeNs) } else { mediaNs.1 = max(mediaNs.1, timeNs) }
  }

  /// Whether both ends sent media after a moment.
  func bothSent(after timeNs: Int64) -> Bool { min(mediaNs.0, mediaNs.1) > timeNs }

  /// Remembers an SSRC of an end.
  func append(_ ssrc: UInt32, to end: Int) {
    if self[end].ssrcs.count < Self.mostSSRCs { self[end].ssrcs.append(ssrc) }
  }

  /// Forgets an SSRC of an end that proved to be another call's.
  func forget(_ ssrc: UInt32, of end: Int) {
    if let place = self[end].ssrcs.lastIndex(of: ssrc) { self[end].ssrcs.remove(at: place) }
  }

  /// Remembers a flow that leads here.
  func join(_ flow: Flow) {
    if flows.count < Self.mostFlows { flows.append(AttachedFlow(place: flow.place)) }
  }

  /// Lets go of an address that another call uses from now on.
  func leave(_ endpoint: Endpoint) {
    flows.removeAll {
      guard let flow = $0.place?.flow, flow.key.low == endpoint || flow.key.high == endpoint else {
        return false
      }
      if flow.path === self { flow.begin() }
      return true
    }
  }

  /// Takes in what proved to be a part of it: checks of an ICE restart have other addresses and other fragments.
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
    heard(max(part.heardNs, part.lastNs))
    lastNs = max(lastNs, part.lastNs)
    unreachable += part.unreachable
    for (key, reports) in part.announced {
      announced[AnnouncedStream(ssrc: key.ssrc, end: isTurned ? 1 - key.end : key.end)] = reports
    }
    for happening in part.happenings {
      add(
        happening.event, happening.raw, at: happening.timeNs,
        end: happening.end.map { isTurned ? 1 - $0 : $0 }, args: happening.args, anomaly: happening.anomaly)
    }
    for var trip in part.roundTrips.prefix(max(0, Self.mostRoundTrips - roundTrips.count)) {
      if isTurned { trip.answeredBy = 1 - trip.answeredBy }
      roundTrips.append(trip)
    }
  }

  /// Takes a user fragment for that of an end; where it had another, ICE was restarted, which both ends do together.
  func name(_ ufrag: String, of end: Int, at timeNs: Int64) {
    let isFirst = self[end].ufrags.isEmpty
    guard self[end].name(ufrag), !isFirst else { return }
    renamed[end] += 1
    guard renamed[end] > renamed[1 - end] else { return }
    add("ice.restarted", "STUN check under new credentials", at: timeNs)
  }

  /// Notes that an end said something, to whom.
  func signalled(by end: Int, to host: Address) {
    self[end].hasSignalled = true
    if signalledTo.count < Self.mostLegs { signalledTo.insert(host) }
  }

  /// Takes in another leg of the call.
  func addLeg(_ call: String) {
    if legs.count < Self.mostLegs { legs.insert(call) }
  }

  /// Lets the streams of each end know what was agreed, or is asked for: whether they may be sent, and whether their sender holds the call.
  func agree(_ agreed: OfferAnswer, at timeNs: Int64) {
    for stream in media {
      guard let kind = stream.kind else { continue }
      let isSilent = agreed.isSilent(kind, stream.sender)
      if !isSilent, agreed.isHolding(stream.sender) {
        stream.hold(at: timeNs)
      } else {
        stream.hush(isSilent, at: timeNs)
      }
    }
  }

  /// An end names another address for its sound, or begins to send from there: what it sent from the one before ends.
  func leaveFormerSound(of end: Int, at timeNs: Int64) {
    guard let former = self[end].soundWasAt, !isWebRTC else { return }
    for stream in media where stream.sender == end && stream.kind == .audio && stream.source == former {
      stream.leave(at: timeNs)
    }
  }

  /// Access to an end by number.
  subscript(end: Int) -> TransportEnd {
    // Lent, not copied: much is asked of it for every stream each second.
    _read { if end == 0 { yield ends.0 } else { yield ends.1 } }
    _modify { if end == 0 { yield &ends.0 } else { yield &ends.1 } }
  }

  /// The end that a host is; nil where it is neither or, by its address alone, both.
  func end(of host: Address) -> Int? {
    let isFirst = ends.0.addresses.contains { $0.address == host }
    let isSecond = ends.1.addresses.contains { $0.address == host }
    return isFirst == isSecond ? nil : isFirst ? 0 : 1
  }

  /// Notes that something happened.
  func add(
    _ event: String, _ raw: String, at timeNs: Int64, end: Int? = nil, args: String = "{}",
    anomaly: String? = nil
  ) {
    guard happenings.count < Self.mostHappenings else { return happeningsLeftOut += 1 }
    happenings.append(
      Happening(timeNs: timeNs, event: event, raw: raw, args: args, end: end, anomaly: anomaly))
  }

  /// Adds to events of a name, as far as they have neither a reason nor an outcome yet.
  func explain(_ event: String, _ more: String) {
    for i in happenings.indices where happenings[i].event == event {
      let args = happenings[i].args
      guard !args.contains("\"outcome\":"), !args.contains("\"reason\":") else { continue }
      happenings[i].args = args == "{}" ? more : args.dropLast() + "," + more.dropFirst()
    }
  }

  /// Lets what happened here mean nothing new: it is another leg of a call that tells the same.
  func demoteHappenings() {
    for i in happenings.indices { happenings[i].event = "unknown" }
  }

  /// Lets what was told mean nothing new: it was asked for once more.
  func demote(_ events: Set<String>) {
    for i in happenings.indices where events.contains(happenings[i].event) { happenings[i].event = "unknown" }
  }

  /// Takes back what was told of an end: nothing shows that it happened.
  func retract(_ event: String, of end: Int) {
    happenings.removeAll { $0.event == event && $0.end == end }
  }

  /// Whether it is seen from the middle, and only one of its ends ever answered: half of each round trip is known.
  var hasHalfRoundTrips: Bool { local == nil && (ends.0.answers > 0) != (ends.1.answers > 0) }

  /// Which end is the capturing host, decided once from all that is known by then.
  func decideLocal(_ hints: LocalHints) {
    guard !decided else { return }
    decided = true
    local = local(hints)
  }
}

/// How long the ends take to answer, seen from the tap.
extension MediaTransport {
  /// An answer that took so long may have waited for one who stood still, ms.
  private static let leastWaitMs = 500.0
  static let leastWaitNs: Int64 = 500_000_000

  /// Notes how long an end took to answer a check or a report, from `askedNs` on; what it says it held it is taken off.
  func add(roundTripMs: Double, answeredBy end: Int, askedNs: Int64, at timeNs: Int64) {
    // Nothing answers after a minute: such times come from broken captures.
    guard roundTripMs >= 0, roundTripMs <= 60_000, !waited(roundTripMs, for: end, askedNs, timeNs) else {
      return
    }
    self[end].answers += 1
    self[end].answerSumMs += roundTripMs
    self[end].lastAnswerMs = roundTripMs
    for stream in media where stream.sender == end { stream.video?.roundTripMs = roundTripMs }
    guard roundTrips.count < Self.mostRoundTrips else { return roundTripsLeftOut += 1 }
    roundTrips.append(
      RoundTrip(timeNs: timeNs, ms: Float(roundTripMs), answeredBy: UInt8(truncatingIfNeeded: end)))
  }

  /// Notes that an end sent sound again after a while, `leastWaitNs` or more.
  func soundCame(of end: Int, afterNs: Int64, at timeNs: Int64) { self[end].soundless = (afterNs, timeNs) }

  /// Whether most of the time that an answer took passed while who answers sent no sound amid its sound: a program that stood still,
  /// or a way that was broken. It says nothing of how long the way is.
  private func waited(_ ms: Double, for end: Int, _ askedNs: Int64, _ timeNs: Int64) -> Bool {
    guard ms >= Self.leastWaitMs else { return false }
    let untilNs = askedNs &+ Int64(ms * 1e6)
    func covers(_ fromNs: Int64, _ toNs: Int64) -> Bool {
      Double(min(toNs, untilNs) &- max(fromNs, askedNs)) >= ms * 1e6 / 2
    }
    if let soundless = self[end].soundless, covers(soundless.fromNs, soundless.toNs) { return true }
    let last = media.lazy.filter { $0.sender == end && $0.kind == .audio }.map(\.lastNs).max()
    return last.map { timeNs &- $0 >= Self.leastWaitNs && covers($0, timeNs) } ?? false
  }
}

/// The way that media takes between the ends of a path, which ICE may change amid the call.
extension MediaTransport {
  /// A pair of addresses, one an end.
  struct Route {
    var ends: (Endpoint, Endpoint)
    var sinceNs: Int64

    /// The way of a stream of one end.
    init(from source: Endpoint, to destination: Endpoint, sender: Int, sinceNs: Int64) {
      ends = sender == 0 ? (source, destination) : (destination, source)
      self.sinceNs = sinceNs
    }

    /// `local>remote` as an end sees it.
    func text(of end: Int) -> String {
      end == 0 ? "\(ends.0.text)>\(ends.1.text)" : "\(ends.1.text)>\(ends.0.text)"
    }
  }

  private static let mostRoutes = 1000

  /// The way at a moment: the last that was taken by then, the first before any; nil where it never changed.
  func route(at timeNs: Int64) -> Route? {
    var (low, high) = (0, routes.count)
    while low < high {
      let middle = (low + high) / 2
      if routes[middle].sinceNs <= timeNs { low = middle + 1 } else { high = middle }
    }
    return routes.isEmpty ? nil : routes[max(0, low - 1)]
  }

  /// Notes that media of it took another way; its other streams follow to the same.
  func moved(from before: Route, to after: Route) {
    if let last = routes.last, last.ends == after.ends { return }
    guard routes.count < Self.mostRoutes else { return }
    if routes.isEmpty { routes.append(before) }
    routes.append(after)
    for end in 0...1 {
      var w = ArgumentWriter()
      w.add("from", before.text(of: end))
      w.add("to", after.text(of: end))
      add("ice.pair-changed", "RTP between other addresses", at: after.sinceNs, end: end, args: w.text)
    }
  }
}
