/// What a source knows of one end of a call: a PeerConnection, an SDK session, one side of a capture.
///
/// Readers may give it in pieces: nil facts leave earlier ones unchanged, identities add up.
public struct ConnectionFacts: Sendable {
  /// The connection's own name in its source (`caller`, `PC_0`, `12-1`), as printed in column `pc`.
  public var name: String?
  /// The name of the end, if the log has one: `caller`, `callee`, a participant.
  public var endpoint: String?
  /// The call's id, if the log has one.
  public var call: String?
  /// SDK family (`cisco-rem`, `kandy-link`, `oracle-wsc`, `pexip`, `rebtel`, `w3c`) and its version.
  public var sdk: String?
  public var sdkVersion: String?
  /// Who started the call.
  public var direction: CallDirection?
  /// Browser or client, and operating system.
  public var userAgent: String?
  public var system: String?
  /// The person at this end.
  public var person: String?
  /// Everything by which this end can be recognised in other sources.
  public var identities: Set<Identity> = []
  /// Names of its connections in events (`pcId`, `connectionId`), as they may also occur in the statistics of
  /// the same log.
  public var connectionNames: Set<String> = []

  /// No facts.
  public init() {}
}

extension ConnectionFacts {
  /// A copy with every text replaced by `change`, which is given the text and its role.
  public func mapTexts(_ change: (String, TextRole) -> String) -> Self {
    var facts = self
    facts.person = person.map { change($0, .person) }
    facts.name = name.map { change($0, .text) }
    facts.endpoint = endpoint.map { change($0, .end) }
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

/// What a source knows of one stream; nil is unknown. Facts add up as in `ConnectionFacts`.
public struct StreamFacts: Sendable, Equatable {
  public var source: StreamSource = .stats
  public var direction: StreamDirection = .unknown
  public var kind: MediaKind?
  public var ssrc: UInt32?
  public var rtxSsrc: UInt32?
  public var mid: String?
  public var rid: String?
  /// The id of the track that it carries (`trackIdentifier`). Servers that keep the id, or the SSRC, of what they
  /// forward tell by it whose stream it is.
  public var trackIdentifier: String?
  /// Index among the encodings of its sender, and the scalability mode of an encoding (`L1T3`).
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
  /// Length of the time that each of its samples is a mean of, ms; nil for statistics, captures, and moments.
  public var intervalMs: Double?

  /// No facts.
  public init() {}
}

extension StreamFacts {
  /// A copy with every text replaced by `change`, which is given the text and its role.
  public func mapTexts(_ change: (String, TextRole) -> String) -> Self {
    var facts = self
    facts.mid = mid.map { change($0, .text) }
    facts.rid = rid.map { change($0, .text) }
    facts.trackIdentifier = trackIdentifier.map { change($0, .track) }
    facts.scalabilityMode = scalabilityMode.map { change($0, .word) }
    facts.codec = codec.map { change($0, .word) }
    facts.fmtp = fmtp.map { change($0, .text) }
    facts.local = local.map { change($0, .address) }
    facts.remote = remote.map { change($0, .address) }
    facts.implementation = implementation.map { change($0, .text) }
    return facts
  }
}

/// Figures of a whole stream that samples cannot give, from a capture (units as in `streams --json`).
public struct StreamTotals: Sendable {
  /// Whether anything came, or was sent, by packets or by bytes.
  public var hasMedia: Bool { packets ?? 0 > 0 || bytes ?? 0 > 0 }

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
  /// Means over time of a source that counts no packets, bytes or samples: share lost, bit/s, share concealed.
  public var lossShare: Double?
  public var bitrateMeanBps: Double?
  public var concealedShare: Double?
  /// Anything else worth storing, as a JSON object.
  public var extra: String?

  /// No figures.
  public init() {}
}

extension StreamTotals {
  /// A copy with every text replaced by `change`, which is given the text and its role.
  public func mapTexts(_ change: (String, TextRole) -> String) -> Self {
    var totals = self
    totals.extra = extra.map { change($0, .json) }
    return totals
  }
}

/// Something that was rejected, and why.
public struct Reject: Sendable {
  /// 1-based line, 1-based packet number, 0-based byte of the decompressed source, if known.
  public var line: Int?
  public var frame: Int?
  public var byte: Int?
  /// A few plain words, the same for the same problem, so that equal ones can be counted.
  public var reason: String
  /// The rejected text, shortened and without secrets.
  public var excerpt: String?
  /// Number of equal rejects that this represents.
  public var count = 1

  /// A reject.
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
  /// A copy with every text replaced by `change`, which is given the text and its role.
  public func mapTexts(_ change: (String, TextRole) -> String) -> Self {
    var reject = self
    reject.reason = change(reason, .text)
    reject.excerpt = excerpt.map { change($0, .text) }
    return reject
  }
}

extension Reject {
  /// A line longer than the limit; `name` is the word of `--raise` that raises it.
  public static func line(longerThan limit: Int, line: Int, byte: Int?, raise name: String = "line") -> Reject
  {
    Reject("line longer than \(limit) bytes; --raise \(name)=SIZE takes longer ones", line: line, byte: byte)
  }

  /// More of something than the limit allows.
  public static func beyond(
    _ limit: Int, _ what: String, count: Int = 1, line: Int? = nil, raise name: String
  ) -> Reject {
    var reject = Reject("more than \(limit) \(what); --raise \(name)=NUMBER takes more", line: line)
    reject.count = count
    return reject
  }

  /// Rejects beyond a fixed limit that cannot be raised.
  public static func beyond(_ limit: Int, _ what: String, count: Int) -> Reject {
    var reject = Reject("more than \(limit) \(what)")
    reject.count = count
    return reject
  }
}

extension IdentityKind {
  /// The role of texts of this kind.
  public var role: TextRole {
    switch self {
    case .call, .session, .sip, .connection: .text
    case .page, .ufragLocal, .ufragRemote, .fingerprintLocal, .fingerprintRemote, .ssrcIn, .ssrcOut: .key
    case .addressLocal, .addressRemote: .address
    case .person: .person
    }
  }
}
