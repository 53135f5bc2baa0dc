import CallModel

/// Stands between a reader and the store and lets no name, number or address of a person through.
final class PseudonymSink: RecordSink {
  private let sink: any RecordSink
  private var text: PersonalText
  private var pseudonyms: Pseudonymizer { text.pseudonyms }
  /// What the ends are called, as it was passed on.
  private var names: [Int: ConnectionFacts] = [:]
  private static let mostNames = 20_000

  init(_ sink: any RecordSink, _ pseudonyms: Pseudonymizer) {
    self.sink = sink
    text = PersonalText(pseudonyms)
  }

  func connection(_ connection: Int, _ facts: ConnectionFacts) throws {
    if let person = facts.person { text.meet(person) }
    for identity in facts.identities where identity.kind == .person { text.meet(identity.value) }
    let facts = facts.mapTexts { replaced($0, $1) }
    remember(facts, of: connection)
    try sink.connection(connection, facts)
  }

  /// Passes on the names of ends that have proved to be somebody's. To be called once, at the end of the source.
  func finish() throws {
    for (connection, facts) in names.sorted(by: { $0.key < $1.key }) {
      let renamed = facts.mapTexts { name, _ in text.knownReplaced(name) }
      guard renamed.name != facts.name || renamed.endpoint != facts.endpoint || renamed.call != facts.call
      else { continue }
      try sink.connection(connection, renamed)
    }
  }

  private func remember(_ facts: ConnectionFacts, of connection: Int) {
    guard facts.name != nil || facts.endpoint != nil || facts.call != nil,
      names.count < Self.mostNames || names[connection] != nil
    else { return }
    var known = names[connection] ?? ConnectionFacts()
    known.name = facts.name ?? known.name
    known.endpoint = facts.endpoint ?? known.endpoint
    known.call = facts.call ?? known.call
    names[connection] = known
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
