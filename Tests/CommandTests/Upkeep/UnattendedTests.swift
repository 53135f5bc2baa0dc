import Foundation
import Testing

/// What a nightly job relies on: the same answer whatever the threads do, bounded work, and nothing in part.
@Suite("Trusted unattended")
struct UnattendedTests {
  private static let folder = Tool.root.appendingPathComponent("Tests/CommandTests/Unattended")

  private func fixture(_ name: String) -> String { Self.folder.appendingPathComponent(name).path }

  /// Runs the tool in a shell that first sets limits.
  private func limited(_ limits: String, _ words: [String], in folder: URL) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    let command = words.map { "'\($0)'" }.joined(separator: " ")
    process.arguments = [
      "-c", "\(limits); exec timeout -k 5 60 '\(Tool.path.path)' \(command) >out 2>err </dev/null",
    ]
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(["CALLQA_HOME": Tool.root.path]) { $1 }
    try process.run()
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  @Test("two calls of one key get the same ids in any order of files and with any number of threads")
  func ids() throws {
    let files = ["tcp-0002-tcp.pcap", "tcp-0003-tcp.pcap"].map(fixture)
    var answers: Set<String> = []
    for round in 0..<8 {
      let place = try TemporaryFolder()
      let database = place.url.appendingPathComponent("x.sqlite").path
      let given = round % 2 == 0 ? files : files.reversed()
      try Tool.run(["import"] + given + ["--db", database, "--jobs", round < 4 ? "1" : "2", "--quiet"])
      answers.insert(
        try Tool.run(
          "query", "SELECT call_id, started_ms FROM calls ORDER BY 1", "--db", database, "--csv"
        ).output)
    }
    #expect(answers.count == 1, "\(answers)")
  }

  @Test("two ends of one name get the same numbers in any order of files, and keep them")
  func ends() throws {
    let place = try TemporaryFolder()
    let files = try (0..<2).map { number in
      try place.file(
        "\(number).jsonl",
        #"{"ts":1795600000000,"call":"c1","event":"call.dialing"}"# + "\n"
          + #"{"ts":179560000\#(number)000,"call":"c1","event":"call.established"}"# + "\n")
    }
    func names(_ imports: [[String]]) throws -> String {
      let folder = try TemporaryFolder()
      let database = folder.url.appendingPathComponent("x.sqlite").path
      for files in imports { try Tool.run(["import"] + files + ["--db", database, "--quiet"]) }
      return try Tool.run(
        "query",
        """
        SELECT n.endpoint, s.path FROM endpoints AS n JOIN source_views AS c USING (endpoint_key)
          JOIN sources AS s USING (source_id) ORDER BY 1
        """,
        "--db", database, "--csv"
      ).output
    }
    let together = try names([files])
    #expect(together.split(whereSeparator: \.isNewline).count == 3, "\(together)")
    #expect(try names([files.reversed()]) == together)
    let apart = [try names([[files[0]], [files[1]]]), try names([[files[1]], [files[0]]])]
    #expect(apart[0] != apart[1], "each time the one that came first keeps its name")
    #expect(apart.contains(together))
  }

  @Test("an id that was given in an earlier import stays, whatever comes later")
  func idStays() throws {
    let place = try TemporaryFolder()
    let database = place.url.appendingPathComponent("x.sqlite").path
    var kept: Set<String> = []
    for first in [0, 1] {
      try? FileManager.default.removeItem(atPath: database)
      let files = ["tcp-0002-tcp.pcap", "tcp-0003-tcp.pcap"].map(fixture)
      try Tool.run("import", files[first], "--db", database, "--quiet")
      let before = try #require(
        try Tool.run("calls", "--json", "--db", database).objects().first?["call_id"] as? String)
      try Tool.run("import", files[1 - first], "--db", database, "--quiet")
      let after = try Tool.run("calls", "--json", "--db", database).objects()
        .compactMap { $0["call_id"] as? String }
      #expect(after.count == 2 && after.contains(before))
      kept.insert(before)
    }
    #expect(kept.count == 1, "both would have the same id")
  }

  @Test("without a thread or with few descriptors an import ends, with its work done or with words")
  func starved() throws {
    let sample = Tool.sample("bad-call")
    for files in 7...13 {
      let place = try TemporaryFolder()
      let status = try limited("ulimit -n \(files)", ["import", sample, "--db", "x.sqlite"], in: place.url)
      #expect([0, 1, 2, 3].contains(status), "\(files) descriptors: \(status)")
    }
    guard getuid() == 0 else { return }
    // Root is not bound by a limit on processes: another user is.
    for jobs in ["1", "2"] {
      let place = try TemporaryFolder()
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: place.url.path)
      let status = try limited(
        "cd '\(place.url.path)'; exec timeout -k 5 60 setpriv --reuid=65533 --clear-groups prlimit --nproc=1 "
          + "'\(Tool.path.path)' import '\(sample)' --db x.sqlite --jobs \(jobs) >out 2>err </dev/null; true",
        [], in: place.url)
      // A binary that another user may not read is no failure of it.
      #expect([0, 1, 126].contains(status), "\(jobs) jobs: \(status)")
    }
  }

  @Test("a few kilobytes that become millions of empty lines cost little, and the log says where it stopped")
  func newlines() throws {
    let place = try TemporaryFolder()
    let event = #"{"ts":1795600000000,"call":"c1","event":"call.established"}"# + "\n"
    let text =
      event + String(repeating: "\n", count: 3_000_000) + event.replacing("established", with: "ended")
    let file = try place.file("run.jsonl", text)
    let database = place.url.appendingPathComponent("x.sqlite").path
    let whole = try Tool.run("import", file, "--db", database, "--json").objects()
    #expect(whole.first?["status"] as? String == "imported", "a file of its full size is read to its end")
    #expect(whole.first?["events"] as? Int == 2)
    let packed = try Tool.run(
      "import", try place.file("packed.jsonl.gz", Packing.gzip.pack(Data(text.utf8))), "--db", database,
      "--json"
    ).objects()
    #expect(packed.first?["status"] as? String == "partial")
    #expect((packed.first?["reason"] as? String)?.contains("--raise lines=") == true, "\(packed)")
    let raised = try Tool.run(
      "import", try place.file("raised.jsonl.gz", Packing.gzip.pack(Data((text + event).utf8))), "--db",
      database,
      "--json", "--raise", "lines=10M"
    ).objects()
    #expect(raised.first?["events"] as? Int == 3)
  }

  @Test("check finds a window sound whose packets all came too late")
  func stalled() throws {
    let place = try TemporaryFolder()
    let database = place.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", fixture("stalled.pcap"), "--db", database)
    let check = try Tool.run("check", "--db", database)
    #expect(check.status == 0, "\(check.output)")
  }

  @Test("check beside a process that prunes sees one state of the database")
  func checkBesidePrune() throws {
    let place = try TemporaryFolder()
    let database = place.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.root.appendingPathComponent("samples").path, "--db", database, "--quiet")
    for round in 0..<6 {
      let copy = place.url.appendingPathComponent("c\(round).sqlite").path
      try Tool.run("copy", "last", "worst", "--to", copy, "--db", database, "--quiet")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      process.arguments = [
        "-c",
        "'\(Tool.path.path)' check --db '\(copy)' & P=$!; sleep 0.0\(round + 1); '\(Tool.path.path)' prune --samples-older-than 0d --db '\(copy)'; wait $P",
      ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0, "round \(round)")
    }
  }

  @Test("a copy that is killed leaves nothing in its place, and the next one succeeds")
  func copyKilled() throws {
    let place = try TemporaryFolder()
    let database = place.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.root.appendingPathComponent("samples").path, "--db", database, "--quiet")
    let target = place.url.appendingPathComponent("t.sqlite").path
    for round in 0..<10 {
      let process = Process()
      process.executableURL = Tool.path
      process.arguments = ["copy", "last", "worst", "--to", target, "--db", database, "--quiet"]
      try process.run()
      usleep(useconds_t(2000 * round))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      if FileManager.default.fileExists(atPath: target) {
        #expect(try Tool.run("check", "--db", target).status == 0, "what is there is whole")
        #expect(try Tool.run("calls", "--json", "--db", target).objects().count == 2)
        try FileManager.default.removeItem(atPath: target)
      }
    }
    #expect(try Tool.run("copy", "last", "--to", target, "--db", database).status == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: place.url.path)
    #expect(left.filter { $0.contains(".making-") }.isEmpty, "what killed ones left is gone: \(left)")
    let again = try Tool.run("copy", "last", "--to", target, "--db", database)
    #expect(again.status == 2 && again.errors.contains("is there already"))
  }

  @Test("a database may be called as SQLite calls its URIs")
  func fileName() throws {
    let place = try TemporaryFolder()
    let name = "file:x.sqlite?mode=memory"
    #expect(try Tool.run("import", Tool.sample("bad-call"), "--db", name, in: place.url).status == 0)
    #expect(try Tool.run("calls", "--db", name, in: place.url).status == 0)
    #expect(FileManager.default.fileExists(atPath: place.url.appendingPathComponent(name).path))
  }

  @Test("a report goes to where a link leads, and the link stays one")
  func linkedFolder() throws {
    let place = try TemporaryFolder()
    let database = place.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample("bad-call"), "--db", database, "--run", "a")
    let real = place.url.appendingPathComponent("real")
    let link = place.url.appendingPathComponent("link")
    try FileManager.default.createDirectory(at: real, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
    try Tool.run("report", "nightly", "--db", database, "--run", "a", "--out", link.path)
    #expect(FileManager.default.fileExists(atPath: real.appendingPathComponent("index.html").path))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == real.path)
    let nowhere = place.url.appendingPathComponent("nowhere")
    try FileManager.default.createSymbolicLink(atPath: nowhere.path, withDestinationPath: "absent")
    let failed = try Tool.run("report", "nightly", "--db", database, "--run", "a", "--out", nowhere.path)
    #expect(failed.status != 0 && failed.errors.contains("leads nowhere"), "\(failed.errors)")
  }

  @Test("a name that begins with an apostrophe is drawn in every plot")
  func apostrophe() throws {
    let place = try TemporaryFolder()
    let database = place.url.appendingPathComponent("x.sqlite").path
    let lines = (0..<3).map { call in
      #"{"ts":\#(1_795_600_000_000 + 100_000 * call),"call":"c\#(call)","sdk":"'quoted","event":"call.outgoing"}"#
        + "\n"
        + #"{"ts":\#(1_795_600_002_000 + 100_000 * call),"call":"c\#(call)","sdk":"'quoted","event":"call.established"}"#
    }.joined(separator: "\n")
    try Tool.run("import", try place.file("a.jsonl", lines), "--db", database, "--run", "'night")
    let out = place.url.appendingPathComponent("out")
    let report = try Tool.run("report", "nightly", "--db", database, "--run", "'night", "--out", out.path)
    #expect(!report.errors.contains("gnuplot"), "\(report.errors)")
    let plots = out.appendingPathComponent("plots")
    for name in (try? FileManager.default.contentsOfDirectory(atPath: plots.path)) ?? [] {
      let size = try Data(contentsOf: plots.appendingPathComponent(name)).count
      #expect(size > 500, "\(name) is drawn")
    }
  }

  @Test("a capture of which nothing was taken says so")
  func emptyCapture() throws {
    let place = try TemporaryFolder()
    // One packet of ARP: read whole, and nothing of a call.
    var bytes = Data([
      0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 1, 0, 0, 0,
    ])
    bytes += Data([0, 0, 0, 0x60, 0, 0, 0, 0, 42, 0, 0, 0, 42, 0, 0, 0])
    bytes += Data([UInt8](repeating: 0xFF, count: 12) + [8, 6] + [UInt8](repeating: 0, count: 28))
    let result = try Tool.run(
      "import", try place.file("a.pcap", bytes), "--db", place.url.appendingPathComponent("x.sqlite").path)
    #expect(result.errors.contains("no call was recognised in it"), "\(result.errors)")
  }

  @Test("a flipped bit in the schema is a damaged database, with the remedy")
  func schemaFlip() throws {
    let place = try TemporaryFolder()
    let database = place.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample("bad-call"), "--db", database, "--quiet")
    var bytes = try Data(contentsOf: URL(fileURLWithPath: database))
    let name = Data("started_ms     REAL".utf8)
    let found = try #require(bytes.range(of: name) ?? bytes.range(of: Data("started_ms".utf8)))
    bytes[found.lowerBound] ^= 0x02
    try bytes.write(to: URL(fileURLWithPath: database))
    for words in [["check"], ["calls"]] {
      let result = try Tool.run(words + ["--db", database])
      #expect(result.status == 3, "\(words): \(result.status) \(result.errors)")
    }
    #expect(try Tool.run("calls", "--db", database).errors.contains("damaged"))
  }
}
