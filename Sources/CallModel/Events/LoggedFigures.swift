/// Figures of a call at one end, from the log of an SDK alone, without statistics.
public struct LoggedFigures: Sendable, Equatable {
  /// The quality of received media as the client itself reported it, 0 to 100.
  public struct Reported: Sendable, Equatable {
    /// Time-weighted mean: a report holds until the next one.
    public var mean: Double
    public var min: Double
    /// How long it was below 50, ms.
    public var below50Ms: Double
  }

  public var reported: Reported?
  /// Lowest mean opinion score, 1 to 5, that a telephone, a gateway or a service reported for the media it
  /// received (RFC 6035, RFC 3611 or a vendor's header).
  public var reportedMos: Double?
  /// How long this end and the far end held the call, ms; nil if they never did.
  public var heldLocalMs: Double?
  public var heldRemoteMs: Double?
  /// How long network, session or path were out during the call, ms; nil if they were not.
  public var networkOutMs: Double?
  /// Whether there was audio, and whether there was video; nil if unknown.
  public var hasAudio: Bool?
  public var hasVideo: Bool?
  /// Whether video was added after the call was established.
  public var isUpgraded: Bool?

  /// No figures.
  public init() {}

  /// The figures from the events of one end, in order of time.
  public init(_ events: [EventRecord]) {
    let end = Self.end(of: events)
    reported = Self.reported(events, until: end)
    reportedMos = events.compactMap(Self.mos(of:)).min()
    (heldLocalMs, heldRemoteMs) = Self.held(events, until: end)
    let outages = events.serviceOutages
    if !outages.isEmpty {
      let spans = SpanSet(outages.compactMap { outage in outage.endMs.map { (outage.startMs, $0) } })
      networkOutMs = spans.covered(from: -.infinity, to: .infinity)
    }
    addMedia(events)
  }

  /// Range of a reported quality.
  public static let qualities = 0.0...100.0

  /// The quality of received media that a client reported with an event; nil if it reported none or one out
  /// of range.
  public static func quality(of event: EventRecord) -> Double? {
    guard event.event == .mediaQualityReported,
      let value = event[.score], qualities.contains(value)
    else { return nil }
    return value
  }

  /// The mean opinion score in the report of a receiver; nil if there is none or it is out of range.
  static func mos(of event: EventRecord) -> Double? {
    guard event.event == .mediaQualityReported, event[.of] != "sent",
      let value = lowest([event[.mosListening] ?? event[.mosConversational] ?? event[.mos], event[.mosMin]]),
      mosRange.contains(value)
    else { return nil }
    return value
  }

  private static func lowest(_ values: [Double?]) -> Double? { values.compactMap(\.self).min() }

  /// Range of a mean opinion score (ITU-T P.800).
  public static let mosRange = 1.0...5.0

  // The end of the call, otherwise the last time known.
  private static func end(of events: [EventRecord]) -> Double? {
    let ends = events.filter { $0.event.isEnd }
    return ends.compactMap(\.ownTimeMs).first { time in
      !events.contains { $0.event == .callEstablished && ($0.ownTimeMs ?? -.infinity) > time }
    } ?? events.compactMap(\.ownTimeMs).max()
  }

  private static func reported(_ events: [EventRecord], until end: Double?) -> Reported? {
    var reports = events.compactMap { event in
      quality(of: event).flatMap { value in event.ownTimeMs.map { (timeMs: $0, value: value) } }
    }
    if let end { reports.removeAll { $0.timeMs > end } }
    guard let lowest = reports.map(\.value).min() else { return nil }
    var (sum, whole, below) = (0.0, 0.0, 0.0)
    for (index, report) in reports.enumerated() {
      let until = index + 1 < reports.count ? reports[index + 1].timeMs : end ?? report.timeMs
      let length = max(0, until - report.timeMs)
      sum += report.value * length
      whole += length
      if report.value < 50 { below += length }
    }
    let plain = reports.map(\.value).reduce(0, +) / Double(reports.count)
    return Reported(mean: whole > 0 ? sum / whole : plain, min: lowest, below50Ms: below)
  }

  private static func held(_ events: [EventRecord], until end: Double?) -> (Double?, Double?) {
    var (local, remote) = (HoldTimer(), HoldTimer())
    for event in events {
      guard let time = event.ownTimeMs else { continue }
      let isOfOne = event[.by] != nil
      switch event.event {
      case .callHeld:
        local.begin(time)
        if !isOfOne { remote.stop(time) }
      case .callRemotelyHeld:
        remote.begin(time)
        if !isOfOne { local.stop(time) }
      case .callDoubleHeld:
        local.begin(time)
        remote.begin(time)
      case .callResumed:
        if event[.by] != "remote" { local.stop(time) }
        if event[.by] != "local" { remote.stop(time) }
      case .callEnded, .callFailed:
        local.stop(time)
        remote.stop(time)
      default: break
      }
    }
    if let end {
      local.stop(end)
      remote.stop(end)
    }
    return (local.ms, remote.ms)
  }

  private struct HoldTimer {
    private(set) var ms: Double?
    private var sinceMs: Double?

    mutating func begin(_ time: Double) {
      ms = ms ?? 0
      sinceMs = sinceMs ?? time
    }

    mutating func stop(_ time: Double) {
      guard let since = sinceMs else { return }
      ms = (ms ?? 0) + max(0, time - since)
      sinceMs = nil
    }
  }

  private mutating func addMedia(_ events: [EventRecord]) {
    let established = events.first { $0.event == .callEstablished }?.ownTimeMs
    for event in events {
      let directions = MediaDirections(event)
      if let audio = directions.audio { hasAudio = hasAudio ?? false || audio }
      guard let video = directions.video else { continue }
      if video, hasVideo != true, let time = event.ownTimeMs, let established {
        isUpgraded = time > established && hasVideo == false
      }
      hasVideo = hasVideo ?? false || video
    }
    if hasVideo != nil { isUpgraded = isUpgraded ?? false }
  }
}

/// The media that an SDK event requests or reports, by its arguments.
struct MediaDirections {
  private(set) var audio: Bool?
  private(set) var video: Bool?

  private static let eventsWithMedia: Set<EventName> = [
    .callCreated, .callDialing, .callAnswered, .callIncoming, .callUpdated, .callEstablished, .callUnmuted,
    .mediaRemoteStream, .mediaLocalAcquired, .mediaFirstFrame, .mediaFirstAudio,
  ]
  private static let audioNames = [
    "withAudio", "answerWithAudio", "audio", "audioDirection", "localAudio", "enableAudio", "hasAudio",
  ]
  private static let videoNames = [
    "withVideo", "andVideo", "video", "videoDirection", "localVideo", "enableVideo", "hasVideo",
    "videoEnabled",
    "remoteVideo",
  ]
  private static let yes: Set = ["true", "yes", "1", "enabled", "sendrecv", "sendonly", "recvonly"]
  private static let no: Set = ["false", "no", "0", "disabled", "none", "inactive"]

  init(_ event: EventRecord) {
    switch event.event {
    case .mediaFirstFrame:
      video = true
      return
    case .mediaFirstAudio:
      audio = true
      return
    case .callUnmuted:
      if event[.kind] == "video" { video = true }
      if event[.kind] == "audio" { audio = true }
      return
    default: break
    }
    guard Self.eventsWithMedia.contains(event.event) else { return }
    audio = Self.first(Self.audioNames, event)
    video = Self.first(Self.videoNames, event)
  }

  // The first argument that is a yes or no, or a direction.
  private static func first(_ names: [String], _ event: EventRecord) -> Bool? {
    for name in names {
      guard let text = event.argument(name), text.utf8.count <= 64 else { continue }
      let word = text.lowercased().filter { $0.isLetter || $0.isNumber }
      if yes.contains(word) || word.hasSuffix("sendandreceive") || word.hasSuffix("sendonly")
        || word.hasSuffix("receiveonly")
      {
        return true
      }
      if no.contains(word) || word.hasSuffix("directionnone") { return false }
    }
    return nil
  }
}
