import Foundation
import Testing

/// What two queries tell of one thing is the same, for SQL has no place to say it once.
@Suite("Queries that tell the same thing agree")
struct AgreeingQueriesTests {
  private let folder: TemporaryFolder
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder.url.appendingPathComponent("x.sqlite").path
    // Broken, unknown and of no call, in a folder of calls.
    let packed = Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3])
    try packed.write(to: folder.url.appendingPathComponent("broken.jsonl.gz"))
    _ = try folder.file("empty.pcap", "")
    _ = try folder.file("notes.jsonl", "hello\n")
    _ = try folder.file("more.jsonl", "{\"nothing\": 1}\n")
    _ = try folder.file("README.txt", "about these calls\n")
    try Tool.run(
      "import", Tool.root.path + "/samples", folder.url.path, "--run", "n1", "--db", database, "--quiet")
  }

  private func rows(_ query: String, _ parameters: String...) throws -> [[String: Any]] {
    let words = ["query", query, "--db", database, "--json"] + parameters.flatMap { ["--param", $0] }
    let result = try Tool.run(words)
    #expect(result.status == 0, "\(result.errors)")
    return try result.objects()
  }

  @Test("the traits of a comparison are those that lists filter by")
  func traits() throws {
    let names = [
      "video_codec", "audio_codec", "candidate_type", "network_type", "relay_protocol", "relay",
      "far_network",
      "user_agent", "os",
    ]
    func values(_ rows: [[String: Any]]) -> [Int: [String]] {
      Dictionary(
        uniqueKeysWithValues: rows.compactMap { row in
          (row["call_key"] as? Int).map { ($0, names.map { row[$0] as? String ?? "-" }) }
        })
    }
    let compared = values(try rows("compared-calls"))
    let listed = values(try rows("SELECT call_key, \(names.joined(separator: ", ")) FROM attributed_calls"))
    #expect(compared == listed)
    for name in ["video_codec", "candidate_type", "far_network"] {
      let place = try #require(names.firstIndex(of: name))
      #expect(compared.values.contains { $0[place] != "-" }, "no call has a \(name)")
    }
  }

  @Test("the counts above the fold are those of the list of problems", arguments: [nil, "run=n1", "since=0"])
  func problems(scope: String?) throws {
    let given = scope.map { [$0] } ?? []
    let health = try #require(
      try Tool.run(
        ["query", Tool.root.path + "/reports/nightly/health.sql", "--db", database, "--json"]
          + given.flatMap { ["--param", $0] }
      ).objects().first)
    let list = try Tool.run(
      ["query", "data-health", "--db", database, "--json"] + given.flatMap { ["--param", $0] }
    ).objects()
    func count(_ problems: String..., places: Bool = false) -> Int {
      list.filter { problems.contains($0["trouble"] as? String ?? "") }
        .reduce(0) { $0 + (places ? 1 : $1["count"] as? Int ?? 0) }
    }
    #expect(health["refused_files"] as? Int == count("refused"))
    #expect(health["truncated_files"] as? Int == count("partial", "truncated"))
    #expect(health["skipped_files"] as? Int == count("skipped"))
    #expect(health["guesses"] as? Int == count("guessed", places: true))
    #expect(health["rejected_records"] as? Int == count("rejected"))
    #expect(health["skewed_files"] as? Int == count("skewed"))
    #expect(count("refused") + count("skipped") > 0 && count("guessed") > 0, "\(list)")
  }

  @Test("a limit of places a problem keeps all counts, and names so many")
  func most() throws {
    let all = try rows("data-health")
    let cut = try rows("data-health", "most=1")
    func counts(_ rows: [[String: Any]]) -> [String: Int] {
      rows.reduce(into: [:]) { sums, row in
        sums["\(row["trouble"] ?? "") \(row["detail"] ?? "")", default: 0] += row["count"] as? Int ?? 0
      }
    }
    #expect(counts(all) == counts(cut))
    #expect(cut.count < all.count)
    #expect(cut.contains { ($0["place"] as? String)?.hasPrefix("and ") == true })
  }
}
