import Foundation
import Testing

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
    for words in [["calls"], ["score"], ["streams"], ["query", "gate-result"], ["check"], ["call", "x"]] {
      let result = try Tool.run(words, in: folder.url)
      #expect(result.status == 3, "\(words): \(result.status) \(result.errors)")
      #expect(result.errors.contains("callqa import"), "\(result.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test("an import of a path that is not there makes no database, unless something else is there")
  func mistypedPath() throws {
    let folder = try TemporaryFolder()
    let wrong = try Tool.run("import", "nihgt", "--json", in: folder.url)
    #expect(wrong.status == 1)
    #expect(try wrong.objects().first?["reason_code"] as? String == "missing")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    let half = try Tool.run("import", "nihgt", Tool.sample("healthy-call"), in: folder.url)
    #expect(half.status == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["callqa.sqlite"])
  }

  @Test("reading commands leave nothing beside the database")
  func nothingBeside() throws {
    let folder = try TemporaryFolder()
    try Tool.run("import", Tool.sample("healthy-call"), in: folder.url)
    for words in [
      ["calls"], ["runs"], ["call", "last"], ["find", "caller"], ["score", "last"], ["query", "SELECT 1"],
    ] {
      try Tool.run(words, in: folder.url)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      #expect(names == ["callqa.sqlite"], "\(words)")
    }
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
