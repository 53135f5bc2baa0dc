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
}

/// Members of reports that are not figures of a stream, kept as numbers (flags as 0 and 1).
enum NumberField: Int, CaseIterable {
  case ssrc, rtxSsrc, payloadType, clockRate, channels, port, isRemote, nominated, selected
  /// From here on changes are ordinary and not worth working out facts again.
  case roundTripMs, availableOutgoing, availableIncoming, bytesSent, bytesReceived, targetBps
  case lastPacketMs
  case cpuLimited, bandwidthLimited
  case requestsSent, responsesReceived, requestsReceived

  /// Whether a change of the field with this raw value means that the stream or the path is another one.
  static func isFact(_ field: Int) -> Bool { field < NumberField.roundTripMs.rawValue }
}

/// What is to be done with one member of one type of report.
struct Action {
  enum Kind: UInt8 {
    /// In no table: kept in `extra`, and the source is told.
    case unknown
    /// Known, without a column: kept in `extra`.
    case extra
    /// Known, and either said better by another member or of no use to anyone after the call.
    case ignored
    case metric, text, number
    /// A figure under a name that only mediasoup gives it.
    case mediasoupMetric
    /// In a report of the far end: that the stream's own report was merged with it, as wrappers do.
    case ofStream
    /// `qualityLimitationReason`, `qualityLimitationDurations`.
    case limitation, limitationDurations
    case id, type, timestamp
    /// An object in which the members proper stand (legacy `stats` of response lists).
    case nested
  }

  var kind: Kind
  /// Raw value of a `Metric`, `TextField` or `NumberField`.
  var code: UInt8 = 0
  /// From the dialect's unit to the canonical one.
  var factor: Double = 1

  /// Of all figures only lost packets may fall below zero: what came twice counts against them (RFC 3550, 6.4.1).
  var mayBeNegative: Bool { kind == .metric && code == Metric.lost.rawValue }

  /// Whether it is the time of a round trip.
  @inline(__always)
  var isRoundTrip: Bool {
    kind == .metric && code == Metric.rttMs.rawValue
      || kind == .number && code == UInt8(NumberField.roundTripMs.rawValue)
  }

  /// A figure of the stream, in the same unit.
  static func count(_ metric: Metric) -> Action { Action(kind: .metric, code: metric.rawValue) }
  /// A figure of the stream, in seconds where the column is in milliseconds.
  static func seconds(_ metric: Metric) -> Action { .scaled(metric, 1000) }
  /// A figure of the stream in another unit.
  static func scaled(_ metric: Metric, _ factor: Double) -> Action {
    Action(kind: .metric, code: metric.rawValue, factor: factor)
  }
  static func text(_ field: TextField) -> Action { Action(kind: .text, code: UInt8(field.rawValue)) }
  static func number(_ field: NumberField, _ factor: Double = 1) -> Action {
    Action(kind: .number, code: UInt8(field.rawValue), factor: factor)
  }
  static func mediasoup(_ metric: Metric) -> Action {
    Action(kind: .mediasoupMetric, code: metric.rawValue)
  }
  static let ofStream = Action(kind: .ofStream)
  static let ignored = Action(kind: .ignored)
  static let extra = Action(kind: .extra)
}
