import CallModel
import Testing

@testable import CallStore

@Suite("Attributes of calls")
struct AttributesTests {
  private let store: Store

  init() throws {
    store = try Store.inMemory()
    for name in ["a", "b"] {
      try store.write(.named(name)) { sink in
        var facts = ConnectionFacts()
        facts.call = "id-of-\(name)"
        facts.identities = [
          Identity(.sip, "sip-\(name)@host"),
          Identity(.addressLocal, name == "a" ? "10.1.2.3:5060" : "10.2.0.1:9"),
          Identity(.addressRemote, "192.0.2.7:9"),
        ]
        try sink.connection(0, facts)
        try sink.event(EventRecord(timeMs: 1_795_400_000_000, event: .callCreated, raw: "x"), of: 0)
        return .imported
      }
    }
  }

  private func attributes(_ name: String) throws -> CallAttributes {
    let key = try #require(
      try store.value(
        "SELECT c.call_key FROM aliases AS a JOIN source_views AS c USING (connection_key) WHERE a.value = 'sip-\(name)@host'"
      ).integer)
    return try store.attributes(ofCall: key)
  }

  @Test("a row matches a call by any id, and replaces earlier attributes")
  func byId() throws {
    let calls = try store.staleCalls()
    try store.setJudged()
    let taken = try store.takeAttributes([
      AttributeRow("sip-a@host", [.role: "voicemail", .queue: "sales"]),
      AttributeRow("nobody", [.role: "fax"]),
    ])
    #expect(taken.changed.count == 1 && taken.unmatched == ["nobody"])
    #expect(try attributes("a").role == .voicemail && attributes("a")[.queue] == "sales")
    #expect(try attributes("b").isEmpty)
    #expect(try store.staleCalls() == taken.changed, "it is judged again, and no other of \(calls)")
    try store.setJudged()
    #expect(
      try store.takeAttributes([AttributeRow("sip-a@host", [.role: "voicemail", .queue: "sales"])]).changed
        == [])
    #expect(try store.staleCalls().isEmpty, "what says the same changes nothing")
    #expect(try store.takeAttributes([AttributeRow("sip-a@host", [.role: "talk"])]).changed.count == 1)
    #expect(try attributes("a").role == .talk && attributes("a")[.queue] == nil)
    #expect(try store.takeAttributes([AttributeRow("sip-a@host", [:])]).changed.count == 1)
    #expect(try attributes("a").isEmpty)
  }

  @Test("ids precede subnets, small subnets large ones, and near ends far ones")
  func subnets() throws {
    _ = try store.takeAttributes([
      AttributeRow("10.0.0.0/8", [.site: "all", .country: "DE"]), AttributeRow("10.1.0.0/16", [.site: "one"]),
      AttributeRow("192.0.2.0/24", [.site: "far", .carrier: "C"]),
      AttributeRow("sip-b@host", [.country: "FR"]),
    ])
    #expect(try attributes("a")[.site] == "one" && attributes("a")[.country] == "DE")
    #expect(try attributes("b")[.site] == "all" && attributes("b")[.country] == "FR")
    #expect(try attributes("a")[.carrier] == "C")
  }

  @Test("later calls get attributes too, and conditions may use them")
  func later() throws {
    _ = try store.takeAttributes([AttributeRow("sip-c@host", [.role: "ivr"])])
    try store.write(.named("c")) { sink in
      var facts = ConnectionFacts()
      facts.call = "id-of-c"
      facts.identities = [Identity(.sip, "sip-c@host")]
      try sink.connection(0, facts)
      try sink.event(EventRecord(timeMs: 1_795_500_000_000, event: .callCreated, raw: "x"), of: 0)
      return .imported
    }
    try store.applyAttributes(toCalls: store.staleCalls())
    #expect(try attributes("c").role == .ivr)
    var scope = CallScope()
    scope.sql = "role = 'ivr' AND queue IS NULL"
    let listed = try store.list(.calls, scope)
    #expect(listed.rows.count == 1)
    let place = try #require(listed.columns.firstIndex(of: "attributes{}"))
    #expect(listed.rows[0][place] == .text(#"{"role":"ivr"}"#))
  }

  @Test(
    "addresses and ranges of them",
    arguments: [
      ("10.1.0.0/16", "10.1.255.255:5060", true), ("10.1.0.0/16", "10.2.0.1", false),
      ("2001:db8::/32", "[2001:db8:ffff::1]:9", true), ("2001:db8::/32", "2001:db9::1", false),
      ("192.0.2.1", "192.0.2.1:7", true), ("0.0.0.0/0", "8.8.8.8", true), ("::/0", "10.0.0.1", true),
    ])
  func ranges(range: String, address: String, isIn: Bool) throws {
    let subnet = try #require(Subnet(range))
    #expect((Subnet(around: address, prefix: subnet.prefix) == subnet) == isIn)
  }

  @Test(
    "what is no range is none",
    arguments: ["", "10.1/16", "10.0.0.0/33", "a:b", "::1::", "1:2:3:4:5:6:7:8:9", "call-1"])
  func noRanges(text: String) { #expect(Subnet(text) == nil) }
}

extension Store {
  fileprivate func setJudged() throws { try exclusive { try connection.run("UPDATE calls SET stale = 0") } }
}
