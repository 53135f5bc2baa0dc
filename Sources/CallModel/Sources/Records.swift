/// What a source says of one end of a call: a PeerConnection, an SDK session, one side of a capture.
///
/// Readers may say it in pieces: facts that are nil leave earlier ones as they are, identities add up.
public struct ConnectionFacts: Sendable {
  /// The connection's own name in its source (`caller`, `PC_0`, `12-1`), as printed in column `pc`.
  public var name: String?
  /// The name of the end where the log has one: `caller`, `callee`, a participant.
  public var endpoint: String?
  /// The call's id where the log has one.
  public var call: String?
  /// SDK family (`cisco-rem`, `kandy-link`, `oracle-wsc`, `pexip`, `rebtel`, `w3c`) and its version.
  public var sdk: String?
  public var sdkVersion: String?
  /// Who started the call.
  public var direction: CallDirection?
  /// Browser or client, and operating system.
  public var userAgent: String?
  public var system: String?
  /// Who it was.
  public var person: String?
  /// Everything by which this end can be recognised elsewhere.
  public var identities: Set<Identity> = []
  /// What the events of an end call its connections (`pcId`, `connectionId`), as the statistics of the same log may.
  public var connectionNames: Set<String> = []

  /// Nothing known yet.
  public init() {}
}

extension ConnectionFacts {
  /// The same with other texts: `change` is given each of them, and what it says.
  public func mapTexts(_ change: (String, TextRole) -> String) -> Self {
    var facts = self
    facts.person = person.map { change($0, .person) }
    facts.name = name.map { change($0, .text) }
    facts.endpoint = endpoint.map { change($0, .text) }
    facts.call = call.map { change($0, .text) }
    facts.sdk = sdk.map { change($0, .word) }
    facts.sdkVersion = sdkVersion.map { change($0, .version) }
    facts.userAgent = userAgent.map { change($0, .text) }
    facts.system = system.map { change($0, .text) }
    facts.identities = Set(identities.map { Identity($0.kind, change($0.value, $0.kind.role)) })
    facts.connectionNames = Set(connectionNames.map { change($0, .text) })
    return facts
  }
}

/// What a source says of one stream; nil is unknown. Facts add up as `ConnectionFacts` do.
public struct StreamFacts: Sendable, Equatable {
  public var source: StreamSource = .stats
  public var direction: StreamDirection = .unknown
  public var kind: MediaKind?
  public var ssrc: UInt32?
  public var rtxSsrc: UInt32?
  public var mid: String?
  public var rid: String?
  /// Which of the encodings of its sender it is, and how an encoding is layered (`L1T3`).
  public var encodingIndex: Int?
  public var scalabilityMode: String?
  /// Codec name without the kind (`opus`, `VP8`), and its parameters.
  public var codec: String?
  public var fmtp: String?
  public var payloadType: Int?
  /// RTP clock in Hz, and whether it was inferred from the packets.
  public var clockRate: Int?
  public var clockRateGuessed: Bool?
  public var channels: Int?
  /// `ip:port` of both ends.
  public var local: String?
  public var remote: String?
  /// Screen share rather than camera.
  public var screen: Bool?
  /// Encoder or decoder implementation.
  public var implementation: String?

  /// Nothing known yet.
  public init() {}
}

extension StreamFacts {
  /// The same with other texts: `change` is given each of them, and what it says.
  public func mapTexts(_ change: (String, TextRole) -> String) -> Self {
    var facts = self
    facts.mid = mid.map { change($0, .text) }
    facts.rid = rid.map { change($0, .text) }
    facts.scalabilityMode = scalabilityMode.map { change($0, .word) }
    facts.codec = codec.map { change($0, .word) }
    facts.fmtp = fmtp.map { change($0, .text) }
    facts.local = local.map { change($0, .address) }
    facts.remote = remote.map { change($0, .address) }
    facts.implementation = implementation.map { change($0, .text) }
    return facts
  }
}

/// Figures of a whole stream that no series of samples can give: what a capture saw (units as in `streams --json`).
public struct StreamTotals: Sendable {
  public var firstMs: Double?
  public var lastMs: Double?
  public var packets: Int?
  public var bytes: Int?
  public var expected: Int?
  public var lost: Int?
  public var duplicates: Int?
  public var reordered: Int?
  public var late: Int?
  public var restarts: Int?
  public var fec: Int?
  public var rtx: Int?
  public var probes: Int?
  public var captureDuplicates: Int?
  public var jitterMeanMs: Double?
  public var jitterMaxMs: Double?
  public var frameJitterMeanMs: Double?
  public var maxDeltaMs: Double?
  public var wiresharkPackets: Int?
  public var wiresharkLost: Int?
  public var wiresharkJitterMeanMs: Double?
  public var wiresharkJitterMaxMs: Double?
  public var burstDensity: Double?
  public var gapDensity: Double?
  public var burstMs: Double?
  public var gapMs: Double?
  public var rttMs: Double?
  /// Anything else worth keeping, as a JSON object.
  public var extra: String?

  /// Nothing known yet.
  public init() {}
}

extension StreamTotals {
  /// The same with other texts: `change` is given each of them, and what it says.
  public func mapTexts(_ change: (String, TextRole) -> String) -> Self {
    var totals = self
    totals.extra = extra.map { change($0, .json) }
    return totals
  }
}

/// Something that was not taken, and why.
public struct Reject: Sendable {
  /// 1-based line, 1-based packet number, 0-based byte of the decompressed source: where known.
  public var line: Int?
  public var frame: Int?
  public var byte: Int?
  /// A few plain words, the same for the same mistake, so that they can be counted.
  public var reason: String
  /// What stood there, shortened and without secrets.
  public var excerpt: String?
  /// How many of the same this stands for.
  public var count = 1

  /// A refusal.
  public init(_ reason: String, line: Int? = nil, frame: Int? = nil, byte: Int? = nil, excerpt: String? = nil)
  {
    self.reason = reason
    self.line = line
    self.frame = frame
    self.byte = byte
    self.excerpt = excerpt
  }
}

extension Reject {
  /// The same with other texts: `change` is given each of them, and what it says.
  public func mapTexts(_ change: (String, TextRole) -> String) -> Self {
    var reject = self
    reject.reason = change(reason, .text)
    reject.excerpt = excerpt.map { change($0, .text) }
    return reject
  }
}

extension Reject {
  /// A line that is longer than may be; `name` is the word by which `--raise` allows more.
  public static func line(longerThan limit: Int, line: Int, byte: Int?, raise name: String = "line") -> Reject
  {
    Reject("line longer than \(limit) bytes; --raise \(name)=SIZE takes longer ones", line: line, byte: byte)
  }

  /// More of something than may be.
  public static func beyond(
    _ limit: Int, _ what: String, count: Int = 1, line: Int? = nil, raise name: String
  ) -> Reject {
    var reject = Reject("more than \(limit) \(what); --raise \(name)=NUMBER takes more", line: line)
    reject.count = count
    return reject
  }

  /// So many of something that were not taken because there were too many; the bound is fixed.
  public static func beyond(_ limit: Int, _ what: String, count: Int) -> Reject {
    var reject = Reject("more than \(limit) \(what)")
    reject.count = count
    return reject
  }
}

extension IdentityKind {
  /// What the values of this kind say.
  public var role: TextRole {
    switch self {
    case .call, .session, .sip, .connection: .text
    case .page, .ufragLocal, .ufragRemote, .fingerprintLocal, .fingerprintRemote, .ssrcIn, .ssrcOut: .key
    case .addressLocal, .addressRemote: .address
    case .person: .person
    }
  }
}
