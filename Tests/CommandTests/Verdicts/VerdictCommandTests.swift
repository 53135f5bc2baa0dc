import Foundation
import Testing

@Suite("The verdict in lists, marks, gates and the night")
struct VerdictCommandTests {
  private func withFleet(_ incidents: [String], _ body: (URL) throws -> Void) throws {
    let folder = try TemporaryFolder()
    let made = try Tool.run(
      ["simulate", "--db", "fleet.sqlite", "--nights", "2", "--calls", "5000", "--quiet-night"] + incidents,
      in: folder.url)
    #expect(made.status == 0, "\(made.errors)")
    try body(folder.url)
  }

  private func night(in folder: URL) throws -> Tool.Result {
    try Tool.run(
      "report", "nightly", "--db", "fleet.sqlite", "--out", "n", "--gate",
      Tool.root.path + "/reports/nightly/nightly.gate", in: folder, environment: ["PATH": "/nowhere"])
  }

  @Test(
    "a scenario gone silent fails the shipped gate, is named in the first line, and is what to open first")
  func silent() throws {
    try withFleet(["--silent", "clean=1"]) { folder in
      let made = try night(in: folder)
      #expect(made.status == 4, "\(made.output) \(made.errors)")
      let headline = try #require(made.lines.first)
      #expect(headline.hasPrefix("BLOCK: "))
      #expect(headline.contains("silent: 0 → ") && headline.contains("(one-way audio)"))
      let page = try String(contentsOfFile: folder.path + "/n/index.html", encoding: .utf8)
      #expect(page.contains("all of scenario clean"))
      let worst = try String(contentsOfFile: folder.path + "/n/csv/worst.csv", encoding: .utf8)
        .split(whereSeparator: \.isNewline)
      // It shares the front with the calls of the codec that got worse.
      let first = worst.dropFirst().prefix(5)
      #expect(first.contains { $0.contains(#""clean","silent""#) }, "\(worst.prefix(6))")
      let known = first.count { $0.contains(#","news "#) || $0.contains(#""news "#) }
      #expect(known >= 3, "\(worst.prefix(6))")
      let listed = try Tool.run(
        "calls", "--run", "last", "--verdict", "silent", "--db", "fleet.sqlite", "--json", in: folder
      ).objects()
      #expect(listed.count > 100)
      #expect(
        listed.allSatisfy { $0["scenario"] as? String == "clean" && $0["verdict"] as? String == "silent" })
    }
  }

  @Test("where an end sends nothing, as voicemail does, there is no alarm")
  func voicemail() throws {
    try withFleet(["--unsent", "clean=1"]) { folder in
      let made = try night(in: folder)
      #expect(made.status != 4, "\(made.output)")
      #expect(made.lines.first?.contains("→") == false, "\(made.output)")
      let words = ["calls", "--run", "last", "--db", "fleet.sqlite", "--json", "--verdict"]
      #expect(try Tool.run(words + ["not-sent"], in: folder).objects().count > 100)
      #expect(try Tool.run(words + ["silent"], in: folder).objects().isEmpty)
    }
  }

  @Test("a verdict of a person's own comes first, outlives a re-import, and is taken away")
  func mark() throws {
    let folder = try TemporaryFolder()
    func statistics(_ seconds: Int) -> String {
      (1...seconds).map { second in
        let time = 1_700_000_000_000 + second * 1000
        return
          #"{"ts":\#(time),"pc":"caller","report":{"in":{"id":"in","type":"inbound-rtp","kind":"audio","ssrc":77777777,"#
          + #""timestamp":\#(time),"packetsReceived":\#(second * 50),"packetsLost":0}}}"# + "\n"
      }.joined()
    }
    func take(_ seconds: Int) throws {
      let file = try folder.file("c1/caller.stats.jsonl", statistics(seconds))
      let made = try Tool.run("import", file, "--run", "r", in: folder.url)
      #expect(made.status == 0, "\(made.errors)")
    }
    try take(30)
    func verdicts(_ words: String...) throws -> [String?] {
      try Tool.run(["calls", "--json"] + words, in: folder.url).objects().map { $0["verdict"] as? String }
    }
    let judged = try verdicts()
    #expect(judged.count == 1 && judged != ["silent"])
    let marked = try Tool.run(
      "mark", "last", "--verdict", "silent", "--why", "the callee says so", in: folder.url)
    #expect(marked.status == 0, "\(marked.errors)")
    #expect(try verdicts("--verdict", "silent") == ["silent"])
    let shown = try Tool.run("call", "last", in: folder.url).output
    #expect(shown.contains("judged \(judged.first.flatMap { $0 } ?? "nothing")"), "\(shown)")
    #expect(try verdicts("--verdict", "good,fair", "--verdict", "poor").isEmpty)
    #expect(try verdicts("--broken") == ["silent"])
    // What a file has become takes its place, and the mark stays.
    try take(60)
    #expect(try verdicts() == ["silent"])
    try Tool.run("mark", "last", "--clear", in: folder.url)
    #expect(try verdicts("--verdict", "silent").isEmpty)
  }

  @Test(
    "a word that is none, a verdict without a reason and a reason without a verdict are refused",
    arguments: [
      ["mark", "last", "--verdict", "fine", "--why", "x"], ["mark", "last", "--verdict", "good"],
      ["mark", "last", "--why", "x"], ["calls", "--verdict", "good,fine"],
    ])
  func refused(words: [String]) throws {
    let folder = try TemporaryFolder()
    #expect(try Tool.run(words, in: folder.url).status == 2)
  }
}
