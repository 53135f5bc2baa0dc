import CallModel

/// One source's view of one end of a call, with every identifier by which it can be matched with another source.
struct ConnectionView: Sendable {
  var key: Int64
  var source: Int64
  var sha256: String
  var path: String
  /// The call assigned to the source by the user or a manifest.
  var given: String?
  /// Records that the source attributes to no end: they belong to the call, but are not an end of it.
  var isWhole = false
  /// Events only of a session, the network or the application, which may belong to a call but are not evidence of one.
  var isIdle = false
  /// Whether its source is a client's own record.
  var isOfClient = false
  /// Whether a client's connection had lost the other end when its record ends.
  var isBroken = false
  /// The name of the connection in its source; name of the end and id of the call if the log has them.
  var name: String? { didSet { logged = LoggedCall(name: name) } }
  var endpoint: String?
  var call: String?
  var direction: CallDirection = .unknown
  var firstMs: Double?
  var lastMs: Double?
  /// The call it was grouped into before.
  var previousCall: Int64?
  /// The name of its end before this import.
  var keptEnd: String?
  var identities: [IdentityKind: Set<String>] { didSet { kinds = IdentityKinds(identities) } }

  // A view is compared with hundreds of others, so what is compared is computed once.
  /// The call and connection of its end, parsed from the name.
  private(set) var logged: LoggedCall
  /// The kinds of its identities.
  fileprivate private(set) var kinds: IdentityKinds

  init(
    key: Int64, source: Int64, sha256: String, path: String, given: String? = nil, isWhole: Bool = false,
    isIdle: Bool = false, isOfClient: Bool = false, name: String? = nil, endpoint: String? = nil,
    call: String? = nil,
    direction: CallDirection = .unknown, firstMs: Double? = nil, lastMs: Double? = nil,
    previousCall: Int64? = nil, keptEnd: String? = nil, identities: [IdentityKind: Set<String>] = [:]
  ) {
    (self.key, self.source, self.sha256, self.path) = (key, source, sha256, path)
    (self.given, self.isWhole, self.isIdle, self.isOfClient) = (given, isWhole, isIdle, isOfClient)
    (self.name, self.endpoint, self.call, self.direction) = (name, endpoint, call, direction)
    (self.firstMs, self.lastMs) = (firstMs, lastMs)
    (self.previousCall, self.keptEnd) = (previousCall, keptEnd)
    self.identities = identities
    logged = LoggedCall(name: name)
    kinds = IdentityKinds(identities)
  }

  subscript(_ kind: IdentityKind) -> Set<String> { identities[kind] ?? [] }
}

/// A bit set of the kinds of identity that can relate two views.
private struct IdentityKinds {
  let hasKeys: Bool
  let hasStreams: Bool
  let hasSIP: Bool
  let hasCall: Bool
  let hasConnection: Bool

  init(_ identities: [IdentityKind: Set<String>]) {
    func has(_ kinds: IdentityKind...) -> Bool { kinds.contains { identities[$0]?.isEmpty == false } }
    hasKeys = has(.fingerprintLocal, .fingerprintRemote, .ufragLocal, .ufragRemote)
    hasStreams = has(.ssrcIn, .ssrcOut)
    hasSIP = has(.sip)
    hasCall = has(.call, .session, .sip)
    hasConnection = has(.connection)
  }
}

/// How two views of connections are related, by evidence alone.
enum ViewRelation {
  /// Two sources of the same end; the two ends of one call; or two ends of one call that do not face each other.
  case sameEnd, facing, sameCall
  /// Only the same name, assigned by a person or a manifest.
  case named

  /// Sources of one call overlap in time, with this tolerance, ms: clocks differ, and one source may start late.
  static let slackMs = 60_000.0
  /// Minimum overlap of two calls that run side by side, ms.
  static let besideMs = 1000.0
  /// Two shared random SSRCs are evidence even if the clocks differ by up to this much, ms.
  static let clockSlackMs = 26 * 3_600_000.0

  /// The strongest relation between two views; nil if there is no evidence for one.
  static func between(_ a: ConnectionView, _ b: ConnectionView) -> ViewRelation? {
    if let given = a.given, let other = b.given, given != other { return nil }
    return byEvidence(a, b) ?? (a.given != nil && a.given == b.given ? .named : nil)
  }

  private static func byEvidence(_ a: ConnectionView, _ b: ConnectionView) -> ViewRelation? {
    // Whether one replaced the other is decided after everything else.
    if a.source == b.source, a.name != b.name, a.isReplaceable(with: b) { return nil }
    if a.isWhole || b.isWhole { return sharesCallId(a, b) ? .sameCall : nil }
    if areCallsOfOneLog(a, b) {
      return a.call != nil && a.call == b.call || !a[.call].isDisjoint(with: b[.call]) ? .sameEnd : nil
    }
    if a.source == b.source, a.name == b.name, a.call == b.call, a.name != nil {
      // Two ends may use the same name for their connections if the name of the end differs.
      if a.endpoint == nil || b.endpoint == nil || a.endpoint == b.endpoint { return .sameEnd }
    }
    if a.kinds.hasKeys, b.kinds.hasKeys, let relation = byKeys(a, b) { return relation }
    if a.kinds.hasStreams, b.kinds.hasStreams, let relation = bySsrc(a, b) { return relation }
    if a.kinds.hasSIP, b.kinds.hasSIP, let relation = bySIP(a, b) { return relation }
    if sharesConnectionId(a, b) { return .sameEnd }
    return sharesCallId(a, b) ? .sameCall : nil
  }

  /// Whether a log's reader distinguished these two calls of one end: then only a common call id relates them.
  private static func areCallsOfOneLog(_ a: ConnectionView, _ b: ConnectionView) -> Bool {
    guard a.source == b.source, a.name != b.name else { return false }
    let (end, other) = (a.logged.end, b.logged.end)
    return end == other && (a.endpoint ?? end) == (b.endpoint ?? other)
  }

  /// DTLS fingerprints and ICE credentials: if both sides are known, both must match; otherwise one is enough.
  private static func byKeys(_ a: ConnectionView, _ b: ConnectionView) -> ViewRelation? {
    guard overlap(a, b, slack: slackMs) else { return nil }
    let pairs: [(IdentityKind, IdentityKind)] = [
      (.fingerprintLocal, .fingerprintRemote), (.ufragLocal, .ufragRemote),
    ]
    for (local, remote) in pairs {
      if agree(a[local], b[local]) == true, agree(a[remote], b[remote]) != false { return .sameEnd }
      let there = agree(a[local], b[remote])
      let back = agree(b[local], a[remote])
      if there == true, back != false { return .facing }
      if back == true, there != false { return .facing }
    }
    return nil
  }

  /// Gateways and test tools use the same SSRC in every call: if both ends send it, it counts as one shared SSRC only.
  private static func bySsrc(_ a: ConnectionView, _ b: ConnectionView) -> ViewRelation? {
    let same = random(a[.ssrcIn]).intersection(b[.ssrcIn])
      .union(random(a[.ssrcOut]).intersection(b[.ssrcOut])).count
    let facing = random(a[.ssrcIn]).intersection(b[.ssrcOut])
      .union(random(a[.ssrcOut]).intersection(b[.ssrcIn])).count
    let shared = max(same, facing)
    guard shared > 0 else { return nil }
    var slack = shared > 1 ? clockSlackMs : slackMs
    if agree(a[.sip], b[.sip]) == false {
      // A session border controller may have replaced the Call-ID, as captures on both of its sides show.
      guard a.source != b.source, shared > 1 else { return nil }
      slack = slackMs
    }
    guard overlap(a, b, slack: slack), !areBesideEachOther(a, b, sameWay: same >= facing) else { return nil }
    // With an echo, both directions have one SSRC, and the two ends have each other's addresses.
    guard same >= facing, !areOpposite(a, b) else { return .facing }
    // Two views that receive the same sender and send different streams are two of its listeners.
    let areListeners =
      agree(random(a[.ssrcOut]), random(b[.ssrcOut])) == false || areOfTwoClients(a, b)
    guard areListeners else { return .sameEnd }
    return facing > 0 ? .facing : .sameCall
  }

  /// Whether two views are of connections of two clients: their records name two ends, or they have other keys of their
  /// own. A server may pass a stream on to all with its SSRC.
  private static func areOfTwoClients(_ a: ConnectionView, _ b: ConnectionView) -> Bool {
    if let end = a.ownEnd, let other = b.ownEnd { return end != other }
    return agree(a[.fingerprintLocal], b[.fingerprintLocal]) == false
      && agree(a[.ufragLocal], b[.ufragLocal]) != true
  }

  /// Ends of one SIP call (RFC 3261 section 12: Call-IDs are unique) in two captures: views with the same address are
  /// the same end, views with each other's addresses are the two ends. The address of a proxy is that of one end to the
  /// other.
  private static func bySIP(_ a: ConnectionView, _ b: ConnectionView) -> ViewRelation? {
    guard a.source != b.source, agree(a[.sip], b[.sip]) == true else { return nil }
    if areOpposite(a, b) { return .facing }
    let directions = Set([a.direction, b.direction]).subtracting([.unknown])
    return agree(a[.addressLocal], b[.addressLocal]) == true && directions.count < 2 ? .sameEnd : nil
  }

  /// Whether two views are of the same two hosts at the same time, each between other ports, with one SSRC in the same direction: a
  /// gateway that sends every call with one. A leg that is passed on has another host, or goes the other way.
  private static func areBesideEachOther(_ a: ConnectionView, _ b: ConnectionView, sameWay: Bool) -> Bool {
    guard !a.kinds.hasKeys, !b.kinds.hasKeys, a.firstMs != nil, b.firstMs != nil,
      overlap(a, b, slack: -besideMs)
    else { return false }
    let kinds: [(IdentityKind, IdentityKind)] =
      sameWay
      ? [(.addressLocal, .addressLocal), (.addressRemote, .addressRemote)]
      : [(.addressLocal, .addressRemote), (.addressRemote, .addressLocal)]
    return kinds.allSatisfy { mine, others in
      agree(a[mine], b[others]) == false && hosts(a[mine]) == hosts(b[others]) && hosts(a[mine]).count == 1
    }
  }

  private static func hosts(_ addresses: Set<String>) -> Set<String> {
    Set(addresses.map(AddressText.host))
  }

  private static func areOpposite(_ a: ConnectionView, _ b: ConnectionView) -> Bool {
    agree(a[.addressLocal], b[.addressRemote]) == true && agree(a[.addressRemote], b[.addressLocal]) == true
      && agree(a[.addressLocal], b[.addressLocal]) == false
  }

  /// Whether an identifier shared by two views can relate them: SSRCs that are not random, and short names of
  /// connections, occur anywhere.
  static func isEvidence(_ kind: IdentityKind, _ value: String) -> Bool {
    switch kind {
    case .ssrcIn, .ssrcOut: SSRC.isRandom(value)
    case .connection: ConnectionName.isID(value)
    default: true
    }
  }

  /// A connection id is evidence only if it looks like an id: `caller` or `PC_0` is the name of many connections.
  private static func sharesConnectionId(_ a: ConnectionView, _ b: ConnectionView) -> Bool {
    guard a.kinds.hasConnection, b.kinds.hasConnection else { return false }
    return a[.connection].intersection(b[.connection]).contains { ConnectionName.isID($0) }
  }

  private static func sharesCallId(_ a: ConnectionView, _ b: ConnectionView) -> Bool {
    if let call = a.call, call == b.call { return true }
    guard a.kinds.hasCall, b.kinds.hasCall else { return false }
    for kind in [IdentityKind.call, .session, .sip] where !a[kind].isDisjoint(with: b[kind]) { return true }
    return false
  }

  /// Whether two sets of identifiers match (true), differ (false), or say nothing (nil).
  private static func agree(_ a: Set<String>, _ b: Set<String>) -> Bool? {
    a.isEmpty || b.isEmpty ? nil : !a.isDisjoint(with: b)
  }

  private static func random(_ ssrcs: Set<String>) -> Set<String> {
    ssrcs.filter { SSRC.isRandom($0) }
  }

  private static func overlap(_ a: ConnectionView, _ b: ConnectionView, slack: Double) -> Bool {
    guard let aFirst = a.firstMs, let aLast = a.lastMs, let bFirst = b.firstMs, let bLast = b.lastMs else {
      return true
    }
    return aFirst <= bLast + slack && bFirst <= aLast + slack
  }
}

/// Manual corrections of the grouping: parts that belong together, parts that do not. A part is identified by the
/// digest of its source and its name in it, so that corrections survive a re-import.
struct Corrections {
  /// A part of a source.
  struct Part: Hashable {
    var sha256: String
    var name: String
  }

  private var links: Set<[Part]> = []
  private var splits: Set<[Part]> = []

  private var corrected: Set<Part> = []

  mutating func link(_ a: Part, _ b: Part) {
    links.formUnion([[a, b], [b, a]])
    corrected.formUnion([a, b])
  }

  mutating func split(_ a: Part, _ b: Part) {
    splits.formUnion([[a, b], [b, a]])
    corrected.formUnion([a, b])
  }

  /// Parts that a person linked with this one.
  func linked(to part: Part) -> [Part] { links.filter { $0.first == part }.compactMap(\.last) }

  /// Whether there is any correction for it.
  func concern(_ part: Part) -> Bool { corrected.contains(part) }

  /// Whether a person separated the two.
  func haveSplit(_ a: Part, _ b: Part) -> Bool { splits.contains([a, b]) }

  /// The relation between two views with corrections applied.
  func apply(to relation: ViewRelation?, _ a: ConnectionView, _ b: ConnectionView) -> ViewRelation? {
    guard !(links.isEmpty && splits.isEmpty) else { return relation }
    let pair = [a.part, b.part]
    if splits.contains(pair) { return nil }
    return relation == nil || relation == .named ? links.contains(pair) ? .sameCall : relation : relation
  }
}

extension ConnectionView {
  /// The key of the view in corrections.
  var part: Corrections.Part { .init(sha256: sha256, name: name ?? "") }
}
