import CallModel
import SharedRecordings
import Testing

@Suite(
  "Findings on recorded calls",
  .enabled(if: SharedRecordings.areThere, Comment(rawValue: SharedRecordings.reason)))
struct RecordedFindingTests {
  @Test("A clean call has nothing to report", arguments: Recordings.cleanEnds)
  func clean(end: String) throws {
    #expect(try RecordedEnd(end).findings().map(\.name) == [])
  }

  @Test(
    "What was done to the network is found, and nothing else",
    arguments: [
      ("t25-fail-blackhole", ["ice-never-connected"]), ("t26-slow-setup", []),
      ("t14-cap300", ["bandwidth-starved"]),
      ("t20-sched-cap200", ["video-paused", "bandwidth-starved", "sound-held-back"]),
      ("t21-outage8", ["video-paused"]), ("t08-delay100", []), ("t03-loss8", []),
      ("t32-audio-burst10x15", []),
    ])
  func network(call: String, codes: [String]) throws {
    let isLossy = ["t20-sched-cap200", "t03-loss8", "t32-audio-burst10x15"].contains(call)
    for end in ["caller", "callee"] {
      let found = try RecordedEnd("\(call)/\(end)").findings().map(\.name)
      #expect(found.filter { $0 != "remote-loss" } == codes, "\(end)")
      #expect(found.contains("remote-loss") == isLossy, "\(end)")
    }
  }
}
