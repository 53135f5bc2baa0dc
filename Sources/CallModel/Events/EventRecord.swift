/// Something that happened: a canonical name with the raw one and its arguments beside it.
public struct EventRecord: Sendable {
  /// Milliseconds since the Unix epoch, nil where the log has no time.
  public var timeMs: Double?
  /// End of a span, for events that last.
  public var untilMs: Double?
  /// Line in the source, from 1; in a capture the number of the frame, as Wireshark counts. Nil where one is not known.
  public var line: Int?
  /// Whether the event comes from a capture, so that `line` is a frame. Set where events are read to be judged, not stored.
  public var isOfCapture = false
  /// By what steps the clock went that stamped it, ms, where they are long for a setup: found by who judges, not stored.
  public var clockStepMs: Double?
  private var texts: Texts

  private struct Words {
    var event, raw, args: String
    var sdk, anomaly: String?
  }

  /// Who judges hands events on again and again: a copy has its texts in common with the original.
  private final class Texts: Sendable {
    let words: Words

    init(_ words: Words) { self.words = words }
  }

  /// An event.
  public init(
    timeMs: Double?, event: String, raw: String, sdk: String? = nil, args: String = "{}", line: Int? = nil
  ) {
    self.timeMs = timeMs
    self.line = line
    texts = Texts(Words(event: event, raw: raw, args: args, sdk: sdk))
  }

  /// Canonical name with its group (`call.ringing`), or `unknown`.
  public var event: String {
    get { texts.words.event }
    set { change { $0.event = newValue } }
  }

  /// The name in the source.
  public var raw: String {
    get { texts.words.raw }
    set { change { $0.raw = newValue } }
  }

  /// The SDK family whose words it is told in.
  public var sdk: String? {
    get { texts.words.sdk }
    set { change { $0.sdk = newValue } }
  }

  /// The arguments as a JSON object, secrets already removed.
  public var args: String {
    get { texts.words.args }
    set { change { $0.args = newValue } }
  }

  /// Why this event should not have come here, if so.
  public var anomaly: String? {
    get { texts.words.anomaly }
    set { change { $0.anomaly = newValue } }
  }

  private mutating func change(_ body: (inout Words) -> Void) {
    var words = texts.words
    body(&words)
    texts = Texts(words)
  }

  /// The argument by which a reader says that the time is another line's; it stands first.
  public static let borrowedTime = "time_borrowed"

  /// When it happened, nil where that is unknown or only known to be about then.
  public var ownTimeMs: Double? { args.hasPrefix("{\"\(Self.borrowedTime)\":true") ? nil : timeMs }

  /// Bytes of its texts: what it takes of memory while it waits.
  public var size: Int { event.utf8.count + raw.utf8.count + args.utf8.count + (anomaly?.utf8.count ?? 0) }
}

extension EventRecord {
  /// The same with other texts: `change` is given each of them, and what it says; the arguments first, which say most.
  public func mapTexts(_ change: (String, TextRole) -> String) -> Self {
    var record = self
    record.change { words in
      words.args = change(words.args, .json)
      words.event = change(words.event, .word)
      words.raw = change(words.raw, .text)
      words.sdk = words.sdk.map { change($0, .word) }
      words.anomaly = words.anomaly.map { change($0, .text) }
    }
    return record
  }
}
