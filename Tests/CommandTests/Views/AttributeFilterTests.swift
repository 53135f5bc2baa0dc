import Foundation
import Testing

@Suite("Attributes and labels are named in one way, in lists and comparisons")
struct AttributeFilterTests {
  private let folder: TemporaryFolder
  private let database: String

  /// Two runs of two calls: trunk t7 is a label of the runs, carrier acme an attribute of c1 and c3.
  init() throws {
    folder = try TemporaryFolder()
    database = folder.url.appendingPathComponent("x.sqlite").path
    let carriers = try folder.file("carriers.csv", "id,carrier\nc1,acme\nc3,acme\n")
    for (run, ids) in [("r1", ["c1", "c2"]), ("r2", ["c3", "c4"])] {
      let logs = try ids.map { id in
        try folder.file(
          "\(run)/\(id).jsonl",
          #"{"ts":1758614185000,"event":"call.ringing","call":"\#(id)"}"# + "\n"
            + #"{"ts":1758614186000,"event":"call.ended","call":"\#(id)"}"# + "\n")
      }
      let words =
        ["import"] + logs + ["--run", run, "--label", "trunk=t7", "--attributes", carriers, "--db", database]
      try #require(try Tool.run(words).status == 0)
    }
  }

  private func calls(_ trait: String) throws -> [String] {
    try Tool.run("calls", "--run", "all", "--trait", trait, "--json", "--db", database).objects()
      .compactMap { $0["call_id"] as? String }.sorted()
  }

  @Test("a label and an attribute are listed by the name alone, and by that of a comparison")
  func listed() throws {
    for trait in ["trunk=t7", "label trunk=t7", "Trunk=T7"] {
      #expect(try calls(trait) == ["c1", "c2", "c3", "c4"], "\(trait)")
    }
    for trait in ["carrier=acme", "label carrier=acme"] {
      #expect(try calls(trait) == ["c1", "c3"], "\(trait)")
    }
    #expect(try calls("trunk=t8").isEmpty)
  }

  @Test("a comparison is divided by either, and by no name that no call has")
  func divided() throws {
    func divided(by trait: String) throws -> Set<String> {
      let rows = try Tool.run("compare", "r1", "r2", "--by", trait, "--json", "--db", database).objects()
      return Set(rows.compactMap { $0["sdk"] as? String })
    }
    #expect(try divided(by: "trunk") == ["t7"])
    #expect(try divided(by: "label trunk") == ["t7"])
    #expect(try divided(by: "carrier") == ["acme", "unknown"])
    let mistyped = try Tool.run("compare", "r1", "r2", "--by", "carier", "--db", database)
    #expect(
      mistyped.status == 2 && mistyped.errors.contains("the nearest is 'carrier'"), "\(mistyped.errors)")
  }
}
