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
    if let person = facts.person { text.meet(person) }
    for identity in facts.identities where identity.kind == .person { text.meet(identity.value) }
    try sink.connection(connection, facts.mapTexts { replaced($0, $1) })
  }

  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) throws {
    try sink.stream(stream, of: connection, facts.mapTexts { replaced($0, $1) })
  }

  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) throws {
    try sink.sample(sample, of: stream, extra: extra.map { replaced($0, .json) })
  }

  func totals(_ totals: StreamTotals, of stream: Int) throws {
    try sink.totals(totals.mapTexts { replaced($0, $1) }, of: stream)
  }

  func transport(_ transport: TransportSample, of connection: Int) throws {
    try sink.transport(transport.mapTexts { replaced($0, $1) }, of: connection)
  }

  func event(_ event: EventRecord, of connection: Int?) throws {
    let callee = Dialling.callee(of: event.raw)
    try sink.event(event.mapTexts { replaced($0, $1, callee: callee) }, of: connection)
  }

  func reject(_ reject: Reject) throws {
    var reject = reject
    // An excerpt is text of no known shape: nobody can vouch for what is in it.
    reject.excerpt = nil
    try sink.reject(reject.mapTexts { replaced($0, $1) })
  }

  private func replaced(_ text: String, _ role: TextRole, callee: String? = nil) -> String {
    switch role {
    case .text: self.text.replaced(text)
    case .json: PersonalJSON.replaced(text, by: &self.text, callee: callee)
    case .word: self.text.byShape(text)
    case .version: self.text.replaced(version: text)
    case .person: pseudonyms.person(text)
    case .address: pseudonyms.address(text)
    case .key: text
    }
  }

  func note(_ note: String) throws { try sink.note(text.replaced(note)) }
  func packets(_ count: Int) throws { try sink.packets(count) }
}
