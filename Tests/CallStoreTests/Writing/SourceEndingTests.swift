import CallModel
import Testing

@testable import CallStore

@Suite("Suffixes of file names")
struct SourceEndingTests {
  @Test(
    "stands in its row, without what packed it and in small letters",
    arguments: [
      ("a/caller.stats.JSONL.gz", "jsonl"), ("x.pcap.zst", "pcap"), ("x.br", nil), ("a.b/README", nil),
      ("x.", nil),
      ("dump.json", "json"), (".gz", nil),
    ] as [(String, String?)])
  func ending(path: String, expected: String?) throws {
    let store = try Store.inMemory()
    try store.write(.named(path)) { _ in .imported }
    #expect(try store.value("SELECT ending FROM sources").string == expected)
  }
}
