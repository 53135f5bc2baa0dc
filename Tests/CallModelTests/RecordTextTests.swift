import CallModel
import Testing

@Suite("mapTexts changes every text of a record")
struct RecordTextTests {
  private static let before = "before"
  private static let after = "after"
  private func change(_ text: String, _ role: TextRole) -> String { Self.after }

  /// The text properties of a record, including those in shared storage; nil for a property without a value.
  private func texts(_ record: Any) -> [String: String?] {
    var texts: [String: String?] = [:]
    for case (let name?, let value) in Mirror(reflecting: record).children {
      if let text = value as? String { texts[name] = text }
      if type(of: value) == String?.self { texts[name] = .some(value as? String) }
      if let style = Mirror(reflecting: value).displayStyle, style == .class || style == .struct {
        texts.merge(self.texts(value)) { text, _ in text }
      }
    }
    return texts
  }

  private func expectAll(_ record: Any, _ changed: Any) {
    let (had, has) = (texts(record), texts(changed))
    #expect(!had.isEmpty)
    for (name, text) in had { #expect(text == Self.before, "\(name) is not tried here") }
    for (name, text) in has { #expect(text == Self.after, "\(name) is left as it was") }
  }

  @Test("of a connection, its identities as well")
  func connection() {
    var facts = ConnectionFacts()
    (facts.name, facts.endpoint, facts.call, facts.sdk) = (Self.before, Self.before, Self.before, Self.before)
    (facts.sdkVersion, facts.userAgent, facts.system) = (Self.before, Self.before, Self.before)
    facts.person = Self.before
    facts.identities = Set(IdentityKind.allCases.map { Identity($0, Self.before) })
    expectAll(facts, facts.mapTexts(change))
    #expect(facts.mapTexts(change).identities == Set(IdentityKind.allCases.map { Identity($0, Self.after) }))
  }

  @Test("of a stream and its totals")
  func stream() {
    var facts = StreamFacts()
    (facts.mid, facts.rid, facts.codec, facts.fmtp) = (Self.before, Self.before, Self.before, Self.before)
    (facts.local, facts.remote, facts.implementation) = (Self.before, Self.before, Self.before)
    (facts.scalabilityMode, facts.trackIdentifier) = (Self.before, Self.before)
    expectAll(facts, facts.mapTexts(change))
    var totals = StreamTotals()
    totals.extra = Self.before
    expectAll(totals, totals.mapTexts(change))
  }

  @Test("of a path")
  func transport() {
    var path = TransportSample(timeMs: 0)
    (path.pair, path.local, path.remote) = (Self.before, Self.before, Self.before)
    (path.localType, path.remoteType, path.networkType) = (Self.before, Self.before, Self.before)
    (path.networkProtocol, path.relayProtocol) = (Self.before, Self.before)
    (path.iceState, path.dtlsState, path.extra) = (Self.before, Self.before, Self.before)
    expectAll(path, path.mapTexts(change))
  }

  @Test("of an event, and of a reject")
  func event() {
    var event = EventRecord(
      timeMs: 0, named: Self.before, raw: Self.before, sdk: Self.before, args: Self.before)
    event.anomaly = Self.before
    expectAll(event, event.mapTexts(change))
    let reject = Reject(Self.before, excerpt: Self.before)
    expectAll(reject, reject.mapTexts(change))
  }
}
