import Foundation
import Testing

/// docs/cli.md, "Exit codes": a file to be judged that cannot be read was refused (1); another file that the command line names is a
/// wrong command line (2); a database that is not there, and a place that cannot be written to, is 3.
@Suite("A file that cannot be used has one exit code for its kind, in every command that takes one")
struct FileArgumentTests {
  private let folder: TemporaryFolder
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample("bad-call"), "--run", "night", "--db", database)
  }

  private static let call = Tool.sample("bad-call")

  /// Command lines with a file to be judged in place of FILE.
  static let judged: [[String]] = [
    ["show", "FILE"], ["./FILE"], ["import", "FILE", "--db", "new.sqlite"], ["extract", "FILE"],
    ["packets", "FILE"],
    ["gather", "FILE", "--db", "new.sqlite"], ["show", "--follow", "FILE", "--until-idle", "0.1"],
    ["import", "--follow", "FILE", "--until-idle", "0.1", "--db", "new.sqlite"],
  ]

  /// Command lines that read another file.
  static let named: [[String]] = [
    ["attributes", "FILE", "--db", "DB"], ["show", call, "--attributes", "FILE"],
    ["import", call, "--attributes", "FILE", "--db", "new.sqlite"],
    ["import", call, "--references", "FILE", "--db", "new.sqlite"],
    ["import", call, "--pseudonymize", "--key-file", "FILE", "--db", "new.sqlite"],
    ["extract", "--files-from", "FILE"], ["gather", "FILE", "--expect", "FILE", "--db", "new.sqlite"],
    ["score", "--intervals", "FILE", "--db", "DB"],
    ["compare", "night", "night", "--gate", "FILE", "--db", "DB"],
    ["report", "nightly", "--gate", "FILE", "--out", "out", "--db", "DB"],
    ["report", "./FILE", "--db", "DB"],
    ["query", "./FILE", "--db", "DB"], ["validate", "FILE"],
    ["validate", "--db", "DB", "--ratings", "FILE"],
  ]

  /// Command lines that write a file in a folder that is not there.
  static let written: [[String]] = [
    ["show", call, "--html", "FILE"], ["show", call, "--trace", "FILE"],
    ["call", "last", "--html", "FILE", "--db", "DB"],
    ["copy", "last", "--to", "FILE", "--db", "DB"], ["import", call, "--db", "FILE"],
    ["gather", call, "--db", "FILE"],
    ["compare", "night", "night", "--junit", "FILE", "--db", "DB"],
    ["report", "nightly", "--out", "out", "--prometheus", "FILE", "--db", "DB"],
    ["simulate", "--nights", "1", "--calls", "5", "--db", "FILE"],
  ]

  private func run(_ words: [String], _ file: String) throws -> Tool.Result {
    try Tool.run(
      words.map {
        $0 == "DB"
          ? database : $0 == "./FILE" ? (file.hasPrefix("/") ? file : "./\(file)") : $0 == "FILE" ? file : $0
      }, in: folder.url)
  }

  @Test("a missing file to be judged was refused: 1", arguments: judged)
  func missing(words: [String]) throws {
    let result = try run(words, "nowhere.jsonl")
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.errors.contains("nowhere.jsonl"), "\(result.errors)")
  }

  @Test("an empty folder in place of a file to be judged was refused: 1", arguments: judged.prefix(6))
  func emptyFolder(words: [String]) throws {
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("nothing"), withIntermediateDirectories: true)
    let result = try run(words, "nothing")
    #expect(result.status == 1, "\(result.errors)")
    #expect(result.errors.contains("nothing: "), "\(result.errors)")
  }

  @Test("another file that is missing, or a folder, is a wrong command line: 2", arguments: named)
  func other(words: [String]) throws {
    try FileManager.default.createDirectory(
      at: folder.url.appendingPathComponent("a-folder"), withIntermediateDirectories: true)
    for file in ["nowhere.csv", "a-folder"] {
      let result = try run(words, file)
      #expect(result.status == 2, "\(file): \(result.status) \(result.errors)")
      #expect(result.errors.contains(file), "\(file): \(result.errors)")
    }
  }

  @Test("a file that cannot be written is the disk's: 3, by the name that was given", arguments: written)
  func unwritable(words: [String]) throws {
    let result = try run(words, "/nowhere/at/all.x")
    #expect(result.status == 3, "\(result.errors)")
    #expect(
      result.errors.contains("/nowhere/at/all.x:") && !result.errors.contains("making"), "\(result.errors)")
  }

  @Test("a report's folder that cannot be made is told by the name that was given")
  func unwritableFolder() throws {
    let result = try run(["report", "nightly", "--out", "/proc/nowhere", "--db", "DB"], "")
    #expect(result.status == 3 && result.errors.contains("/proc/nowhere:"), "\(result.errors)")
    #expect(!result.errors.contains("making"))
  }

  @Test("a key file says that it is empty or short, and how to make one")
  func keys() throws {
    for (content, said) in [("", "is empty"), ("short", "holds 5 bytes")] {
      let key = try folder.file("callqa.key", content)
      let result = try run(
        ["import", Self.call, "--pseudonymize", "--key-file", "FILE", "--db", "new.sqlite"], key)
      #expect(result.status == 2)
      #expect(
        result.errors.contains("\(key): \(said)") && result.errors.contains("openssl rand -hex 32"),
        "\(result.errors)")
    }
  }

  @Test("a format that was insisted on against the content is named, with the one that it is")
  func insisted() throws {
    let file = Self.call + "/callee.stats.jsonl.gz"
    let result = try Tool.run("show", file, "--as", "pcap")
    #expect(result.status == 1)
    #expect(
      result.errors.contains("read as pcap because of --as")
        && result.errors.contains("by its content it is getstats-lines: leave --as away"), "\(result.errors)")
  }

  @Test("a name that is no UTF-8 is one that every command finds")
  func foreignNames() throws {
    func file(_ name: [UInt8], _ content: Data) throws {
      let path = Array(folder.url.path.utf8) + [UInt8(ascii: "/")] + name + [0]
      let handle = path.withUnsafeBufferPointer { bytes in
        bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { fopen($0, "w") } }
      }
      let stream = try #require(handle)
      content.withUnsafeBytes { _ = fwrite($0.baseAddress, 1, $0.count, stream) }
      fclose(stream)
    }
    try file([0x61, 0xFF, 0x2E, 0x63, 0x73, 0x76], Data("call_id,queue\nbad-call,sales\n".utf8))
    // A word comes to the program as the shell has it.
    func shell(_ line: String) throws -> (status: Int32, text: String) {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", line + " 2>&1"]
      process.currentDirectoryURL = folder.url
      process.environment = [
        "CALLQA_HOME": Tool.root.path, "CALLQA": Tool.path.path, "PATH": "/usr/bin:/bin",
      ]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return (process.terminationStatus, output)
    }
    let attributes = try shell("$CALLQA attributes a*.csv --db x.sqlite")
    #expect(attributes.status == 0, "\(attributes.text)")
    let packets = try shell("$CALLQA packets a*.csv")
    #expect(packets.status == 1 && packets.text.contains("no capture"), "\(packets.text)")
  }

  @Test("what is no CSV is told by its line")
  func noCSV() throws {
    let file = try folder.file("a.csv", "call_id,queue\nx,\"y\"z\n")
    let result = try run(["attributes", "FILE", "--db", "DB"], file)
    #expect(result.status == 2 && result.errors.contains("line 2 is not CSV"), "\(result.errors)")
  }
}
