import Bytes
import CallModel
import LogText

/// Holds events back, in order, until the duration of lasting events is known, and until it is known which
/// end of the call they come from if that determines the event.
///
/// The buffer is bounded: if it is full, the first event is sent without its end, and the event that ends it
/// then carries the duration.
struct EventBuffer {
  private struct Waiting {
    var record: EventRecord
    var connection: Int
    var isOpen: Bool
    /// The event that applies instead if this end turns out to be the callee, as long as that is unknown.
    var ifIncoming: EventName?
  }

  private let sink: any RecordSink
  private var budget: BufferBudget
  private var waiting: [Waiting] = []
  private var head = 0
  private var sent = 0
  /// Open spans by connection and kind, with the number and time of the event that began each.
  private var open: [String: (number: Int, startMs: Double?)] = [:]
  /// Numbers of the events that wait until the direction of the call is known, by connection.
  private var sides: [Int: [Int]] = [:]

  init(sink: any RecordSink) {
    self.sink = sink
    budget = BufferBudget(limit: Limit.openEvents.value, maxBytes: Limit.openEventBytes.value)
  }

  /// Adds the next event. If `ifIncoming` is given, it replaces the event if this end turns out to be the
  /// callee.
  mutating func put(_ record: EventRecord, of connection: Int, ifIncoming: EventName? = nil) throws {
    var record = record
    for key in EventDurations.ended(by: record) { close(key, connection, at: &record) }
    var isOpen = false
    if let key = EventDurations.opened(by: record) {
      let full = name(key, connection)
      if open[full] == nil || EventDurations.isRepeatable(key), open.count < 10_000 {
        if let before = open[full] {
          settle(before.number, until: EventDurations.isTakenOver(key) ? record.ownTimeMs : nil)
        }
        open[full] = (sent + waiting.count - head, record.ownTimeMs)
        isOpen = true
      }
    }
    if ifIncoming != nil { sides[connection, default: []].append(sent + waiting.count - head) }
    budget.hold(record.size)
    waiting.append(
      Waiting(record: record, connection: connection, isOpen: isOpen, ifIncoming: ifIncoming))
    try flush()
  }

  /// Records whether the end of a connection is the caller or the callee.
  mutating func settle(side direction: CallDirection, of connection: Int) throws {
    for number in sides.removeValue(forKey: connection) ?? [] {
      let index = number - sent + head
      guard index >= head, index < waiting.count, let event = waiting[index].ifIncoming else { continue }
      waiting[index].ifIncoming = nil
      guard direction == .incoming else { continue }
      var record = waiting[index].record
      record.event = event
      for key in EventDurations.ended(by: record) { close(key, connection, at: &record) }
      waiting[index].record = record
    }
    try flush()
  }

  /// Sends everything. Spans that are still open get no end.
  mutating func finish() throws {
    for index in waiting.indices { (waiting[index].isOpen, waiting[index].ifIncoming) = (false, nil) }
    open.removeAll()
    sides.removeAll()
    try flush()
  }

  private mutating func flush() throws {
    while head < waiting.count, !waiting[head].isOpen && waiting[head].ifIncoming == nil || budget.isOver {
      let (record, connection) = (waiting[head].record, waiting[head].connection)
      // The slot is kept for a while, but not its text.
      waiting[head].record.args = ""
      budget.release(record.size)
      try sink.event(record, of: connection)
      head += 1
      sent += 1
    }
    if head > 512 || head == waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
  }

  private mutating func close(_ key: String, _ connection: Int, at end: inout EventRecord) {
    guard let span = open.removeValue(forKey: name(key, connection)) else { return }
    guard !settle(span.number, until: end.ownTimeMs) else { return }
    // The event that began the span has already been sent.
    guard let start = span.startMs, let until = end.ownTimeMs,
      var members = LogArguments.members(of: end.args)
    else { return }
    var lasted = ByteWriter()
    lasted.append(until - start)
    members.add("lasted_ms", word: lasted.string)
    end.args = members.object
  }

  // Sets the end of a waiting event; false if the event is no longer waiting.
  @discardableResult
  private mutating func settle(_ number: Int, until: Double?) -> Bool {
    let index = number - sent + head
    guard index >= head, index < waiting.count else { return false }
    waiting[index].isOpen = false
    if let until, waiting[index].record.ownTimeMs != nil { waiting[index].record.untilMs = until }
    return true
  }

  private func name(_ key: String, _ connection: Int) -> String { "\(connection)/\(key)" }
}

/// Which events have a duration, and which events end them: hold, mute, network change and loss, push
/// wake-up, hibernation, handover, presentation, dropout.
enum EventDurations {
  /// The key of the span that an event opens: its kind and what distinguishes it from other spans of that
  /// kind.
  static func opened(by event: EventRecord) -> String? {
    switch event.event {
    case .callHeld: local
    case .callRemotelyHeld: remote
    case .callDoubleHeld: both
    case .callMuted: "mute/" + whose(event)
    case .mediaDropout: "dropout/" + whose(event)
    case .mediaSilent: "silent/" + whose(event)
    case .mediaInterrupted: "interruption"
    case .networkChanged: event[.state] == "started" ? "network-change" : nil
    case .networkRetry, .networkUnavailable, .networkLost: "network-loss"
    case .pushReceived: "push"
    case .sessionHibernated: "hibernation"
    case .sessionSuspended: "handover"
    case .sessionReconnecting: "reconnection"
    case .conferenceWaiting: "waiting"
    case .conferencePresentationStarted: "presentation"
    default: nil
    }
  }

  /// The keys of the spans that an event ends.
  static func ended(by event: EventRecord) -> [String] {
    switch event.event {
    // A state says for both ends whether they hold the call. An event with `by` concerns only the end named
    // there.
    case .callHeld: event[.by] == nil ? [remote, both] : []
    case .callRemotelyHeld: event[.by] == nil ? [local, both] : []
    case .callResumed:
      switch event[.by] {
      case "local": [local, both]
      case "remote": [remote, both]
      default: [local, remote, both]
      }
    case .callUnmuted: ["mute/" + whose(event)]
    case .mediaRecovered:
      // An interruption of this end's microphone does not concern other participants.
      ["dropout/" + whose(event), "silent/" + whose(event)]
        + (event[.participant] == nil ? ["interruption"] : [])
    case .networkChanged: event[.state] == "ended" ? ["network-change"] : []
    case .networkReestablished, .networkAvailable: ["network-loss"]
    case .callIncoming, .callAlerting: ["push"]
    case .callHandedOver: ["handover", "push"]
    case .sessionConnected, .sessionResumed: ["hibernation", "handover", "reconnection", "network-loss"]
    case .sessionFailed: ["reconnection"]
    case .sessionClosed: ["reconnection", "presentation"]
    case .conferenceAdmitted: ["waiting"]
    case .conferencePresentationStopped: ["presentation"]
    case .callEnded, .callFailed:
      [
        local, remote, both, "interruption", "mute/", "mute/audio", "mute/video", "presentation", "waiting",
      ]
    default: []
    }
  }

  /// Whether a repeated event opens another span, as each push does. Otherwise the first span goes on: a
  /// retry belongs to the problem that the first one reported.
  static func isRepeatable(_ key: String) -> Bool { key == "push" || isTakenOver(key) }

  /// Whether the next span of this kind ends it, as only one presentation is possible at a time.
  static func isTakenOver(_ key: String) -> Bool { key == "presentation" }

  // Who holds the call: this end, the far end, or both.
  private static let local = "hold/local"
  private static let remote = "hold/remote"
  private static let both = "hold/both"

  private static func whose(_ event: EventRecord) -> String {
    (event[.kind] ?? "") + (event[.participant].map { "/" + $0 } ?? "")
  }
}
