import Foundation
import Testing

/// A file that is exported again, with other content, to the place where it lay.
@Suite("callqa import of a file that was corrected")
struct CorrectedFileTests {
  private let folder: TemporaryFolder
  private var database: String { folder.url.appendingPathComponent("x.sqlite").path }

  init() throws { folder = try TemporaryFolder() }

  /// Statistics of a caller, a report a second.
  private func statistics(
    _ seconds: ClosedRange<Int> = 1...30, lost: Int = 0, ssrc: Int = 77_777_777,
    clock: Int = 1_700_000_000_000
  ) -> String {
    seconds.map { second in
      let time = clock + second * 1000
      return
        #"{"ts":\#(time),"pc":"caller","report":{"in":{"id":"in","type":"inbound-rtp","kind":"audio","ssrc":\#(ssrc),"#
        + #""timestamp":\#(time),"packetsReceived":\#(second * 50),"packetsLost":\#(second * lost)}}}"# + "\n"
    }.joined()
  }

  private func imported(_ text: String, _ words: String...) throws -> (notes: [String], errors: String) {
    let file = try folder.file("c1/caller.stats.jsonl", text)
    let json = try Tool.run(["import", file, "--db", database, "--json"] + words)
    #expect(json.status == 0, "\(json.errors)")
    return (try json.objects().compactMap { $0["notes"] as? [String] }.flatMap { $0 }, json.errors)
  }

  private func query(_ sql: String) throws -> [String] {
    Array(try Tool.run("query", sql, "--db", database, "--format", "tsv").lines.dropFirst())
  }

  private let note = "imported before with other content"

  @Test("takes the place of what it was, marks kept, and says so")
  func replaced() throws {
    #expect(try imported(statistics(), "--run", "n1").notes.isEmpty)
    #expect(try Tool.run("mark", "last", "--known", "BUG-7", "--db", database).status == 0)
    #expect(try imported(statistics(lost: 5), "--run", "n1").notes == ["\(note), which is replaced"])
    #expect(try query("SELECT count(*), sum(samples) FROM sources") == ["1\t30"])
    #expect(try query("SELECT lost, (SELECT known FROM calls) FROM streams") == ["150\tBUG-7"])
    // Without a run it stays in that which it had.
    let file = try folder.file("c1/caller.stats.jsonl", statistics(lost: 6))
    let again = try Tool.run("import", file, "--db", database)
    #expect(again.errors.contains("1 file was \(note), which is replaced"), "\(again.errors)")
    #expect(try query("SELECT run_id, (SELECT lost FROM streams) FROM sources") == ["n1\t180"])
    let check = try Tool.run("check", "--db", database)
    #expect(check.status == 0, "\(check.output)\(check.errors)")
  }

  @Test("leaves another call alone whose file had the same name, and what went on in the next file")
  func others() throws {
    _ = try imported(statistics())
    #expect(try imported(statistics(ssrc: 88_888_888)).notes.isEmpty, "another stream at the same time")
    #expect(try imported(statistics(clock: 1_700_003_600_000)).notes.isEmpty, "an hour later")
    #expect(try imported(statistics(31...60)).notes.isEmpty, "the second part")
    #expect(try query("SELECT count(*) FROM sources") == ["4"])
  }

  @Test("stays beside what was imported in another run, and beside what it tells only a part of")
  func kept() throws {
    _ = try imported(statistics(), "--run", "n1")
    #expect(
      try imported(statistics(lost: 5), "--run", "n2").notes == [
        "\(note), in run n1: the call counts in both"
      ])
    #expect(
      try imported(statistics(10...30, lost: 5), "--run", "n2").notes.contains(
        "\(note), of which this has a part: both are kept"))
    #expect(try query("SELECT count(*) FROM sources") == ["3"])
  }

  @Test("replaces a log of events as well, also where no id stands in it but the time")
  func events() throws {
    func log(_ reason: String, at clock: Int = 1_700_000_000_000) -> String {
      ["call.created", "call.ringing", "call.established", "call.ended"].enumerated().map { number, event in
        #"{"ts":\#(clock + number * 2000),"event":"\#(event)","args":{"reason":"\#(reason)"}}"# + "\n"
      }.joined()
    }
    _ = try imported(log("normal"))
    #expect(try imported(log("ice-failed")).notes.contains("\(note), which is replaced"))
    #expect(try query("SELECT count(*) FROM events WHERE args LIKE '%normal%'") == ["0"])
    // Clocks that begin at zero tell of no call in particular.
    _ = try imported(log("normal", at: 0))
    _ = try imported(log("busy", at: 0))
    #expect(try query("SELECT count(*) FROM sources") == ["3"])
  }
}
