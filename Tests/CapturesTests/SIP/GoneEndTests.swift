import CallModel
import Testing

@Suite("A far end of SIP that is gone")
struct GoneEndTests {
  private typealias S = CallBuilder

  /// A call in which both talk, B up to a moment and A to the end.
  private func call(heardUntil ms: Double, to end: Double) -> TalkBuilder {
    var call = TalkBuilder()
    call.talk(from: 1060, to: end, byB: false)
    call.talk(from: 1060, to: ms, byB: true)
    return call
  }

  private func ended(_ call: TalkBuilder) throws -> EventRecord {
    try #require(call.read().events.first { $0.event == .callEnded })
  }

  /// When a request is sent again that nobody answers (T1 is 0.5 s, T2 4 s).
  private static let again: [Double] = [
    0, 500, 1500, 3500, 7500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500,
  ]

  @Test("who answers no request for a whole transaction, and sends nothing, was gone")
  func unanswered() throws {
    var gone = call(heardUntil: 20_000, to: 53_000)
    for ms in Self.again { gone.request(20_500 + ms, "UPDATE", 2) }
    gone.request(53_000, "BYE", 3)
    let end = try ended(gone)
    #expect(end.argument("outcome") == "dropped", "\(end.args)")
    #expect(end.argument("by") == "caller")
    var late = call(heardUntil: 53_000, to: 53_000)
    for ms in Self.again { late.request(20_500 + ms, "UPDATE", 2) }
    late.request(53_000, "BYE", 3)
    #expect(try ended(late).argument("outcome") == nil, "it was heard all the time")
  }

  @Test("a request that is answered in the end, as any that comes from there, shows that it is there")
  func answeredLate() throws {
    var there = call(heardUntil: 20_000, to: 60_000)
    for ms in Self.again { there.request(20_500 + ms, "UPDATE", 2) }
    there.answer(52_500, "200 OK", "2 UPDATE")
    there.request(60_000, "BYE", 3)
    #expect(try ended(there).argument("outcome") == nil)
  }

  @Test("of a BYE alone it shows where nothing was heard long before it", arguments: [20_000.0, 39_000])
  func unansweredBye(heardUntil: Double) throws {
    var gone = call(heardUntil: heardUntil, to: 40_000)
    for ms in Self.again { gone.request(40_000 + ms, "BYE", 2) }
    #expect(try ended(gone).argument("outcome") == (heardUntil < 35_000 ? "dropped" : nil))
  }

  @Test("who knows nothing of the call when it is hung up on was gone, unless it hung up too, or was heard")
  func unknownCall() throws {
    func end(heardUntil: Double, status: String, crossing: Bool = false) throws -> EventRecord {
      var gone = call(heardUntil: heardUntil, to: 30_000)
      gone.request(30_000, "BYE", 2)
      if crossing { gone.request(30_010, "BYE", 9, byB: true) }
      gone.answer(30_050, status, "2 BYE")
      return try ended(gone)
    }
    let gone = try end(heardUntil: 20_000, status: "481 Call/Transaction Does Not Exist")
    #expect(gone.argument("outcome") == "dropped" && gone.argument("code") == "481", "\(gone.args)")
    #expect(try end(heardUntil: 20_000, status: "200 OK").argument("outcome") == nil)
    #expect(try end(heardUntil: 29_990, status: "481 Unknown").argument("outcome") == nil)
    #expect(try end(heardUntil: 20_000, status: "481 Unknown", crossing: true).argument("outcome") == nil)
  }

  @Test(
    "who hangs up as its own request is told that there is no call did not want to",
    arguments: [
      ("INVITE", "481 No", 100.0, "dropped"), ("UPDATE", "481 No", 100, "dropped"),
      ("INVITE", "408 Request Timeout", 100, "dropped"), ("INVITE", "488 No", 100, nil),
      ("UPDATE", "481 No", 30_000, nil),
    ] as [(String, String, Double, String?)])
  func disowned(method: String, status: String, afterMs: Double, outcome: String?) throws {
    var call = call(heardUntil: 20_000, to: 20_000)
    call.request(20_000, method, 2)
    call.answer(20_050, status, "2 \(method)")
    call.request(20_050 + afterMs, "BYE", 3)
    #expect(try ended(call).argument("outcome") == outcome)
    var other = self.call(heardUntil: 20_000, to: 20_000)
    other.request(20_000, method, 2)
    other.answer(20_050, status, "2 \(method)")
    other.request(20_050 + afterMs, "BYE", 3, byB: true)
    #expect(try ended(other).argument("outcome") == nil, "who said so may hang up as well")
  }

  @Test("who hung up is told to each end of a call of which nobody knows who called")
  func begunBefore() throws {
    var call = TalkBuilder()
    call.builder.frames = []
    for byB in [false, true] { call.talk(from: 0, to: 10_000, byB: byB) }
    call.request(10_000, "BYE", 4, byB: true)
    call.answer(10_010, "200 OK", "4 BYE", byA: true)
    func by(_ end: String) throws -> [String?] {
      try call.read(at: end).events.filter { $0.event == .callEnded }.map { $0.argument("by") }
    }
    let reasons = try Set([by("caller"), by("callee")].joined())
    #expect(!reasons.isEmpty && !reasons.contains(nil), "\(reasons)")
  }
}
