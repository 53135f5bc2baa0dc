import CZlib
import Foundation
import Testing

/// Zip and tar of a ticket.
@Suite("An archive is read like the folder that was packed")
struct ArchiveTests {
  private static let log = try? String(
    contentsOf: Corpus.folder.appendingPathComponent("rebtel-end-cause/endcause.log"), encoding: .utf8)

  private func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// A zip whose files are stored as they are; those that are named so have a wrong checksum, are encrypted, or packed in
  /// a way that nobody knows.
  private func zip(_ files: [(name: String, bytes: [UInt8])]) -> Data {
    zip(files.map { (Array($0.name.utf8), $0.bytes) })
  }

  private func zip(_ files: [(name: [UInt8], bytes: [UInt8])], flags: Int = 0) -> Data {
    var (out, directory): ([UInt8], [UInt8]) = ([], [])
    for file in files {
      let name = file.name
      func isCalled(_ word: String) -> Bool { String(decoding: name, as: UTF8.self).hasPrefix(word) }
      let sum = Int(crc32(0, file.bytes, UInt32(file.bytes.count))) ^ (isCalled("wrong") ? 1 : 0)
      let head =
        little(20, 2) + little(flags | (isCalled("secret") ? 1 : 0), 2) + little(isCalled("odd") ? 97 : 0, 2)
        + little(0, 4) + little(sum, 4)
        + little(file.bytes.count, 4) + little(file.bytes.count, 4) + little(name.count, 2) + little(0, 2)
      directory +=
        Array("PK\u{1}\u{2}".utf8) + little(20, 2) + head + little(0, 2) + little(0, 2) + little(0, 2)
        + little(0o100644 << 16, 4) + little(out.count, 4) + name
      out += Array("PK\u{3}\u{4}".utf8) + head + name + file.bytes
    }
    let end =
      Array("PK\u{5}\u{6}".utf8) + little(0, 2) + little(0, 2) + little(files.count, 2)
      + little(files.count, 2)
      + little(directory.count, 4) + little(out.count, 4) + little(0, 2)
    return Data(out + directory + end)
  }

  private func sources(_ file: String, in folder: TemporaryFolder) throws -> [[String: Any]] {
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", file, "--db", database)
    return try Tool.run("sources", "--db", database, "--json").objects()
  }

  @Test("the files of a zip are imported under its name, and none of it stays behind")
  func zipped() throws {
    let folder = try TemporaryFolder()
    let log = try #require(Self.log)
    let file = try folder.file(
      "ticket.zip", zip([("a/call.log", Array(log.utf8)), ("notes.txt", Array("hello\n".utf8))]))
    let found = try sources(file, in: folder)
    #expect(
      found.contains {
        ($0["path"] as? String)?.hasSuffix("ticket.zip/a/call.log") == true
          && $0["status"] as? String == "imported"
      })
    #expect(try Tool.run("show", file).output.contains("Nobody answered"))
  }

  @Test("no name leads out of an archive, and links and hidden files are left aside")
  func hostileNames() throws {
    let folder = try TemporaryFolder()
    let log = Array(try #require(Self.log).utf8)
    let file = try folder.file(
      "evil.zip", zip([("../../evil.log", log), ("/abs.log", log), (".hidden/x.log", log), ("ok.log", log)]))
    let paths = try sources(file, in: folder).compactMap { $0["path"] as? String }
    #expect(paths.allSatisfy { $0.contains("evil.zip/") && !$0.contains("..") })
    #expect(!FileManager.default.fileExists(atPath: folder.url.appendingPathComponent("../evil.log").path))
  }

  @Test("an archive within an archive is opened once, and no deeper")
  func nested() throws {
    let folder = try TemporaryFolder()
    let log = Array(try #require(Self.log).utf8)
    let inner = zip([("call.log", log)])
    let middle = zip([("inner.zip", Array(inner)), ("two.log", log + Array("\n".utf8))])
    let file = try folder.file("outer.zip", zip([("middle.zip", Array(middle))]))
    let result = try Tool.run("import", file, "--db", folder.url.appendingPathComponent("x.sqlite").path)
    let text = result.output + result.errors
    #expect(result.status == 1 && text.contains("an archive in an archive in an archive"), "\(text)")
    #expect(
      try sources(file, in: folder).contains {
        ($0["path"] as? String)?.hasSuffix("outer.zip/middle.zip/two.log") == true
      })
  }

  @Test(
    "a tar, packed or not, is read too",
    arguments: [("ticket.tar", "-cf"), ("ticket.tar.gz", "-czf"), ("ticket.tgz", "-czf")])
  func tape(name: String, words: String) throws {
    let folder = try TemporaryFolder()
    _ = try folder.file("in/call.log", try #require(Self.log))
    let file = folder.url.appendingPathComponent(name)
    let tar = Process()
    tar.executableURL = URL(fileURLWithPath: "/bin/tar")
    tar.arguments = [words, file.path, "-C", folder.url.path, "in"]
    try tar.run()
    tar.waitUntilExit()
    #expect(
      try sources(file.path, in: folder).contains {
        ($0["path"] as? String)?.hasSuffix("\(name)/in/call.log") == true
      })
  }

  @Test("an archive that breaks off is refused with its reason, and what came before it is taken")
  func broken() throws {
    let folder = try TemporaryFolder()
    let log = Array(try #require(Self.log).utf8)
    let whole = zip([("a.log", log), ("b.log", log + log)])
    let file = try folder.file("cut.zip", whole.prefix(log.count + 100))
    let result = try Tool.run("import", file, "--db", folder.url.appendingPathComponent("x.sqlite").path)
    #expect(result.status == 1 && (result.output + result.errors).contains("archive"))
  }

  @Test(
    "a name in any encoding is a file",
    arguments: [
      (Array("звонок.log".utf8), 0x800), (Array("звонок.log".utf8), 0), ([0xE9, 0xFF, 0xFE], 0x800),
      ([0x83, 0x5C, 0x8E, 0x9F], 0), ([UInt8](repeating: UInt8(ascii: "n"), count: 300), 0),
    ])
  func names(name: [UInt8], flags: Int) throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("t.zip", zip([(name, Array(try #require(Self.log).utf8))], flags: flags))
    let found = try sources(file, in: folder)
    #expect(found.map { $0["status"] as? String } == ["imported"], "\(found)")
  }

  @Test(
    "a file that cannot be unpacked is refused by itself", arguments: ["wrong.log", "secret.log", "odd.log"])
  func badEntry(name: String) throws {
    let folder = try TemporaryFolder()
    let log = Array(try #require(Self.log).utf8)
    let file = try folder.file("t.zip", zip([(name, log), ("ok/a.log", log + [10])]))
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let result = try Tool.run("import", file, "--db", database)
    #expect(result.status == 1 && result.errors.contains("t.zip/\(name): refused"), "\(result.errors)")
    #expect(result.output.hasPrefix("2 files (1 imported, 1 refused): 1 call"), "\(result.output)")
  }

  @Test("an archive without calls is refused as a folder is, and one that becomes far larger than it is")
  func withoutCalls() throws {
    let folder = try TemporaryFolder()
    let none = try folder.file("none.zip", zip([("readme.txt", Array("hello\n".utf8))]))
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let result = try Tool.run("import", none, "--db", database)
    #expect(result.status == 1 && result.errors.contains("an archive without calls"), "\(result.errors)")
    let zeros = folder.url.appendingPathComponent("in/zeros.log")
    _ = try folder.file("in/a.txt", "x")
    #expect(FileManager.default.createFile(atPath: zeros.path, contents: nil))
    try FileHandle(forWritingTo: zeros).truncate(atOffset: 300 << 20)
    let file = folder.url.appendingPathComponent("bomb.tar.gz")
    let tar = Process()
    tar.executableURL = URL(fileURLWithPath: "/bin/tar")
    tar.arguments = ["-czf", file.path, "-C", folder.url.path, "in"]
    try tar.run()
    tar.waitUntilExit()
    let bomb = try Tool.run("import", file.path, "--db", database)
    #expect(bomb.status == 1 && bomb.errors.contains("times its size unpacked"), "\(bomb.errors)")
  }

  @Test("what a killed process left behind is swept by the next, what another one uses is not")
  func swept() throws {
    let (folder, temporary) = (try TemporaryFolder(), try TemporaryFolder())
    let left = temporary.url.appendingPathComponent("callqa-unpacked-abcdef")
    let used = temporary.url.appendingPathComponent("callqa-unpacked-ghijkl")
    let own = temporary.url.appendingPathComponent("callqa-backup")
    for place in [left, used, own] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      try Data("x".utf8).write(to: place.appendingPathComponent("0-0.log"))
    }
    let lock = open(used.path, O_RDONLY)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX | LOCK_NB) == 0)
    let file = try folder.file("call.log", try #require(Self.log))
    try Tool.process(["show", file], environment: ["TMPDIR": temporary.url.path])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).sorted() == [
        "callqa-backup", "callqa-unpacked-ghijkl",
      ])
  }
}
