import Foundation
import Testing

@Suite("Statistics and events of one log are both read, whatever the lines are wrapped in")
struct WrappedLogTests {
  private static let start = 1_795_226_400_000

  // Three events and three polls of one connection, as an application logs them in turn.
  private static let lines: [(ms: Int, json: String)] = (0..<3).flatMap { second in
    let ms = start + second * 1000
    let report =
      "{\"id\":\"I1\",\"type\":\"inbound-rtp\",\"timestamp\":\(ms),\"kind\":\"audio\",\"ssrc\":7,"
      + "\"packetsReceived\":\(second * 50),\"bytesReceived\":\(second * 5000)}"
    let event = ["create", "getUserMediaSuccess", "hangup"][second]
    return [
      (ms, "{\"t\":\(ms),\"pc\":\"caller\",\"event\":\"\(event)\",\"args\":{}}"),
      (ms, "{\"ts\":\(ms),\"pc\":\"caller\",\"report\":{\"I1\":\(report)}}"),
    ]
  }

  @Test("a poll that its application calls an event is a poll, also behind an event")
  func pollsAsEvents() throws {
    let folder = try TemporaryFolder()
    let lines = Self.lines.map { line in
      guard line.json.contains("report"), let reports = line.json.firstRange(of: "{\"I1\"") else {
        return line.json
      }
      return "{\"event\":\"stats\",\"timestamp\":\(line.ms),\"connectionId\":\"caller\",\"rawStats\":"
        + line.json[reports.lowerBound...]
    }
    let file = try folder.file("a.jsonl", lines.joined(separator: "\n"))
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let found = try #require(try Tool.run("import", file, "--db", database, "--json").objects().first)
    #expect(found["samples"] as? Int == 3, "\(found)")
  }
}
