import CallModel
import CallStore

extension Store {
  /// The events that judge a call, without the device requests a page made before the call: for a preview in the lobby,
  /// or for an earlier call of the same tab that a dump of the page still contains.
  func eventsWithoutPreviews(ofCall key: Int64) throws -> [StoredEvent] {
    let events = try judgingEvents(ofCall: key)
    guard
      let beganMs = events.compactMap({ $0.endpoint == nil ? nil : $0.record.timeMs }).min(),
      let previewMs = events.compactMap({ event -> Double? in
        guard event.isOfDevice, let timeMs = event.record.timeMs else { return nil }
        return deviceRequests.contains(event.record.event) || timeMs >= beganMs - deviceLeadMs ? nil : timeMs
      }).max()
    else { return events }
    return events.filter { !$0.isOfDevice || $0.record.timeMs.map { $0 > previewMs } ?? true }
  }
}

extension StoredEvent {
  /// Whether a page requested or got a device without reference to an end.
  fileprivate var isOfDevice: Bool {
    endpoint == nil && (deviceRequests.contains(record.event) || deviceAnswers.contains(record.event))
  }
}

private let deviceRequests: Set<EventName> = [.mediaLocalRequested, .mediaDisplayRequested]
private let deviceAnswers: Set<EventName> = [
  .mediaLocalAcquired, .mediaLocalFailed, .mediaDisplayAcquired, .mediaDisplayFailed,
]
