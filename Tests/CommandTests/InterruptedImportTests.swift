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
    var troubles: [String] = []
    try importer.run().forEachTrouble { troubles.append($0.path) }
    #expect(troubles == (isInterrupted ? [] : paths))
  }
}
