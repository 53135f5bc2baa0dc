import CallModel

/// Members of reports that are not figures of a stream, kept as text.
enum TextField: Int, CaseIterable {
  case kind, codecId, remoteId, localId, deviceId, trackId, trackIdentifier, transportId, mid, rid
  case implementation, contentType
  case mimeType, codecName, fmtp
  case selectedPair, localCandidate, remoteCandidate, localCertificate, remoteCertificate
  case localUfrag, iceState, dtlsState, pairState
  case address, candidateType, networkProtocol, relayProtocol, networkType, ufrag
  case localAddress, remoteAddress, localType, remoteType
  case fingerprint
  case scalabilityMode
}

/// Members of reports that are not figures of a stream, kept as numbers (flags as 0 and 1).
enum NumberField: Int, CaseIterable {
  case ssrc, rtxSsrc, payloadType, clockRate, channels, port, isRemote, nominated, selected
  case encodingIndex
  /// Changes from here on are frequent, and do not require recomputing facts.
  case roundTripMs, availableOutgoing, availableIncoming, bytesSent, bytesReceived, targetBps
  case lastPacketMs
  case cpuLimited, bandwidthLimited
  case requestsSent, responsesReceived, requestsReceived, responsesSent
  case totalRoundTripMs, pairChanges

  /// Whether a change of the field with this raw value means another stream or path.
  static func isFact(_ field: Int) -> Bool { field < NumberField.roundTripMs.rawValue }
}

/// How to handle a member of a type of report.
struct MemberMapping {
  enum Kind: UInt8 {
    /// In no table: kept in `extra`, with a note.
    case unknown
    /// Known, without a column: kept in `extra`.
    case extra
    /// Known, and either better expressed by another member or of no use after the call.
    case ignored
    case metric, text, number
    /// A figure under a name that only mediasoup uses.
    case mediasoupMetric
    /// In a remote report: shows that it was merged with the stream's own report, as wrappers do.
    case ofStream
    /// `qualityLimitationReason`, `qualityLimitationDurations`.
    case limitation, limitationDurations
    /// An object by colour component (`psnrSum`): its `y` is a figure, and all of it is kept in `extra`.
    case luma
    case id, type, timestamp
    /// An object that contains the actual members (legacy `stats` of response lists).
    case nested
  }

  var kind: Kind
  /// Raw value of a `Metric`, `TextField` or `NumberField`.
  var code: UInt8 = 0
  /// From the dialect's unit to the canonical one.
  var factor: Double = 1

  /// Only lost packets may be negative: duplicates are subtracted (RFC 3550, 6.4.1).
  var mayBeNegative: Bool {
    kind == .metric
      && (code == Metric.lost.rawValue || code == Metric.echoReturnLoss.rawValue
        || code == Metric.echoReturnLossEnhancement.rawValue)
  }

  /// Whether it is a round-trip time.
  @inline(__always)
  var isRoundTrip: Bool {
    kind == .metric && code == Metric.rttMs.rawValue
      || kind == .number && code == UInt8(NumberField.roundTripMs.rawValue)
  }

  /// A figure of the stream, in the same unit.
  static func count(_ metric: Metric) -> MemberMapping { MemberMapping(kind: .metric, code: metric.rawValue) }
  /// A figure of the stream, in seconds where the column is in milliseconds.
  static func seconds(_ metric: Metric) -> MemberMapping { .scaled(metric, 1000) }
  /// A figure of the stream in another unit.
  static func scaled(_ metric: Metric, _ factor: Double) -> MemberMapping {
    MemberMapping(kind: .metric, code: metric.rawValue, factor: factor)
  }
  static func text(_ field: TextField) -> MemberMapping {
    MemberMapping(kind: .text, code: UInt8(field.rawValue))
  }
  static func number(_ field: NumberField, _ factor: Double = 1) -> MemberMapping {
    MemberMapping(kind: .number, code: UInt8(field.rawValue), factor: factor)
  }
  static func mediasoup(_ metric: Metric) -> MemberMapping {
    MemberMapping(kind: .mediasoupMetric, code: metric.rawValue)
  }
  static func luma(_ metric: Metric) -> MemberMapping { MemberMapping(kind: .luma, code: metric.rawValue) }
  static let ofStream = MemberMapping(kind: .ofStream)
  static let ignored = MemberMapping(kind: .ignored)
  static let extra = MemberMapping(kind: .extra)
}

/// Validates figures of reports, in all dialects and containers.
enum Figure {
  /// Largest figure accepted: up to it, a Double represents every integer.
  private static let largest = 9_007_199_254_740_992.0

  /// Longest round trip accepted, ms: without an answer for this long consent expires (RFC 7675, 5.1).
  private static let longestRoundTripMs = 30_000.0

  /// The figure, nil if it is implausible: beyond 2^53, or below zero.
  @inline(__always)
  static func accepted(_ value: Double, mayBeNegative: @autoclosure () -> Bool = false) -> Double? {
    value <= largest && (value >= 0 || mayBeNegative() && value >= -largest) ? value : nil
  }

  /// The same for a member, which may be a round trip.
  @inline(__always)
  static func accepted(_ value: Double, _ action: MemberMapping) -> Double? {
    if value * action.factor >= 1000, action.isRoundTrip, !isRoundTrip(value, action.factor) { return nil }
    return accepted(value, mayBeNegative: action.mayBeNegative)
  }

  // Whole seconds are milliseconds with the wrong unit, as a round trip is measured more precisely.
  private static func isRoundTrip(_ value: Double, _ factor: Double) -> Bool {
    value * factor <= longestRoundTripMs && (factor == 1 || value != value.rounded())
  }

  /// The note for a rejected figure, NaN if its text is not a number; nil if it is the dialect's placeholder for
  /// unknown, such as -1 in goog-*.
  @inline(never)
  static func impossible(
    _ value: Double, _ type: ReportType, typeName: some Sequence<UInt8>, member: String
  ) -> String? {
    let name = "\(String(decoding: Array(typeName), as: UTF8.self)).\(member)"
    if value.isNaN { return "no number, taken as unknown: \(name)" }
    if value > largest { return "beyond 2^53, taken as unknown: \(name)" }
    if value > 0 { return "round trips of over 30 s or of whole seconds, taken as unknown: \(name)" }
    return type.isGoog ? nil : "below zero, taken as unknown: \(name)"
  }
}

/// The rejected values of a series of figures.
struct RejectedValues {
  private var lowest = 0.0
  private var highest = 0.0
  private var hasText = false

  mutating func add(_ value: Double) {
    if value < lowest { lowest = value }
    if value > highest { highest = value }
  }

  /// Whether there was text that is not a number.
  mutating func addText() { hasText = true }

  /// One of each kind.
  var values: [Double] { [lowest, highest].filter { $0 != 0 } + (hasText ? [.nan] : []) }
}

/// Members of reports to be noted in the source, by name.
struct UnexpectedMembers {
  /// Members in no table, with the name of the type.
  var unknown: Set<String> = []
  /// Members with implausible figures, in words.
  var impossible: Set<String> = []
}
