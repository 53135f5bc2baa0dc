import CallModel
import CallStore
import Importing
import Testing

@Suite("An import that is interrupted")
struct InterruptedImportTests {
  @Test("does not call a folder empty that it did not look into", arguments: [true, false])
  func folders(isInterrupted: Bool) throws {
    let folder = try TemporaryFolder()
    for name in ["a", "b"] { _ = try folder.file("\(name)/notes.txt", "no call") }
    let paths = ["a", "b"].map { folder.url.appendingPathComponent($0).path }
    let importer = Importer(
      store: try Store(path: "memory", access: .memory), request: ImportRequest(paths: paths),
      isInterrupted: { isInterrupted })
    var problems: [String] = []
    try importer.run().forEachProblem { problems.append($0.path) }
    #expect(problems == (isInterrupted ? [] : paths))
  }

  @Test("a run of which no call is judged ends with 5, as one without calls does, and says what to do")
  func unjudged() throws {
    let folder = try TemporaryFolder()
    try {
      let store = try Store(path: folder.url.path + "/x.sqlite", access: .write)
      var header = SourceHeader(path: "a.jsonl", sha256: "a", format: .runLog, importedMs: 1_795_300_000_000)
      header.run = "late"
      try store.write(header) { writer in
        var facts = ConnectionFacts()
        (facts.name, facts.sdk) = ("caller", "w3c")
        try writer.connection(0, facts)
        try writer.event(EventRecord(timeMs: 1_795_290_000_000, event: .callFailed, raw: "failed"), of: 0)
        return .imported
      }
    }()
    let report = try Tool.run("report", "nightly", "--db", "x.sqlite", "--out", "n", in: folder.url)
    #expect(report.status == 5)
    #expect(report.lines.first == "NOT SURE: 1 of 1 SDK cannot be decided")
    #expect(report.errors.components(separatedBy: "1 call of late; run the import again").count == 2)
  }
}
