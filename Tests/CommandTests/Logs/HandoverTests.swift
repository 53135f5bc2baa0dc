import Foundation
import Testing

@Suite("A call on two devices, one after the other")
struct HandoverTests {
  /// A line of a run log, at a moment of its call.
  private func line(_ ms: Int, _ end: String, _ event: String, _ args: String) -> String {
    #"{"ts":\#(1_795_168_800_000 + ms),"sdk":"oracle-wsc","endpoint":"\#(end)","event":"\#(event)","args":{\#(args)}}"#
      + "\n"
  }

  private func calls(_ files: [String: String]) throws -> [[String: Any]] {
    let folder = try TemporaryFolder()
    let paths = try files.sorted { $0.key < $1.key }.map { try folder.file($0.key, $0.value) }
    let database = folder.url.appendingPathComponent("x.sqlite").path
    #expect(try Tool.run(["import"] + paths + ["--db", database]).status == 0)
    return try Tool.run("calls", "--db", database, "--json").objects()
  }

  @Test(
    "a call that is handed over to another device lasts from its answer on the first to its end on the other")
  func handedOver() throws {
    let call = #""subSessionId":"c8a""#
    let phone =
      line(5100, "phone", "WSC_CS_STARTED", call) + line(5800, "phone", "WSC_CS_RESPONDED", call)
      + line(9000, "phone", "WSC_CS_ESTABLISHED", call) + line(30000, "phone", "suspend", call)
    let laptop =
      line(31900, "laptop", "callResurrected", call)
      + line(32500, "laptop", "WSCCallUpdateEventAccepted", call)
      + line(60000, "laptop", "WSC_CS_ENDED", call)
    let both = try calls(["phone.jsonl": phone, "laptop.jsonl": laptop])
    #expect(both.map { $0["outcome"] as? String } == ["completed"])
    #expect(both.map { $0["duration_ms"] as? Double } == [51_000])
    let alone = try calls(["laptop.jsonl": laptop])
    #expect(alone.map { $0["outcome"] as? String } == ["completed"])
    #expect(alone.map { $0["duration_ms"] as? Double } == [28_100])
  }
}
