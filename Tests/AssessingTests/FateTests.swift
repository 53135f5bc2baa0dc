import CallModel
import CallStore
import Scoring
import Testing

@testable import Assessing

@Suite("What became of sound is stored, and the score follows it")
struct FateTests {
  private typealias Counted = MinuteOfCall.Counted

  /// Ana hears all of it, Ben what `heard` counts of it.
  private func call(_ heard: Counted...) throws -> MinuteOfCall {
    try MinuteOfCall([
      ("ana", [MinuteOfCall.sending, MinuteOfCall.hearing()]), ("ben", [MinuteOfCall.sending] + heard),
    ])
  }

  private func fates(_ call: MinuteOfCall) throws -> [String] {
    try call.store.query(
      """
      SELECT f.what || ' ' || round((f.end_ms - f.start_ms) / 1000) FROM fates AS f JOIN endpoints AS e USING (endpoint_key)
      WHERE e.endpoint = 'ben' ORDER BY f.start_ms
      """
    ).rows.compactMap { $0[0].string }
  }

  @Test("sound of which nearly all is lost has a score of 0, not an unknown one")
  func heavyLoss() throws {
    // Between 20 and 40 s one packet in ten arrives.
    func arrived(_ second: Double) -> Double {
      (min(second, 20) + max(0, min(second, 40) - 20) / 10 + max(0, second - 40)) * 50
    }
    let call = try call(
      Counted(direction: .inbound, packets: arrived) { second, sample in
        MinuteOfCall.played(second, &sample)
        sample[.lost] = second * 50 - arrived(second)
        sample[.concealedSamples] = (second * 50 - arrived(second)) * 960
      })
    let fates = try fates(call)
    #expect(fates.contains { $0.hasPrefix("lost 20") }, "\(fates)")
    let unscored = try call.store.query(
      "SELECT count(*) FROM windows JOIN endpoints USING (endpoint_key) WHERE endpoint = 'ben' AND score IS NULL"
    )
    #expect(unscored.rows == [[.integer(0)]])
  }

  @Test("each end has its own verdict, in the row of the end")
  func verdictOfEachEnd() throws {
    let call = try call(MinuteOfCall.hearing { min($0, 20) * 50 })
    let rows = try call.store.query("SELECT \"end\", verdict, verdict_medium FROM ends ORDER BY 1").rows
    #expect(
      rows == [
        [.text("ana"), .text("good"), .text("audio")], [.text("ben"), .text("silent"), .text("audio")],
      ])
    #expect(try call.store.query("SELECT verdict FROM calls").rows == [[.text("silent")]])
  }

  @Test("an end that got nothing gets windows, but none beside those that were asked for")
  func noWindowsBesideIntervals() throws {
    let store = try call().store
    let assessor = Assessor(store: store)
    let key = try #require(try store.query("SELECT call_key FROM calls").rows.first?[0].integer)
    func windows(_ cut: WindowCut) throws -> Int {
      try assessor.rescore(key, cut: cut).filter { $0.endpoint == "ben" }.reduce(0) { $0 + $1.windows.count }
    }
    #expect(try windows(.fromFirstMedia) == 12)
    let first = MinuteOfCall.startMs + 10_000
    #expect(try windows(.intervals([(startMs: first, endMs: first + 8000)])) <= 1)
  }
}
