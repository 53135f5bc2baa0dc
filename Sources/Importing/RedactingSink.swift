import Bytes
import CallModel

/// The last door before the store: readers take secrets out of what they know to hold them, this takes them out of every text.
final class RedactingSink: RecordSink {
  private let sink: any RecordSink
  private let redactor = Redactor()

  init(_ sink: any RecordSink) { self.sink = sink }

  func connection(_ connection: Int, _ facts: ConnectionFacts) throws {
    var facts = facts
    facts.name = clean(facts.name)
    facts.endpoint = clean(facts.endpoint)
    facts.call = clean(facts.call)
    facts.sdkVersion = clean(facts.sdkVersion)
    facts.userAgent = clean(facts.userAgent)
    facts.system = clean(facts.system)
    facts.person = clean(facts.person)
    facts.identities = Set(facts.identities.map { Identity($0.kind, clean($0.value)) })
    try sink.connection(connection, facts)
  }

  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) throws {
    var facts = facts
    facts.mid = clean(facts.mid)
    facts.rid = clean(facts.rid)
    facts.codec = clean(facts.codec)
    facts.fmtp = clean(facts.fmtp)
    facts.implementation = clean(facts.implementation)
    try sink.stream(stream, of: connection, facts)
  }

  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) throws {
    try sink.sample(sample, of: stream, extra: clean(extra))
  }

  func totals(_ totals: StreamTotals, of stream: Int) throws {
    var totals = totals
    totals.extra = clean(totals.extra)
    try sink.totals(totals, of: stream)
  }

  func transport(_ transport: TransportSample, of connection: Int) throws {
    try sink.transport(transport, of: connection)
  }

  func event(_ event: EventRecord, of connection: Int?) throws {
    var event = event
    event.raw = clean(event.raw)
    event.args = clean(event.args)
    event.anomaly = clean(event.anomaly)
    try sink.event(event, of: connection)
  }

  func reject(_ reject: Reject) throws {
    var reject = reject
    reject.reason = clean(reject.reason)
    reject.excerpt = clean(reject.excerpt)
    try sink.reject(reject)
  }

  func note(_ note: String) throws { try sink.note(clean(note)) }
  func packets(_ count: Int) throws { try sink.packets(count) }

  private func clean(_ text: String?) -> String? { text.map(redactor.text) }
  private func clean(_ text: String) -> String { redactor.text(text) }
}
