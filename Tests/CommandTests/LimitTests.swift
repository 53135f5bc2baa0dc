import Foundation
import Testing

@Suite("Limits are told, and can be raised")
struct LimitTests {
  /// What an import says of a file, and what it stored.
  private func importing(_ name: String, _ text: String, _ words: String...) throws -> (
    rejects: String, result: Tool.Result
  ) {
    let folder = try TemporaryFolder()
    let file = try folder.file(name, text)
    let database = ["--db", folder.url.appendingPathComponent("x.sqlite").path]
    let result = try Tool.run(["import", file, "--json"] + database + words)
    return (try Tool.run(["rejects", "--json"] + database).output, result)
  }

  private func report(_ ssrcs: Range<Int>) -> String {
    let reports = ssrcs.map {
      #""I\#($0)":{"id":"I\#($0)","type":"inbound-rtp","timestamp":1795226153000,"ssrc":\#($0),"kind":"audio","packetsReceived":1}"#
    }
    return #"{"ts":1795226153000,"pc":"a","report":{\#(reports.joined(separator: ","))}}"# + "\n"
  }

  @Test("line")
  func line() throws {
    let long =
      #"{"ts":1795226153000,"sdk":"rebtel","event":"log","text":"\#(String(repeating: "x", count: 4000))"}"#
    let text = long + "\n" + #"{"ts":1795226154000,"sdk":"rebtel","event":"callDidEstablish"}"# + "\n"
    let cut = try importing("a.jsonl", text, "--raise", "line=2K")
    #expect(cut.rejects.contains("line longer than 2048 bytes; --raise line=SIZE takes longer ones"))
    #expect(try cut.result.objects()[0]["events"] as? Int == 1)
    #expect(try importing("a.jsonl", text).rejects.isEmpty)
    let stream = "event: a\ndata: \(long)\n\nevent: b\ndata: {}\n\n"
    let events = try importing("a.sse", stream, "--raise", "line=2K")
    #expect(events.rejects.contains("event longer than 2048 bytes; --raise line=SIZE takes longer ones"))
    #expect(try events.result.objects()[0]["events"] as? Int == 1)
    #expect(try importing("a.sse", stream).rejects.isEmpty)
  }

  @Test("reports and streams")
  func reports() throws {
    let cut = try importing("a.jsonl", report(0..<30), "--raise", "reports=10")
    #expect(cut.rejects.contains("more than 10 reports in one snapshot; --raise reports=NUMBER takes more"))
    #expect(try cut.result.objects()[0]["streams"] as? Int == 10)
    let few = try importing("a.jsonl", report(0..<30), "--raise", "streams=7")
    #expect(few.rejects.contains("more than 7 streams in one source; --raise streams=NUMBER takes more"))
    #expect(try few.result.objects()[0]["streams"] as? Int == 7)
    #expect(try importing("a.jsonl", report(0..<30)).rejects.isEmpty)
  }

  @Test("source")
  func source() throws {
    let text = (0..<200).map { report($0..<$0 + 1) }.joined()
    let cut = try importing("a.jsonl", text, "--raise", "source=10K")
    #expect(cut.result.status == 1)
    let file = try cut.result.objects()[0]
    #expect(file["status"] as? String == "partial")
    #expect(file["reason_code"] as? String == "too-large")
    #expect((file["reason"] as? String)?.contains("--raise source=SIZE takes more") == true)
    #expect(try importing("a.jsonl", text).result.status == 0)
  }

  @Test("what is no limit is told", arguments: ["line", "lines=3", "line=", "line=-1", "line=3X", "line=0"])
  func wrong(word: String) throws {
    let result = try Tool.run("import", "x", "--raise", word)
    #expect(result.status == 2)
    #expect(result.errors.contains("fragments, line, reports, source, streams, text"))
  }
}
