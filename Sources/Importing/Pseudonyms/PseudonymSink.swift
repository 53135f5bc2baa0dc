import CallModel

/// Stands between a reader and the store and lets no name, number or address of a person through.
final class PseudonymSink: RecordSink {
  private let sink: any RecordSink
  private var text: PersonalText
  private var pseudonyms: Pseudonymizer { text.pseudonyms }

  init(_ sink: any RecordSink, _ pseudonyms: Pseudonymizer) {
    self.sink = sink
    text = PersonalText(pseudonyms)
  }

  func connection(_ connection: Int, _ facts: ConnectionFacts) throws {
    var facts = facts
    if let person = facts.person {
      text.meet(person)
      facts.person = pseudonyms.person(person)
    }
    for identity in facts.identities where identity.kind == .person { text.meet(identity.value) }
    facts.identities = Set(facts.identities.map(identity))
    facts.name = replaced(facts.name)
    facts.endpoint = replaced(facts.endpoint)
    facts.call = replaced(facts.call)
    facts.userAgent = replaced(facts.userAgent)
    facts.system = replaced(facts.system)
    try sink.connection(connection, facts)
  }

  private func replaced(_ text: String?) -> String? { text.map { self.text.replaced($0) } }

  private func identity(_ identity: Identity) -> Identity {
    switch identity.kind {
    case .person: Identity(.person, pseudonyms.person(identity.value))
    case .addressLocal, .addressRemote: Identity(identity.kind, pseudonyms.address(identity.value))
    case .call, .session, .sip, .connection: Identity(identity.kind, text.replaced(identity.value))
    default: identity
    }
  }

  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) throws {
    var facts = facts
    facts.local = facts.local.map(pseudonyms.address)
    facts.remote = facts.remote.map(pseudonyms.address)
    facts.mid = replaced(facts.mid)
    facts.rid = replaced(facts.rid)
    facts.fmtp = replaced(facts.fmtp)
    facts.implementation = replaced(facts.implementation)
    try sink.stream(stream, of: connection, facts)
  }

  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) throws {
    try sink.sample(sample, of: stream, extra: extra.map { PersonalJSON.replaced($0, by: &text) })
  }

  func totals(_ totals: StreamTotals, of stream: Int) throws {
    var totals = totals
    totals.extra = totals.extra.map { PersonalJSON.replaced($0, by: &text) }
    try sink.totals(totals, of: stream)
  }

  func transport(_ transport: TransportSample, of connection: Int) throws {
    var transport = transport
    transport.local = transport.local.map(pseudonyms.address)
    transport.remote = transport.remote.map(pseudonyms.address)
    try sink.transport(transport, of: connection)
  }

  func event(_ event: EventRecord, of connection: Int?) throws {
    var event = event
    event.args = PersonalJSON.replaced(event.args, by: &text, callee: Dialling.callee(of: event.raw))
    event.raw = text.replaced(event.raw)
    event.anomaly = replaced(event.anomaly)
    try sink.event(event, of: connection)
  }

  func reject(_ reject: Reject) throws {
    var reject = reject
    // An excerpt is text of no known shape: nobody can vouch for what is in it.
    reject.excerpt = nil
    reject.reason = text.replaced(reject.reason)
    try sink.reject(reject)
  }

  func note(_ note: String) throws { try sink.note(text.replaced(note)) }
  func packets(_ count: Int) throws { try sink.packets(count) }
}
