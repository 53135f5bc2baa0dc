import Foundation
import Testing

@Suite("callqa import")
struct ImportTests {
  @Test("a folder is one call with two ends, and importing it again changes nothing")
  func folderTwice() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let first = try Tool.run("import", Tool.sample("healthy-call"), "--db", database, "--json")
    #expect(first.status == 0, "\(first.errors)")
    let files = try first.objects().filter { $0["type"] as? String == "file" }
    #expect(files.allSatisfy { $0["status"] as? String == "imported" })
    #expect(files.allSatisfy { $0["calls"] as? [String] == ["healthy-call"] })

    let before = try Tool.run("score", "--db", database, "--json").output
    let again = try Tool.run("import", Tool.sample("healthy-call"), "--db", database, "--json")
    #expect(again.status == 0)
    #expect(
      try again.objects().filter { $0["type"] as? String == "file" }.allSatisfy {
        $0["status"] as? String == "unchanged"
      })
    #expect(try Tool.run("score", "--db", database, "--json").output == before)
  }

  @Test("files of one content are reported, with how many they are")
  func sameContent() throws {
    let folder = try TemporaryFolder()
    let line =
      #"{"ts":1795227142571,"pc":"a","call":"c","report":{"P":{"id":"P","timestamp":1795227142571,"type":"peer-connection"}}}"#
    let paths = try ["a", "b", "c"].map { try folder.file("\($0).jsonl", Data((line + "\n").utf8)) }
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let imported = try Tool.run(["import"] + paths + ["--db", database])
    #expect(
      imported.errors.contains("2 files were of the same content as a file at another place"),
      "\(imported.errors)")
    let again = try Tool.run("import", paths[0], "--db", database)
    let named = try #require(
      Tool.run("sources", "--db", database, "--json").objects().first?["path"] as? String)
    #expect(again.errors.contains("of the same content") == (named != paths[0]))
  }

  @Test("an import leaves one file, which holds everything")
  func oneFile() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    for sample in ["healthy-call", "sdk-logs"] {
      #expect(try Tool.run("import", Tool.sample(sample), "--db", database).status == 0)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["x.sqlite"])
    }
  }

  @Test("a file in which nothing happened is imported, and says so")
  func nothing() throws {
    let folder = try TemporaryFolder()
    let dump = try folder.file("dump.json", Data(#"{"getUserMedia":[],"PeerConnections":{}}"#.utf8))
    let shown = try Tool.run("show", dump)
    #expect(shown.status == 0 && shown.errors.contains("no call was recognised in it"), "\(shown.errors)")
  }

  @Test("a file that names a call and tells nothing of it makes none")
  func onlyNamed() throws {
    let folder = try TemporaryFolder()
    let report = try folder.file(
      "preflight.json",
      Data(
        #"{"callSid":"CA12345678","iceCandidateStats":[{"id":"I8","timestamp":1795226086361.276,"type":"local-candidate","candidateType":"host"}]}"#
          .utf8))
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let result = try Tool.run("import", report, "--db", database)
    #expect((result.output + result.errors).contains("0 calls"), "\(result.output) \(result.errors)")
    #expect(try Tool.run("calls", "--db", database, "--json").objects().isEmpty)
    #expect(try Tool.run("check", "--db", database).status == 0)
  }

  @Test("a poll before the media has no reports, and is no end of the file", arguments: ["[]", "{}"])
  func emptyFirst(first: String) throws {
    let folder = try TemporaryFolder()
    let polls = (1...9).map { second in
      #"[{"id":"in","type":"inbound-rtp","kind":"audio","ssrc":77777777,"timestamp":\#(1_700_000_000_000 + second * 1000),"#
        + #""packetsReceived":\#(second * 50),"packetsLost":0}]"#
    }
    let file = try folder.file("polls.jsonl", ([first, first] + polls).joined(separator: "\n"))
    let shown = try Tool.run("extract", file)
    #expect(shown.status == 0, "\(shown.errors)")
    #expect(shown.output.contains(#""ssrc":77777777"#), "\(shown.output)")
  }

  @Test(
    "what is skipped has one row per path, also where all are one error page; reports name what is called like calls' files"
  )
  func skipped() throws {
    let folder = try TemporaryFolder()
    let page = "<html><head><title>502 Bad Gateway</title></head></html>\n"
    for call in ["a", "b", "c"] { _ = try folder.file("calls/\(call)/callee.stats.jsonl", page) }
    _ = try folder.file("calls/README.txt", page)
    _ = try folder.file("calls/page.html", "<html>another</html>")
    try FileManager.default.copyItem(
      atPath: Tool.sample("healthy-call"), toPath: folder.url.path + "/calls/healthy-call")
    for time in 1...2 {
      let imported = try Tool.run(
        "import", "calls", "--run", "r", "--db", "x.sqlite", "--json", in: folder.url)
      #expect(imported.status == 0, "\(imported.errors)")
      let digests = try imported.objects().filter { $0["status"] as? String == "skipped" }
        .compactMap { $0["sha256"] as? String }
      #expect(digests.count == 5 && Set(digests).count == 2)
      let sources = try Tool.run("sources", "--db", "x.sqlite", "--json", in: folder.url).objects()
      let paths = sources.filter { $0["status"] as? String == "skipped" }.compactMap { $0["path"] as? String }
      #expect(paths.count == 5 && Set(paths).count == 5, "import \(time): \(paths)")
    }
    let report = try Tool.run("report", "nightly", "--db", "x.sqlite", "--out", "n", in: folder.url)
    #expect(report.status == 0, "\(report.errors)")
    let problems = try String(contentsOfFile: folder.url.path + "/n/csv/trouble.csv", encoding: .utf8)
    let skipped = problems.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("\"skipped\"") }
    #expect(skipped.count == 1 && skipped[0].hasSuffix(",3"), "\(problems)")
    #expect(skipped.first?.contains("calls/a/callee.stats.jsonl\",\"not JSON: ") == true, "\(problems)")
    let html = try String(contentsOfFile: folder.url.path + "/n/index.html", encoding: .utf8)
    #expect(html.contains("<dt>files of calls skipped</dt><dd>3</dd>"))
    #expect(!html.contains("every file was read whole"))
    // The same page in another night is that night's; once its content is taken, no copy of it is skipped any more.
    try Tool.run("import", "calls", "--run", "s", "--db", "x.sqlite", in: folder.url)
    let rows = try Tool.run(
      "query", "SELECT count(*) AS n FROM sources WHERE status = 'skipped' GROUP BY run_id", "--db",
      "x.sqlite",
      "--json", in: folder.url)
    #expect(try rows.objects().map { $0["n"] as? Int } == [5, 5])
  }

  @Test("a file of which a record was not taken says why, in sources and on stderr, and one record is one")
  func partial() throws {
    let folder = try TemporaryFolder()
    let line = { (second: Int) in
      #"{"ts":\#(1_700_000_000_000 + second * 1000),"pc":"caller","report":{"in":{"id":"in","type":"inbound-rtp","kind":"audio","#
        + #""ssrc":77777777,"timestamp":\#(1_700_000_000_000 + second * 1000),"packetsReceived":\#(second * 50),"packetsLost":0}}}"#
    }
    let cut = (1...9).map(line).joined(separator: "\n") + "\n" + line(10).prefix(60)
    _ = try folder.file("cut.jsonl", cut)
    let imported = try Tool.run("import", "cut.jsonl", "--db", "x.sqlite", in: folder.url)
    #expect(imported.status == 1)
    #expect(imported.errors.contains("1 record was not taken: not JSON: "), "\(imported.errors)")
    let source = try #require(
      try Tool.run("sources", "--db", "x.sqlite", "--json", in: folder.url).objects().first)
    #expect(source["status"] as? String == "partial" && source["line"] as? Int == 10)
    #expect((source["reason"] as? String)?.hasPrefix("1 record was not taken: ") == true)
  }

  @Test("any order of import gives the same calls")
  func anyOrder() throws {
    let names = ["caller.stats", "caller.events", "callee.stats", "callee.events"].map {
      Tool.sample("bad-call/\($0).jsonl.gz")
    }
    var answers: Set<String> = []
    for order in [names, names.reversed(), [names[2], names[0], names[3], names[1]]] {
      let folder = try TemporaryFolder()
      let database = folder.url.appendingPathComponent("x.sqlite").path
      for file in order { #expect(try Tool.run("import", file, "--db", database).status == 0) }
      answers.insert(try Tool.run("calls", "--db", database, "--json").output)
    }
    #expect(answers.count == 1)
    #expect(answers.first?.contains(#""call_id":"bad-call""#) == true)
  }

  @Test("a folder of links is no folder without files")
  func links() throws {
    let folder = try TemporaryFolder()
    let links = folder.url.appendingPathComponent("links")
    try FileManager.default.createDirectory(at: links, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: links.appendingPathComponent("one.gz").path,
      withDestinationPath: Tool.sample("bad-call") + "/caller.stats.jsonl.gz")
    let result = try Tool.run("import", "--db", "x.sqlite", links.path, in: folder.url)
    #expect(result.status == 0, "\(result.errors)")
    #expect(!result.errors.contains("without files"))
  }

  @Test("loose files of one call find each other without a folder's help")
  func looseFiles() throws {
    let folder = try TemporaryFolder()
    for (call, prefix) in [("bad-call", "a"), ("healthy-call", "b")] {
      for name in ["caller.stats", "caller.events", "callee.stats", "callee.events"] {
        let data = try Data(contentsOf: URL(fileURLWithPath: Tool.sample("\(call)/\(name).jsonl.gz")))
        _ = try folder.file("mixed/\(prefix)-\(name).jsonl.gz", data)
      }
    }
    let database = folder.url.appendingPathComponent("x.sqlite").path
    #expect(
      try Tool.run("import", folder.url.appendingPathComponent("mixed").path, "--db", database).status == 0)
    let calls = try Tool.run("calls", "--db", database, "--json").objects()
    #expect(calls.count == 2)
    #expect(calls.allSatisfy { ($0["call_id"] as? String)?.hasPrefix("c-") == true })
    #expect(calls.allSatisfy { ($0["sources"] as? [Any])?.count == 4 })
  }

  @Test("standard input is a file like any other")
  func standardInput() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let data = try Data(contentsOf: URL(fileURLWithPath: Tool.sample("bad-call/callee.stats.jsonl.gz")))
    let result = try Tool.run(["import", "-", "--db", database, "--json"], input: data)
    #expect(result.status == 0)
    #expect(try result.objects().first?["format"] as? String == "getstats-lines")
  }
}
