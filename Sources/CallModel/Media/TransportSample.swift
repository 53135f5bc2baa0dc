/// The path of one end at one instant: the figures of a poll, and the facts of the path. Nil is unknown.
public struct TransportSample: Sendable {
  public var timeMs: Double
  /// Distinguishes the connections of an end; has no meaning otherwise.
  public var connection: Int64 = 0
  private var path = PathFacts.unknown
  /// Round trip of the connectivity checks.
  public var rttMs: Double?
  public var availableOutgoingBps: Double?
  public var availableIncomingBps: Double?
  public var bytesSent: Double?
  public var bytesReceived: Double?
  /// When the last packet of any kind was received, except connectivity checks (ms since the Unix epoch).
  public var lastPacketMs: Double?
  /// Connectivity checks of the pair and their responses, since it was created.
  public var requestsSent: Double?
  public var responsesReceived: Double?
  public var requestsReceived: Double?
  public var responsesSent: Double?
  /// Sum of the round trips of all answered checks.
  public var totalRttMs: Double?
  /// How often the transport switched to another pair.
  public var pairChanges: Double?
  /// JSON object of members that have no column.
  public var extra: String?

  /// A sample with only its time.
  public init(timeMs: Double) { self.timeMs = timeMs }

  /// Columns of `path_samples` for the figures, in the order of the table.
  public static let columns = [
    "rtt_ms", "available_out_bps", "available_in_bps", "bytes_sent", "bytes_received", "last_packet_ms",
    "requests_sent", "responses_received", "requests_received", "responses_sent", "total_rtt_ms",
    "pair_changes",
  ]

  /// The figures in the order of `columns`. Every poll has path samples: using key paths costs 6 % of an
  /// import.
  public var figures: InlineArray<12, Double?> {
    get {
      [
        rttMs, availableOutgoingBps, availableIncomingBps, bytesSent, bytesReceived, lastPacketMs,
        requestsSent, responsesReceived, requestsReceived, responsesSent, totalRttMs, pairChanges,
      ]
    }
    set {
      (rttMs, availableOutgoingBps, availableIncomingBps) = (newValue[0], newValue[1], newValue[2])
      (bytesSent, bytesReceived, lastPacketMs) = (newValue[3], newValue[4], newValue[5])
      (requestsSent, responsesReceived, requestsReceived) = (newValue[6], newValue[7], newValue[8])
      (responsesSent, totalRttMs, pairChanges) = (newValue[9], newValue[10], newValue[11])
    }
  }

  /// Whether every value is a finite number.
  public var isFinite: Bool {
    let figures = figures
    return timeMs.isFinite && figures.indices.allSatisfy { figures[$0]?.isFinite ?? true }
  }

  /// Whether its path has the same facts as another's.
  public func isOnPath(of other: TransportSample) -> Bool {
    path === other.path || path.texts == other.path.texts
  }

  /// Copies the path facts of another sample.
  public mutating func takePath(of other: TransportSample) { path = other.path }

  /// A copy with every text replaced by `change`, which is given the text and its role.
  public func mapTexts(_ change: (String, TextRole) -> String) -> Self {
    var sample = self
    sample.path = PathFacts(path.texts.mapped(change))
    sample.extra = extra.map { change($0, .json) }
    return sample
  }
}

/// The facts of a path, shared by all of its samples: there is one per poll, and they are passed on many
/// times.
///
/// Copied on write.
private final class PathFacts: @unchecked Sendable {
  var texts: PathTexts

  static let unknown = PathFacts(PathTexts())

  init(_ texts: PathTexts) { self.texts = texts }
}

private struct PathTexts: Equatable, Sendable {
  var pair: String?
  var local: String?
  var remote: String?
  var localType: String?
  var remoteType: String?
  var networkProtocol: String?
  var relayProtocol: String?
  var networkType: String?
  var iceState: String?
  var dtlsState: String?

  func mapped(_ change: (String, TextRole) -> String) -> Self {
    var texts = self
    texts.pair = pair.map { change($0, .text) }
    texts.local = local.map { change($0, .address) }
    texts.remote = remote.map { change($0, .address) }
    texts.localType = localType.map { change($0, .word) }
    texts.remoteType = remoteType.map { change($0, .word) }
    texts.networkProtocol = networkProtocol.map { change($0, .word) }
    texts.relayProtocol = relayProtocol.map { change($0, .word) }
    texts.networkType = networkType.map { change($0, .word) }
    texts.iceState = iceState.map { change($0, .word) }
    texts.dtlsState = dtlsState.map { change($0, .word) }
    return texts
  }
}

extension TransportSample {
  /// Id of the selected candidate pair.
  public var pair: String? {
    get { path.texts.pair }
    set { set(\.pair, newValue) }
  }

  /// `ip:port` of this end.
  public var local: String? {
    get { path.texts.local }
    set { set(\.local, newValue) }
  }

  /// `ip:port` of the far end.
  public var remote: String? {
    get { path.texts.remote }
    set { set(\.remote, newValue) }
  }

  /// host, srflx, prflx, relay.
  public var localType: String? {
    get { path.texts.localType }
    set { set(\.localType, newValue) }
  }

  /// host, srflx, prflx, relay of the far end.
  public var remoteType: String? {
    get { path.texts.remoteType }
    set { set(\.remoteType, newValue) }
  }

  /// udp, tcp.
  public var networkProtocol: String? {
    get { path.texts.networkProtocol }
    set { set(\.networkProtocol, newValue) }
  }

  /// Between client and relay: udp, tcp, tls.
  public var relayProtocol: String? {
    get { path.texts.relayProtocol }
    set { set(\.relayProtocol, newValue) }
  }

  /// wifi, cellular, ethernet, vpn …
  public var networkType: String? {
    get { path.texts.networkType }
    set { set(\.networkType, newValue) }
  }

  /// RTCIceTransportState.
  public var iceState: String? {
    get { path.texts.iceState }
    set { set(\.iceState, newValue) }
  }

  /// RTCDtlsTransportState.
  public var dtlsState: String? {
    get { path.texts.dtlsState }
    set { set(\.dtlsState, newValue) }
  }

  private mutating func set(_ part: WritableKeyPath<PathTexts, String?>, _ text: String?) {
    if !isKnownUniquelyReferenced(&path) { path = PathFacts(path.texts) }
    path.texts[keyPath: part] = text
  }
}
