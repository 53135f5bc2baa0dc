import CallModel
import Redaction

/// Removes secrets from all texts before they are stored, in addition to the readers, which remove those they know.
final class RedactingSink: RecordSink {
  private let sink: any RecordSink
  private let redactor = Redactor()
  /// Cache of texts repeated in many events and path samples.
  private var repeated: [String: String] = [:]
  private static let maxRepeated = 256
  /// The last path of each connection, which the next sample mostly shares, with its redacted texts.
  private var paths: [Int: (given: TransportSample, clean: TransportSample)] = [:]
  /// Longer texts are not cached, so that memory is bounded.
  private static let longestRepeated = 256

  init(_ sink: any RecordSink) { self.sink = sink }

  func connection(_ connection: Int, _ facts: ConnectionFacts) throws {
    try sink.connection(connection, facts.mapTexts(clean))
  }

  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) throws {
    try sink.stream(stream, of: connection, facts.mapTexts(clean))
  }

  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) throws {
    try sink.sample(sample, of: stream, extra: extra.map(redactor.text))
  }

  func totals(_ totals: StreamTotals, of stream: Int) throws {
    try sink.totals(totals.mapTexts(clean), of: stream)
  }

  func transport(_ transport: TransportSample, of connection: Int) throws {
    var clean = transport
    if let known = paths[connection], known.given.isOnPath(of: transport) {
      clean.takePath(of: known.clean)
      clean.extra = transport.extra.map(redactor.text)
    } else {
      clean = transport.mapTexts { text, _ in cleanAgain(text) }
      if paths.count == Self.maxRepeated { paths.removeAll() }
      paths[connection] = (transport, clean)
    }
    try sink.transport(clean, of: connection)
  }

  func event(_ event: EventRecord, of connection: Int?) throws {
    try sink.event(event.mapTexts(clean), of: connection)
  }

  func reject(_ reject: Reject) throws { try sink.reject(reject.mapTexts(clean)) }
  func note(_ note: String) throws { try sink.note(redactor.text(note)) }
  func packets(_ count: Int) throws { try sink.packets(count) }

  /// Secrets are removed from texts of every role.
  private func clean(_ text: String, _ role: TextRole) -> String {
    role == .word ? cleanAgain(text) : redactor.text(text)
  }

  private func cleanAgain(_ text: String) -> String {
    guard text.utf8.count <= Self.longestRepeated else { return redactor.text(text) }
    if let clean = repeated[text] { return clean }
    if repeated.count == Self.maxRepeated { repeated.removeAll() }
    let clean = redactor.text(text)
    repeated[text] = clean
    return clean
  }
}
