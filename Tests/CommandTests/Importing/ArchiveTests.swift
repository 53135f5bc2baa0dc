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

  /// A zip whose files are stored as they are.
  private func zip(_ files: [(name: String, bytes: [UInt8])]) -> Data {
    var (out, directory): ([UInt8], [UInt8]) = ([], [])
    for file in files {
      let name = Array(file.name.utf8)
      let sum = Int(crc32(0, file.bytes, UInt32(file.bytes.count)))
      let head =
        little(20, 2) + little(0, 2) + little(0, 2) + little(0, 4) + little(sum, 4)
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
}
