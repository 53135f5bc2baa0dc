import Foundation
import Glibc
import Testing

@Suite("Paths and names from strangers")
struct HostilePathTests {
  let folder: TemporaryFolder
  let database: [String]

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("in"), withIntermediateDirectories: true)
    database = ["--db", folder.url.appendingPathComponent("x.sqlite").path]
  }

  private var input: String { folder.url.appendingPathComponent("in").path }

  private static func log(_ call: String) -> [UInt8] {
    let json = String(decoding: (try? JSONEncoder().encode(call)) ?? Data(), as: UTF8.self)
    return Array(#"{"ts":1795226153000,"sdk":"rebtel","call":\#(json),"event":"callDidEstablish"}"#.utf8)
  }

  /// A file whose name is bytes.
  private func write(_ name: [UInt8], _ bytes: [UInt8]) {
    let path = Array(input.utf8) + [0x2F] + name + [0]
    path.withUnsafeBufferPointer { path in
      path.withMemoryRebound(to: CChar.self) { path in
        guard let start = path.baseAddress, let file = fopen(start, "w") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
      }
    }
  }

  private func expectNoControls(_ result: Tool.Result) {
    for scalar in (result.output + result.errors).unicodeScalars where scalar.value < 0x20 {
      #expect(scalar == "\n", "a control character reached the terminal")
    }
  }

  @Test("names with line ends, escape sequences and bytes that are no UTF-8 are files like others")
  func oddNames() throws {
    write(Array("a\nb.jsonl".utf8), Self.log("1"))
    write(Array("c\u{1B}[31m.jsonl".utf8), Self.log("2"))
    write(Array("d".utf8) + [0xFF, 0xC3] + Array(".jsonl".utf8), Self.log("3"))
    write([0xFE] + Array(".broken.jsonl".utf8), Array(#"{"ts":1,"event":"#.utf8))
    let first = try Tool.run(["import", input] + database)
    #expect(first.output.hasPrefix("4 files (3 imported"), "\(first.output)\(first.errors)")
    expectNoControls(first)
    let sources = try Tool.run(["sources", "--json"] + database).objects().compactMap {
      $0["path"] as? String
    }
    #expect(sources.contains { $0.hasSuffix("/d\\xFF\\xC3.jsonl") })
    #expect(sources.contains { $0.hasSuffix("/\\xFE.broken.jsonl") })
    for words in [["sources"], ["rejects"], ["calls"]] { expectNoControls(try Tool.run(words + database)) }
  }

  @Test("a name of such bytes may also stand on the command line")
  func oddArgument() throws {
    write(Array("d".utf8) + [0xFF] + Array(".jsonl".utf8), Self.log("3"))
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "\"$0\" import --quiet --db x.sqlite in/d*.jsonl", Tool.path.path]
    process.currentDirectoryURL = folder.url
    process.environment = ["CALLQA_HOME": Tool.root.path]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }

  @Test("loops of links, pipes and sockets hold nothing up; a named one is refused in words")
  func specialFiles() throws {
    write(Array("good.jsonl".utf8), Self.log("1"))
    let pipe = input + "/pipe"
    mkfifo(pipe, 0o600)
    symlink("..", input + "/up")
    symlink("loop-b", input + "/loop-a")
    symlink("loop-a", input + "/loop-b")
    symlink("nothing", input + "/dangling")
    symlink("/dev/zero", input + "/zero.json")
    let result = try Tool.run(["import", input] + database)
    #expect(result.output.contains("1 imported, 3 skipped, 2 refused"), "\(result.output)\(result.errors)")
    let left = try Tool.run(
      "query",
      "SELECT replace(path, rtrim(path, replace(path, '/', '')), '') AS name, reason_code FROM sources WHERE status = 'skipped' ORDER BY 1",
      "--format", "tsv", "--db", database[1])
    #expect(
      left.lines.dropFirst() == [
        "dangling\tmissing", "pipe\tnot-a-format", "zero.json\tnot-a-format",
      ],
      "\(left.output)\(left.errors)")
    // What the link leads to came later.
    write(Array("nothing".utf8), Self.log("2"))
    try Tool.run(["import", input] + database)
    let after = try Tool.run(["sources", "--json"] + database)
    #expect(!after.output.contains("dangling") && after.output.contains("/nothing\""), "\(after.output)")
    let named = try Tool.run(["import", pipe, "/dev/zero"] + database)
    #expect(named.status == 1)
    #expect(named.errors.components(separatedBy: "not a regular file").count == 3)
  }

  @Test(
    "a file that must not be read is named and refused", .enabled(if: geteuid() != 0, "needs to be a mortal"))
  func unreadable() throws {
    write(Array("secret.jsonl".utf8), Self.log("1"))
    chmod(input + "/secret.jsonl", 0)
    let result = try Tool.run(["import", input] + database)
    #expect(result.status == 1)
    #expect(result.errors.contains("secret.jsonl") && result.errors.contains("permission"))
    let closed = input + "/closed"
    mkdir(closed, 0)
    try Tool.run(["import", input] + database)
    #expect(try Tool.run(["sources", "--json"] + database).output.contains("/closed\""))
    chmod(closed, 0o700)
    try Tool.run(["import", input] + database)
    #expect(try !Tool.run(["sources", "--json"] + database).output.contains("/closed\""))
  }

  @Test("names of calls and runs lead nowhere")
  func traversal() throws {
    let names = ["../../evil", "/tmp/evil", "..", "a/../../b", "con\u{0}", "\u{202E}gpj.evil", "<b>x</b>"]
    for (number, name) in names.enumerated() { write(Array("\(number).jsonl".utf8), Self.log(name)) }
    let out = folder.url.appendingPathComponent("deep/er/out")
    try FileManager.default.createDirectory(
      at: out.deletingLastPathComponent(), withIntermediateDirectories: true)
    #expect(try Tool.run(["import", input, "--run", "../../../evil-run"] + database).status == 0)
    let report = try Tool.run(["report", "nightly", "--out", out.path] + database)
    #expect([0, 4, 5].contains(report.status), "\(report.errors)")
    expectNoControls(report)
    let made = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
      .filter { !$0.hasPrefix("in/") && !$0.hasPrefix("deep/er/out") && !$0.hasPrefix("x.sqlite") }
    #expect(Set(made) == ["in", "deep", "deep/er"])
    #expect(!FileManager.default.fileExists(atPath: "/tmp/evil.html"))
  }

  @Test("what is made is for its owner alone, unless --mode says otherwise")
  func modes() throws {
    write(Array("good.jsonl".utf8), Self.log("one"))
    let made = folder.url.appendingPathComponent("made")
    try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    func place(_ name: String) -> String { made.appendingPathComponent(name).path }
    let db = ["--db", place("x.sqlite")]
    try Tool.process(["import", input] + db)
    try Tool.process(["copy", "one", "--to", place("ticket.sqlite")] + db)
    try Tool.process(["call", "one", "--html", place("call.html"), "--trace", place("call.json")] + db)
    try Tool.process(["report", "nightly", "--out", place("report"), "--prometheus", place("x.prom")] + db)
    let names = try FileManager.default.subpathsOfDirectory(atPath: made.path)
    #expect(names.count > 10)
    for name in names {
      var status = stat()
      stat(place(name), &status)
      #expect(
        [0o100600, 0o040700].contains(status.st_mode),
        "\(name) is \(String(status.st_mode & 0o777, radix: 8))")
    }
    try Tool.process(["import", input, "--mode", "0640", "--db", place("y.sqlite")])
    try Tool.process(["report", "nightly", "--out", place("open"), "--mode", "0644"] + db)
    for (name, mode) in [("y.sqlite", 0o100640), ("open", 0o040755), ("open/index.html", 0o100644)] {
      var status = stat()
      stat(place(name), &status)
      #expect(Int(status.st_mode) == mode, "\(name)")
    }
  }

  @Test("a file of a hundred gigabytes that tells nothing is refused at once, and so again")
  func sparse() throws {
    let file = input + "/sparse.jsonl"
    #expect(FileManager.default.createFile(atPath: file, contents: Data()))
    #expect(truncate(file, 100 << 30) == 0)
    for _ in 0..<2 {
      let result = try Tool.run(["import", file] + database)
      #expect(result.status == 1)
      #expect(result.errors.contains("sparse.jsonl: refused at byte 0"), "\(result.errors)")
    }
  }

  @Test("text in UTF-16 is read", arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian])
  func wideText(encoding: String.Encoding) throws {
    let text = String(decoding: Self.log("wide \u{1F600}"), as: UTF8.self)
    write(Array("wide.jsonl".utf8), Array(try #require(text.data(using: encoding))))
    let result = try Tool.run(["import", input + "/wide.jsonl"] + database)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("a wrapping that is not undone is named, with the tool that undoes it; in a folder it is passed over")
  func wrapped() throws {
    let files: [(String, [UInt8], String)] = [
      ("log.jsonl.xz", [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0, 0, 4], "xz -d"),
      ("log.bz2", Array("BZh91AY".utf8), "bzip2 -d"),
      ("calls.sqlite", Array("SQLite format 3\u{0}".utf8), "--db"),
    ]
    for (name, bytes, _) in files { write(Array(name.utf8), bytes) }
    for (name, _, words) in files {
      let result = try Tool.run(["import", input + "/" + name] + database)
      #expect(result.status == 1 && result.errors.contains(words), "\(name): \(result.errors)")
    }
    let names = Set(files.map(\.0))
    let met = try Tool.run(["import", input, "--json"] + database).objects().filter {
      names.contains(($0["path"] as? String)?.split(separator: "/").last.map(String.init) ?? "")
    }
    #expect(met.count == files.count && met.allSatisfy { $0["status"] as? String == "skipped" })
  }

  @Test("a log whose first line was cut when it was rotated is read from the next")
  func rotated() throws {
    let lines = (0..<3).map {
      #"{"ts":179522615300\#($0),"pc":"a","report":{"I":{"id":"I","type":"inbound-rtp","timestamp":179522615300\#($0),"ssrc":7,"kind":"audio","packetsReceived":\#($0)}}}"#
    }
    write(Array("cut.jsonl".utf8), Array((#"ndReceived":7}}}"# + "\n" + lines.joined(separator: "\n")).utf8))
    let file = try Tool.run(["import", input + "/cut.jsonl", "--json"] + database).objects()[0]
    #expect(file["status"] as? String == "partial")
    #expect(file["samples"] as? Int == 3)
    #expect(file["rejected"] as? Int == 1)
  }

  @Test("figures and times that cannot be leave a sound database, and are reported")
  func impossible() throws {
    func report(_ time: String, _ figure: String) -> String {
      #"{"ts":\#(time),"pc":"a","report":{"I":{"id":"I","type":"inbound-rtp","timestamp":\#(time),"ssrc":7,"kind":"audio","packetsReceived":\#(figure)}}}"#
        + "\n"
    }
    let start = 1_795_226_153_000
    let figures = (0..<9).map { report("\(start + $0 * 1000)", "1e308") }.joined()
    let jump = report("1000000000000", "1") + report("\(start)", "2") + report("9999999999999", "3")
    let without = (0..<4).map { report("-1e1\($0)", "5") }.joined()
    for (name, text) in [("figures", figures), ("jump", jump), ("never", without)] {
      write(Array("\(name).jsonl".utf8), Array(text.utf8))
    }
    let files = try Tool.run(["import", input, "--json"] + database).objects()
    let notes = files.flatMap { $0["notes"] as? [String] ?? [] }
    #expect(notes.contains { $0.hasPrefix("beyond 2^53, taken as unknown: inbound-rtp.packetsReceived") })
    #expect(notes.contains { $0.contains("without a time that can be, left out (4 times)") }, "\(notes)")
    let never = try #require(files.first { ($0["path"] as? String)?.hasSuffix("never.jsonl") == true })
    #expect(never["status"] as? String == "partial" && never["rejected"] as? Int == 4, "\(never)")
    let check = try Tool.run(["check"] + database)
    #expect(check.status == 0, "\(check.output)")
  }
}
