import Foundation
import Testing

@Suite("What can have no answer is said")
struct UnanswerableTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Tool.run("import", Tool.sample("healthy-call"), "--run", "r", in: folder.url)
  }

  private func run(_ words: String...) throws -> Tool.Result { try Tool.run(words, in: folder.url) }

  @Test("a run is held against itself")
  func itself() throws {
    let words = "r is compared with itself: nothing can have changed"
    #expect(try run("compare", "r", "r").errors.contains(words))
    #expect(
      try run("report", "nightly", "--run", "r", "--baseline", "r", "--out", "n").errors.contains(words))
    #expect(try run("report", "nightly", "--run", "r", "--out", "n").errors == "")
  }

  @Test("a time ends before it begins", arguments: [["calls"], ["report", "nightly", "--out", "n"]])
  func backwards(_ command: [String]) throws {
    let result = try Tool.run(
      command + ["--since", "2026-11-22", "--until", "2026-11-21"], in: folder.url)
    #expect(result.status == 2 && result.errors.contains("--since is not before --until"), "\(result)")
  }

  @Test("no call is of an SDK: the nearest is named")
  func sdk() throws {
    let result = try run("calls", "--sdk", "W3C")
    #expect(result.status == 0 && result.errors.contains("no call is of the SDK 'W3C': the nearest is 'w3c'"))
    #expect(try run("calls", "--sdk", "w3c").errors == "")
  }

  @Test("clocks show a time twice: which one is meant is said")
  func twice() throws {
    let result = try run("calls", "--since", "2026-10-25T02:30", "--tz", "Europe/Berlin")
    #expect(result.status == 2 || result.errors.contains("--since 2026-10-25T02:30 comes twice"), "\(result)")
  }
}
