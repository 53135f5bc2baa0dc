import Foundation
import Testing

@Suite("Times within one call")
struct RowTimesTests {
  private let folder: TemporaryFolder
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder.url.appendingPathComponent("call.sqlite").path
    try #require(
      try Tool.run("import", Tool.sample("bad-call"), "--db", database).status
        == 0)
  }

  private func rows(_ list: String, _ options: [String]) throws -> [[String: Any]] {
    try Tool.run([list, "last", "--db", database, "--json", "--tz", "UTC"] + options).objects()
  }

  @Test("of one call, --since and --until choose windows, by the clock or by the time into the call")
  func windows() throws {
    let all = try rows("score", [])
    let starts = all.compactMap { $0["start_ms"] as? Double }.sorted()
    let (first, last) = (try #require(starts.first), try #require(starts.last))
    #expect(last - first > 30_000)
    let from = starts[starts.count / 2]
    let clock = ISO8601DateFormatter.string(
      from: Date(timeIntervalSince1970: (from / 1000).rounded()), timeZone: .gmt,
      formatOptions: [.withTime, .withColonSeparatorInTime])
    for words in [["--since", clock], ["--since", "+0:20", "--until", "+0:30"], ["--until", "20s"]] {
      let some = try rows("score", words)
      #expect(!some.isEmpty && some.count < all.count, "\(words): \(some.count) of \(all.count)")
      #expect(try rows("score", words + ["--model", "callqa-4"]).count == some.count)
    }
    for window in try rows("score", ["--since", clock]) {
      #expect(try #require(window["end_ms"] as? Double) > (from / 1000).rounded() * 1000)
    }
  }

  @Test(
    "events, findings and streams are chosen in the same way", arguments: ["events", "findings", "streams"])
  func others(_ list: String) throws {
    let all = try rows(list, [])
    #expect(try rows(list, ["--since", "+0:00"]).count <= all.count)
    #expect(try rows(list, ["--since", "+9:00:00"]).isEmpty)
    #expect(!(try rows(list, ["--until", "+9:00:00"]).isEmpty))
  }

  @Test("an end before the beginning is refused")
  func reversed() throws {
    let shown = try Tool.run("events", "last", "--db", database, "--since", "+0:30", "--until", "+0:10")
    #expect(shown.status == 2 && shown.errors.contains("--since is not before --until"), "\(shown.errors)")
  }
}
