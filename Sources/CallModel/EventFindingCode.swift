/// Codes of the findings that an SDK's own words tell, whatever statistics there are. `EventRule` has the rule of each.
public enum EventFindingCode: String, Sendable, CaseIterable {
  case sessionOutage = "session-outage"
  case networkOutage = "network-outage"
  case connectionGivenUp = "connection-given-up"
  case lateICE = "late-ice"
  case noMicrophone = "no-microphone"
  case noCamera = "no-camera"
  case permissionRefused = "permission-refused"
  case pushTooLate = "push-too-late"
  case interruptedByTelephone = "interrupted-by-telephone"
  case waitedForHost = "waited-for-host"
  case mediaLost = "media-lost"
  case requestRefused = "request-refused"
  case dataChannelFailed = "data-channel-failed"
}

extension Finding {
  /// Whether it is one of those.
  public var isOfEvents: Bool { EventFindingCode(rawValue: code) != nil }
}
