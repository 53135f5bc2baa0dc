/// An event: its canonical name, its raw name and its arguments.
public struct EventRecord: Sendable {
  /// Its canonical name; `unknown` if it has none, or that of a later version.
  public var event: EventName
  /// Milliseconds since the Unix epoch; nil if the log has no time.
  public var timeMs: Double?
  /// The end of an event that lasts, ms since the Unix epoch.
  public var untilMs: Double?
  /// Line in the source, from 1; in a capture the number of the frame, as in Wireshark. Nil if unknown.
  public var line: Int?
  /// Whether the event comes from a capture, so that `line` is a frame number. Set when events are read for
  /// judging, not stored.
  public var isOfCapture = false
  /// The resolution of the clock that stamped it, ms, if that is coarse for a setup. Found when events are
  /// judged, not stored.
  public var clockStepMs: Double?
  private var texts: Texts

  private struct Words {
    var raw, args: String
    var sdk, anomaly, laterName: String?
  }

  /// Events are copied many times while a call is judged: copies share their texts.
  private final class Texts: Sendable {
    let words: Words
    /// Whether its time was taken from another line, which is always its first argument. Asked often.
    let isTimeBorrowed: Bool

    init(_ words: Words) {
      self.words = words
      isTimeBorrowed = CallModel.isTimeBorrowed(words.args)
    }
  }

  /// An event.
  public init(
    timeMs: Double?, event: EventName, raw: String, sdk: String? = nil, args: String = "{}", line: Int? = nil
  ) {
    self.timeMs = timeMs
    self.event = event
    self.line = line
    texts = Texts(Words(raw: raw, args: args, sdk: sdk))
  }

  /// An event by its name in a database, which a later version may have written.
  public init(
    timeMs: Double?, named name: String, raw: String, sdk: String? = nil, args: String = "{}",
    line: Int? = nil
  ) {
    let event = EventName(rawValue: name)
    self.init(timeMs: timeMs, event: event ?? .unknown, raw: raw, sdk: sdk, args: args, line: line)
    if event == nil { change { $0.laterName = name } }
  }

  /// The text of its canonical name, also of a later version.
  public var name: String { event == .unknown ? texts.words.laterName ?? event.rawValue : event.rawValue }

  /// The name as written in the source.
  public var raw: String {
    get { texts.words.raw }
    set { change { $0.raw = newValue } }
  }

  /// The SDK family that logged it.
  public var sdk: String? {
    get { texts.words.sdk }
    set { change { $0.sdk = newValue } }
  }

  /// The arguments as a JSON object, with secrets removed.
  public var args: String {
    get { texts.words.args }
    set { change { $0.args = newValue } }
  }

  /// Why this event is unexpected at this point, if it is.
  public var anomaly: String? {
    get { texts.words.anomaly }
    set { change { $0.anomaly = newValue } }
  }

  private mutating func change(_ body: (inout Words) -> Void) {
    var words = texts.words
    body(&words)
    texts = Texts(words)
  }

  /// When it happened; nil if the time is unknown or was taken from another line.
  public var ownTimeMs: Double? { texts.isTimeBorrowed ? nil : timeMs }

  /// Size of its texts in bytes, for limits on buffered events.
  public var size: Int { name.utf8.count + raw.utf8.count + args.utf8.count + (anomaly?.utf8.count ?? 0) }
}

extension EventRecord {
  /// A copy with every text replaced by `change`, which is given the text and its role; the arguments first,
  /// which say most.
  public func mapTexts(_ change: (String, TextRole) -> String) -> Self {
    var record = self
    record.change { words in
      words.args = change(words.args, .json)
      words.laterName = words.laterName.map { change($0, .word) }
      words.raw = change(words.raw, .text)
      words.sdk = words.sdk.map { change($0, .word) }
      words.anomaly = words.anomaly.map { change($0, .text) }
    }
    return record
  }
}

/// An event read from the store, with the end it belongs to.
public struct StoredEvent: Sendable {
  public var record: EventRecord
  /// Key of the endpoint; nil for an event of the whole call.
  public var endpoint: Int64?
  /// Key of the source it came from.
  public var source: Int64
  /// Key of what its source says of the end.
  public var connection: Int64

  /// An event with where it comes from.
  public init(record: EventRecord, endpoint: Int64?, source: Int64, connection: Int64) {
    self.record = record
    self.endpoint = endpoint
    self.source = source
    self.connection = connection
  }
}

extension EventRecord {
  /// The event at another time, as on another clock.
  public func shifted(byMs offset: Double) -> EventRecord {
    var event = self
    event.timeMs = timeMs.map { $0 + offset }
    event.untilMs = untilMs.map { $0 + offset }
    return event
  }
}
