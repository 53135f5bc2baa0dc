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

  @Test("files of one content are told, with how many they are")
  func sameContent() throws {
    let folder = try TemporaryFolder()
    let line =
      #"{"ts":1795227142571,"pc":"a","call":"c","report":{"P":{"id":"P","timestamp":1795227142571,"type":"peer-connection"}}}"#
    let paths = try ["a", "b", "c"].map { try folder.file("\($0).jsonl", Data((line + "\n").utf8)) }
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let told = try Tool.run(["import"] + paths + ["--db", database])
    #expect(
      told.errors.contains("2 files were of the same content as a file at another place"), "\(told.errors)")
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
    #expect(shown.status == 0 && shown.errors.contains("nothing in it tells of a call"), "\(shown.errors)")
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
    "what is skipped has a row a path, also where all are one error page; reports name what is called like calls' files"
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
    let trouble = try String(contentsOfFile: folder.url.path + "/n/csv/trouble.csv", encoding: .utf8)
    let skipped = trouble.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("\"skipped\"") }
    #expect(skipped.count == 1 && skipped[0].hasSuffix(",3"), "\(trouble)")
    #expect(skipped.first?.contains("calls/a/callee.stats.jsonl\",\"not JSON: ") == true, "\(trouble)")
    let html = try String(contentsOfFile: folder.url.path + "/n/index.html", encoding: .utf8)
    #expect(html.contains("<dt>files of calls skipped</dt><dd>3</dd>") && !html.contains("every file"))
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

@Suite("What cannot be imported is named, and the rest is kept")
struct ImportRefusalTests {
  @Test("a line each, exit 1, everything else imported")
  func everythingWrong() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let sample = try Data(contentsOf: URL(fileURLWithPath: Tool.sample("bad-call/callee.stats.jsonl.gz")))
    let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13])
    let cases: [(path: String, code: String)] = [
      (folder.url.appendingPathComponent("nowhere.json").path, "missing"),
      (try folder.file("empty.json", ""), "empty"),
      (try folder.file("picture.png", png), "not-a-format"),
      (try folder.file("cut.jsonl.gz", sample.prefix(sample.count / 2)), "truncated"),
      (
        try folder.file("cut.json", #"[{"id":"IT01A1","type":"inbound-rtp","timestamp":17952261530"#),
        "not-json"
      ),
    ]
    let empty = folder.url.appendingPathComponent("nothing")
    try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
    let good = Tool.sample("healthy-call")
    let result = try Tool.run(
      ["import"] + cases.map(\.path) + [empty.path, good, "--db", database, "--json"])
    #expect(result.status == 1)
    let files = try result.objects().filter { $0["type"] as? String == "file" }
    for (path, code) in cases {
      let file = try #require(
        files.first { ($0["path"] as? String)?.hasSuffix(path.split(separator: "/").last ?? "") == true })
      #expect(file["reason_code"] as? String == code, "\(path): \(file)")
      #expect((file["reason"] as? String)?.isEmpty == false)
      #expect(["refused", "partial"].contains(file["status"] as? String))
    }
    #expect(
      files.contains {
        ($0["path"] as? String)?.hasSuffix("/nothing") == true && $0["status"] as? String == "refused"
      })
    #expect(files.filter { $0["status"] as? String == "imported" }.count == 4)

    let fresh = folder.url.appendingPathComponent("y.sqlite").path
    let words = try Tool.run(["import"] + cases.map(\.path) + [empty.path, "--db", fresh])
    #expect(words.status == 1)
    #expect(words.errors.split(separator: "\n").count == cases.count + 1, "\(words.errors)")
    for (path, _) in cases { #expect(words.errors.contains(path.split(separator: "/").last ?? "")) }
  }

  @Test("a reading command makes no database, and says what would")
  func noDatabase() throws {
    let folder = try TemporaryFolder()
    for words in [["calls"], ["score"], ["streams"], ["query", "verdict"], ["check"], ["call", "x"]] {
      let result = try Tool.run(words, in: folder.url)
      #expect(result.status == 3, "\(words): \(result.status) \(result.errors)")
      #expect(result.errors.contains("callqa import"), "\(result.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test("a full device is no success", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func fullDevice() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample("healthy-call"), "--db", database)
    for words in [
      ["calls"], ["score", "--json"], ["streams", "--csv"], ["formats"], ["--help"], ["--version"],
    ] {
      let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
      let result = try Tool.run(
        words + (words[0].hasPrefix("-") || words == ["formats"] ? [] : ["--db", database]), output: full)
      #expect(result.status == 3, "\(words): \(result.status)")
    }
  }
}

@Suite("callqa score looks at stored samples in other ways")
struct RescoreTests {
  private func imported() throws -> (folder: TemporaryFolder, database: String) {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample("bad-call"), "--db", database)
    return (folder, database)
  }

  @Test("the stored model gives what is stored")
  func sameModel() throws {
    let (folder, database) = try imported()
    defer { withExtendedLifetime(folder) {} }
    let stored = try Tool.run("score", "--json", "--db", database)
    let model = try #require(try stored.objects().first?["model"] as? String)
    #expect(try Tool.run("score", "--json", "--db", database, "--model", model).output == stored.output)
    #expect(
      try Tool.run("score", "--json", "--db", database, "--compare-models", model, model).output.isEmpty)
    #expect(
      try !Tool.run("score", "--json", "--db", database, "--compare-models", "callqa-1", "packet-loss").output
        .isEmpty)
  }

  @Test("a row of intervals may say its length, and which call and end it is for; a peer says its own word")
  func intervalsOfEnds() throws {
    let (folder, database) = try imported()
    let first = try #require(
      try Tool.run("score", "bad", "--json", "--db", database).objects().first?["start_ms"] as? Double)
    let file = try folder.file(
      "ends.csv",
      """
      id,receiver,t_start_ms,seconds
      bad-call,caller,\(first),8
      other,caller,\(first),8
      bad-call,callee,\(first + 8000),8

      """)
    let rows = try Tool.run(
      "score", "--json", "--db", database, "--intervals", file, "--model", "teams-cqd"
    ).objects()
    #expect(rows.map { $0["window_index"] as? Int }.sorted { ($0 ?? 0) < ($1 ?? 0) } == [0, 2])
    #expect(rows.allSatisfy { ["Good", "Poor"].contains(($0["label"] as? String)?.prefix(4)) })
    let strange = try folder.file("s.csv", "call_id,t_start_ms,seconds\nother,\(first),8\n")
    let none = try Tool.run("score", "--db", database, "--intervals", strange)
    #expect(none.status == 2 && none.errors.contains("no row"))
  }

  @Test("standard input is read once, however often it is named")
  func inputTwice() throws {
    let lines = try Data(contentsOf: URL(fileURLWithPath: Tool.sample("bad-call/callee.stats.jsonl.gz")))
    let folder = try TemporaryFolder()
    let result = try Tool.run(
      ["import", "-", "-", "--json", "--db", "x.sqlite"], in: folder.url, input: lines)
    #expect(result.status == 0)
    #expect(try result.objects().filter { $0["path"] as? String == "-" }.count == 1)
  }

  @Test("intervals of a file instead of windows")
  func intervals() throws {
    let (folder, database) = try imported()
    let first = try #require(try Tool.run("score", "--json", "--db", database).objects().first)
    let start = try #require(first["start_ms"] as? Double)
    let file = try folder.file(
      "i.csv", "id,t_start_ms,t_end_ms\n1,\(start),\(start + 5000)\n2,\(start + 5000),\(start + 13000)\n")
    let rows = try Tool.run("score", "bad", "--json", "--db", database, "--intervals", file).objects()
    #expect(rows.count == 4)
    #expect(
      rows.contains {
        $0["score"] as? Int == first["score"] as? Int
          && $0["endpoint"] as? String == first["endpoint"] as? String
      })
    // As a spreadsheet saves it.
    let marked = try folder.file("m.csv", "\u{FEFF}t_start_ms,t_end_ms\r\n\(start),\(start + 5000)\r\n")
    #expect(try Tool.run("score", "bad", "--db", database, "--intervals", marked).status == 0)
    let broken = try folder.file("b.csv", "t_start_ms,t_end_ms\n5,1\n")
    let result = try Tool.run("score", "bad", "--db", database, "--intervals", broken)
    #expect(result.status == 2)
    #expect(result.errors.contains("b.csv:2"))
  }
}
