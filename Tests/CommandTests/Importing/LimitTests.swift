import Foundation
import Testing

@Suite("Limits are reported, and can be raised")
struct LimitTests {
  @Test(
    "a limit beyond all numbers is refused in words",
    arguments: ["8999999999G", "9223372036854775807", "0", "-1K"])
  func beyond(value: String) throws {
    let result = try Tool.run(
      "import", Tool.sample("healthy-call"), "--raise", "source=\(value)", "--db", "/dev/null/x")
    #expect(result.status == 2, "\(result.errors)")
    #expect(result.errors.contains("--raise takes NAME=VALUE"))
  }

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

  @Test("connections")
  func connections() throws {
    let text = (0..<30).map { report($0..<$0 + 1).replacing("\"a\"", with: "\"pc-\($0)\"") }.joined()
    let cut = try importing("a.jsonl", text, "--raise", "connections=7")
    #expect(
      cut.rejects.contains("more than 7 connections in one source; --raise connections=NUMBER takes more"))
    let file = try cut.result.objects()[0]
    #expect(file["streams"] as? Int == 7)
    #expect(file["rejected"] as? Int == 23)
    #expect(try importing("a.jsonl", text).rejects.isEmpty)
    let events = (0..<30).map {
      #"{"ts":1795226153000,"sdk":"rebtel","call":"c\#($0)","event":"callDidEstablish"}"# + "\n"
    }.joined()
    let few = try importing("b.jsonl", events, "--raise", "connections=7")
    #expect(try few.result.objects()[0]["rejected"] as? Int == 23)
  }

  @Test("a value of a document, and the points of a dump")
  func values() throws {
    let long =
      #"[{"id":"I","type":"inbound-rtp","timestamp":1795226153000,"x":"\#(String(repeating: "x", count: 3 << 20))"}]"#
    let cut = try importing("a.json", long, "--raise", "value=1M")
    #expect(try (cut.result.objects()[0]["reason"] as? String)?.contains("--raise value=SIZE") == true)
    #expect(try importing("a.json", long).result.status == 0)
    let series = (0..<4).map {
      #""IT\#($0)-packetsReceived":{"startTime":"2026-11-21T02:00:00Z","endTime":"2026-11-21T02:00:09Z","statsType":"inbound-rtp","values":"[1,2,3,4,5,6,7,8,9,9]"}"#
    }
    let dump =
      #"{"getUserMedia":[],"PeerConnections":{"1-1":{"pid":1,"updateLog":[],"stats":{\#(series.joined(separator: ","))}}}}"#
    let few = try importing("dump.txt", dump, "--raise", "points=25")
    #expect(try (few.result.objects()[0]["reason"] as? String)?.contains("--raise points=NUMBER") == true)
    #expect(try importing("dump.txt", dump).result.status == 0)
  }

  @Test("what no word raises is counted all the same")
  func counted() throws {
    let requests = (0..<10_007).map {
      #"{"rid":1,"pid":1,"origin":"h","request_id":\#($0),"request_type":"getUserMedia","audio":"","timestamp":\#(1_795_226_153_000 + $0)}"#
    }
    let dump =
      #"{"getUserMedia":[\#(requests.joined(separator: ","))],"PeerConnections":{"1-1":{"pid":1,"updateLog":[{"type":"createOffer","value":"","timestamp":1795226153000}],"stats":{}}}}"#
    let media = try importing("dump.txt", dump)
    #expect(try media.result.objects()[0]["rejected"] as? Int == 7)
    #expect(media.rejects.contains("more than 10000 requests for camera and microphone"))
    // Each line names others: 110 lines of 100 fragments, an SSRC and a name are 1002 more than one connection may have.
    let lines = (0..<110).map { line in
      let time = 1_795_226_153_000 + line
      let candidates = (0..<100).map {
        #""R\#($0)":{"id":"R\#($0)","type":"remote-candidate","timestamp":\#(time),"usernameFragment":"u\#(line * 100 + $0)"}"#
      }
      let stream =
        #""I":{"id":"I","type":"inbound-rtp","timestamp":\#(time),"ssrc":7,"kind":"audio","packetsReceived":1}"#
      return #"{"ts":\#(time),"pc":"a","report":{\#((candidates + [stream]).joined(separator: ","))}}"# + "\n"
    }
    let identities = try importing("a.jsonl", lines.joined())
    #expect(try identities.result.objects()[0]["rejected"] as? Int == 1002)
    #expect(identities.rejects.contains("more than 10000 identities of one connection"))
    let members = (0..<300).map { #""m\#($0)":\#($0)"# }.joined(separator: ",")
    let folder = try TemporaryFolder()
    let file = try folder.file(
      "a.jsonl", #"{"ts":1795226153000,"sdk":"rebtel","event":"x","args":{\#(members)}}"# + "\n")
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", file, "--db", database)
    #expect(try Tool.run("events", "--json", "--db", database).output.contains(#""[left out]":100"#))
  }

  @Test("a first line longer than the head of a file is recognised all the same")
  func longFirstLine() throws {
    let next = #"{"ts":1795226154000,"sdk":"rebtel","event":"callDidEstablish"}"# + "\n"
    let padding = String(repeating: "x", count: 100_000)
    let usual = #"{"ts":1795226153000,"sdk":"rebtel","event":"log","text":"\#(padding)"}"# + "\n"
    let late = #"{"sdk":"rebtel","text":"\#(padding)","event":"log","ts":1795226153000}"# + "\n"
    for (name, first) in [("a.jsonl", usual), ("a.log", usual), ("a.jsonl", late)] {
      let file = try importing(name, first + next).result.objects()[0]
      #expect(file["format"] as? String == "run-log")
      #expect(file["events"] as? Int == 2, "\(file)")
    }
    let many = report(0..<2000)
    let folder = try TemporaryFolder()
    for name in ["a.jsonl", "a.log"] {
      let result = try Tool.run(
        "import", try folder.file(name, many + name), "--json", "--db",
        folder.url.appendingPathComponent("\(name).sqlite").path)
      let file = try result.objects()[0]
      #expect(file["format"] as? String == "getstats-lines")
      #expect(file["streams"] as? Int == 2000)
    }
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

  @Test(
    "what is no limit is reported", arguments: ["line", "lined=3", "line=", "line=-1", "line=3X", "line=0"])
  func wrong(word: String) throws {
    let result = try Tool.run("import", "x", "--raise", word)
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "connections, expansion, fragments, line, lines, points, reports, source, streams, text, value"))
  }
}
