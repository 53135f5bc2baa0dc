import Foundation
import Testing

/// What a client says of its own quality is a figure of its own: listed, looked for and judged by, and never a score of ours.
@Suite("Quality that clients report")
struct ReportedQualityTests {
  /// A log of calls in an SDK that reports its own quality, each with one value.
  private func log(_ values: [Int]) -> String {
    values.enumerated().map { index, value in
      let start = 1_795_600_000_000 + 600_000 * index
      func line(_ seconds: Int, _ event: String, _ args: String = "{}") -> String {
        #"{"ts":\#(start + 1000 * seconds),"call":"c\#(index)","sdk":"acme","event":"\#(event)","args":\#(args)}"#
      }
      return [
        line(0, "call.dialing"), line(2, "call.established"),
        line(5, "media.quality-reported", #"{"score":\#(value)}"#),
        line(25, "media.quality-reported", #"{"score":\#(value)}"#), line(60, "call.ended"),
      ].joined(separator: "\n")
    }.joined(separator: "\n") + "\n"
  }

  @Test("the worst calls are found by it where there is no score")
  func worst() throws {
    let place = try TemporaryFolder()
    let database = place.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", try place.file("a.jsonl", log([90, 20, 70])), "--db", database, "--run", "a")
    let all = try Tool.run("calls", "--json", "--db", database).objects()
    try #require(all.contains { ($0["reported"] as? [String: Any])?["mean"] is Double }, "\(all)")
    let worst = try Tool.run("calls", "--worst", "2", "--json", "--db", database).objects()
    #expect(worst.compactMap { $0["call_id"] as? String } == ["c1", "c2"])
  }

  @Test("a gate on it blocks where it fell, and the trend has it")
  func gate() throws {
    let place = try TemporaryFolder()
    let database = place.url.appendingPathComponent("x.sqlite").path
    let good = (0..<30).map { 85 + $0 % 5 }
    let bad = (0..<30).map { 35 + $0 % 5 }
    try Tool.run("import", try place.file("a.jsonl", log(good)), "--db", database, "--run", "a")
    try Tool.run("import", try place.file("b.jsonl", log(bad)), "--db", database, "--run", "b")
    let gate = try place.file("g.gate", "reported.mean >= baseline - 5\n")
    let same = try Tool.run("compare", "a", "a", "--gate", gate, "--db", database)
    #expect(same.status == 0, "\(same.output) \(same.errors)")
    let fell = try Tool.run("compare", "a", "b", "--gate", gate, "--db", database)
    #expect(fell.status == 4, "\(fell.output) \(fell.errors)")
    let trend = try Tool.run("query", "trend", "--db", database, "--json").objects()
    #expect(
      trend.compactMap { $0["reported_mean"] as? Double }.sorted().first.map { $0 < 50 } == true, "\(trend)")
  }
}
