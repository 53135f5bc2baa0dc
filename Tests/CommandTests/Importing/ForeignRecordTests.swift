import Foundation
import Testing

@Suite("What an application puts among the reports of a poll takes nothing away from them")
struct ForeignRecordTests {
  private static func report(_ second: Int) -> String {
    let (time, packets) = (1_758_614_186_000 + 1000 * second, 50 * (second + 1))
    return
      #"{"id":"IT1","type":"inbound-rtp","timestamp":\#(time),"ssrc":1,"kind":"audio","packetsReceived":\#(packets),"packetsLost":0,"jitter":0.001,"bytesReceived":\#(100 * packets)}"#
  }

  private func imported(_ name: String, _ text: String) throws -> (file: [String: Any], findings: [String]) {
    let folder = try TemporaryFolder()
    let file = try folder.file(name, text)
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let found = try #require(try Tool.run("import", file, "--json", "--db", database).objects().first)
    let findings = try Tool.run("findings", "--json", "--db", database).objects()
    return (found, findings.compactMap { $0["code"] as? String })
  }

  @Test(
    "a record without a type, or of a type of its own, is left out with a note, and the file is complete",
    arguments: [
      #"{"id":"Scores","audio":4.3,"video":4.1}"#, #"{"note":"x"}"#, #"{"type":"scores","value":1}"#,
    ])
  func complete(record: String) throws {
    let polls: [String] = (0..<4).map { "[" + Self.report($0) + "," + record + "]" }
    let flat: [String] = (0..<4).map { Self.report($0) + "," + record }
    let files: [String: String] = [
      "stats.json": "[" + polls.joined(separator: ",") + "]", "stats.jsonl": polls.joined(separator: "\n"),
      "flat.json": "[" + flat.joined(separator: ",") + "]",
    ]
    for (name, text) in files {
      let (file, findings) = try imported(name, text)
      #expect(file["status"] as? String == "imported", "\(name): \(file)")
      #expect("\(file["notes"] ?? "")".contains("a record of another kind among the reports, left out"))
      #expect(!findings.contains("truncated"))
    }
  }

  @Test("a poll that is not read, and a stream's figures without a type, are still counted as not taken")
  func notTaken() throws {
    let polls: [String] = (0..<4).map { "[" + Self.report($0) + "]" }
    let unread = polls + [#"{"error":"no statistics"}"#]
    let untyped = polls + ["[" + Self.report(4) + #",{"ssrc":7,"packetsReceived":9}]"#]
    for lists in [unread, untyped] {
      let file = try imported("a.json", "[" + lists.joined(separator: ",") + "]").file
      #expect(file["status"] as? String == "partial", "\(file)")
    }
  }
}
