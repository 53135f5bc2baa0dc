import CallModel
import Testing

@testable import EventLogs

@Suite("A form is proposed for a table")
struct FormGuessTests {
  private func guess(_ text: String) -> FormGuess? {
    Array(text.utf8).withUnsafeBufferPointer { FormGuess($0, name: "acme") }
  }

  /// What a table becomes by its own proposal.
  private func read(_ text: String) throws -> FigureSink {
    let form = try #require(guess(text)).form
    return try FigureReaderTests.read(text, form)
  }

  @Test("of German counts, and what is unsure is said")
  func german() throws {
    let found = try #require(guess(FigureReaderTests.german2))
    #expect(found.form.contains(#""decimal": ",""#) && found.form.contains(#""every": {"s": 5}"#))
    #expect(
      found.unsure.contains { $0.of == "Zeit" } && !found.form.contains("alice")
        && !found.form.contains("K-1"))
    #expect(try read(FigureReaderTests.german2).samples.count == 2)
  }

  @Test("of tables in several languages, by tabs, bars and lines")
  func languages() throws {
    let tables = [
      "Identifiant appel\tParticipant\tHorodatage\tPerte de paquets (%)\tGigue (ms)\tAller-retour (ms)\n"
        + "A\tpaul\t2026-11-20T10:00:00Z\t0.5\t6\t80\nA\tpaul\t2026-11-20T10:00:10Z\t0.5\t6\t80\n",
      "通话ID|用户|时间|丢包率(%)|抖动(ms)|往返时延(ms)\nA|李|2026-11-20 10:00:00|0.5|6|80\nA|李|2026-11-20 10:00:10|0.5|6|80\n",
      #"{"call":{"id":"A"},"peer":{"name":"z"},"@timestamp":1795168800,"in":{"packetLoss":0.005,"jitter":0.006,"rtt":0.08}}"#
        + "\n"
        + #"{"call":{"id":"A"},"peer":{"name":"z"},"@timestamp":1795168810,"in":{"packetLoss":0.005,"jitter":0.006,"rtt":0.08}}"#
        + "\n",
      "call,peer,ts,metric,value\nA,z,1795168800,loss_pct,0.5\nA,z,1795168800,jitter_ms,6\nA,z,1795168810,rtt_ms,80\n",
    ]
    for table in tables {
      let found = try read(table)
      let totals = try #require(found.totals[0], "\(table)")
      #expect(
        abs((totals.lossShare ?? 0) - 0.005) < 1e-9 && abs((totals.jitterMeanMs ?? 0) - 6) < 1e-9, "\(table)")
      #expect(totals.rttMs.map { abs($0 - 80) < 1e-9 } == true && found.facts[0]?.call == "A", "\(table)")
    }
  }

  @Test("a column that only grows counts since the call began; a row without a step in time is a call")
  func grains() throws {
    let counters = "room,member,ts,packetsReceived,packetsLost,jitter\n"
    let rows = (1...5).map { "r,m,\(1_795_168_800 + 2 * $0),\(100 * $0),\($0),0.004\n" }.joined()
    let form = try #require(guess(counters + rows)).form
    #expect(
      form.contains(#""packets": {"of": "packetsReceived", "counts": "call"}"#)
        && form.contains(#""unit": "s""#))
    let calls =
      "id_llamada,agente,inicio,duracion_s,paquetes_recibidos,paquetes_perdidos\nL1,ana,2026-11-20 10:00:00,60,2970,30\nL2,eva,2026-11-20 11:00:00,60,3000,0\n"
    let found = try read(calls)
    #expect(found.samples.isEmpty && found.events.map { $0[.lossPercent] }.compactMap(\.self) == [1, 0])
  }

  @Test(
    "what has no figure is none",
    arguments: ["", "a,b\n1,2\n", "{}", "[1,2]", "name;age\nx;3\n", "\u{0}\u{1}", "loss"])
  func nothing(text: String) { #expect(guess(text) == nil) }

  @Test("a delay that may be one way is left out, and said")
  func delays() throws {
    let found = try #require(guess("call_id,ts,jitter_ms,latency_ms\na,1795168800,3,40\na,1795168805,3,40\n"))
    #expect(!found.form.contains("latency") && found.unsure.contains { $0.of == "latency_ms" })
  }
}
