import Foundation
import Testing

@Suite("Filters of lists")
struct FilterTests {
  private let folder: TemporaryFolder
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder.url.appendingPathComponent("fleet.sqlite").path
    try #require(
      try Tool.run("simulate", "--db", database, "--nights", "2", "--calls", "400", "--seed", "5").status == 0
    )
  }

  private func calls(_ options: String...) throws -> Tool.Result {
    try Tool.run(["calls", "--db", database, "--json"] + options)
  }

  @Test(
    "a value that no call has leaves the list empty, and the nearest is named",
    arguments: [
      ("--sdk", "pexipp", "pexip"), ("--codec", "H265", "H264"), ("--scenario", "claen", "clean"),
      ("--network", "wfi", "wifi"), ("--trait", "video codec=H265", "H264"),
      ("--trait", "scenari=clean", "scenario"),
    ])
  func unknown(_ option: String, _ value: String, _ nearest: String) throws {
    let shown = try calls(option, value)
    #expect(shown.status == 0 && shown.lines.isEmpty, "\(shown.output)")
    #expect(shown.errors.contains("the nearest is '\(nearest)'"), "\(shown.errors)")
    #expect(try calls(option, value, "--quiet").errors.isEmpty)
  }

  @Test("a value that calls of another run have, and one in other letters, is no mistake")
  func known() throws {
    for words in [["--codec", "h264"], ["--scenario", "clean"], ["--trait", "video codec=H264"]] {
      let shown = try calls(words[0], words[1])
      #expect(!shown.lines.isEmpty && !shown.errors.contains("no call"), "\(shown.errors)")
    }
  }

  @Test("calls without a time come last")
  func withoutTime() throws {
    let rows = try calls().objects()
    let known = rows.map { $0["started_ms"] is Double || $0["started_ms"] is Int }
    #expect(known.first == true && known.last == false, "the fleet has calls that never came")
    #expect(known == known.sorted { $0 && !$1 })
  }

  @Test("a time without a date is of the run's calls, whenever that was, and it is said which")
  func clock() throws {
    func starts(_ result: Tool.Result) throws -> [Double] {
      try result.objects().compactMap { $0["started_ms"] as? Double }.sorted()
    }
    let all = try starts(calls())
    let middle = try #require(all.dropFirst(all.count / 2).first)
    let seconds = Int(middle / 1000) % 86400
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = "\(padded(seconds / 3600)):\(padded(seconds / 60 % 60)):\(padded(seconds % 60))"
    let second = (middle / 1000).rounded(.down) * 1000
    let since = try calls("--since", clock, "--tz", "UTC")
    #expect(try starts(since) == all.filter { $0 >= second })
    #expect(since.errors.contains("the last before the newest call"), "\(since.errors)")
    let until = try calls("--run", "last", "--until", clock, "--tz", "UTC")
    #expect(try starts(until) == all.filter { $0 < second })
    #expect(until.errors.contains("the first after the oldest call"), "\(until.errors)")
  }

  @Test("an option of another command is named as that, and none is suggested that looks like nothing of it")
  func otherOption() throws {
    for command in [["calls"], ["events"], ["find", "x"]] {
      let refused = try Tool.run(command + ["--at", "02:12", "--db", database])
      #expect(refused.status == 2 && !refused.errors.contains("--db'?"), "\(refused.errors)")
      #expect(refused.errors.contains("It belongs to `callqa show` and `callqa call`."), "\(refused.errors)")
    }
    #expect(try calls("--verdct", "poor").errors.contains("Did you mean '--verdict'?"))
  }
}
