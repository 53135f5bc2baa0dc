/// An outage of network, session or path as an SDK logged it.
public struct ServiceOutage: Sendable, Equatable {
  /// What was out.
  public enum Service: Sendable { case network, session, path }

  public var service: Service
  public var startMs: Double
  /// When the service was back or the call was over; nil if unknown.
  public var endMs: Double?
  /// Number of attempts to reconnect.
  public var retries = 0
  /// Whether the service was still out when the SDK gave up or the call ended.
  public var isOpenAtTheEnd = false
  /// Whether the SDK said that it gave up.
  public var isGivenUp = false
  /// Whether a PeerConnection reported it, which knows only its own path.
  public var isOfPeerConnection = false

  /// Duration, ms; 0 if the end is unknown.
  public var lengthMs: Double { endMs.map { max(0, $0 - startMs) } ?? 0 }
}

extension Sequence<EventRecord> {
  /// The outages of one end, in the order in which they began. Events must be in order of time.
  public var serviceOutages: [ServiceOutage] {
    var open: [ServiceOutage.Service: ServiceOutage] = [:]
    var found: [ServiceOutage] = []
    var lastMs: Double?
    var isOver = false
    func close(_ services: [ServiceOutage.Service], at time: Double, isEnd: Bool = false) {
      for service in services {
        guard var outage = open.removeValue(forKey: service) else { continue }
        outage.endMs = time
        outage.isOpenAtTheEnd = isEnd
        found.append(outage)
      }
    }
    for event in self {
      guard let time = event.ownTimeMs else { continue }
      lastMs = time
      // Outages after the call are not counted.
      if isOver, event.event != .callEstablished, !EventName.openings.contains(event.event) {
        continue
      }
      switch event.event {
      case .networkUnavailable, .networkRetry, .networkLost:
        var outage = open[.network] ?? ServiceOutage(service: .network, startMs: time)
        if event.event == .networkRetry { outage.retries += 1 }
        if event.event == .networkLost, event[.outcome] != nil { outage.isGivenUp = true }
        outage.isOfPeerConnection = event.sdk == "w3c"
        open[.network] = outage
      case .networkChanged where event[.state] == "ended": close([.network], at: time)
      case .sessionReconnecting:
        var outage = open[.session] ?? ServiceOutage(service: .session, startMs: time)
        outage.retries += 1
        open[.session] = outage
      case .iceDisconnected, .iceFailed:
        var outage = open[.path] ?? ServiceOutage(service: .path, startMs: time)
        outage.isOfPeerConnection = true
        open[.path] = outage
      case .networkAvailable: close([.network], at: time)
      case .networkReestablished, .sessionConnected, .sessionResumed, .sessionRegistered:
        close([.network, .session], at: time)
      case .sessionFailed, .sessionClosed: close([.session], at: time, isEnd: true)
      case .iceConnected, .dtlsConnected: close([.path, .network], at: time)
      case .callEstablished:
        isOver = false
        if event.sdk == "w3c" { close([.path, .network], at: time) }
      case .callEnded, .callFailed:
        close([.network, .session, .path], at: time, isEnd: true)
        isOver = true
      default: if isOver { isOver = false }
      }
    }
    if let lastMs { close([.network, .session, .path], at: lastMs, isEnd: true) }
    return found.sorted { $0.startMs < $1.startMs }
  }
}
