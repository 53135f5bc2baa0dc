import Foundation
import Testing

@Suite(
  "The recorded calls come out exactly",
  .enabled(if: Recordings.areHere, "the recorded calls are not beside this checkout"))
struct RecordedCallsTests {
  /// Everything imported once, for all tests of the suite.
  private static let imported = Result { () throws -> (folder: TemporaryFolder, database: String) in
    let folder = try TemporaryFolder()
    folder.removeAtExit()
    let inputs = folder.url.appendingPathComponent("calls")
    for name in Recordings.names {
      let target = inputs.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
      for file in ["caller.stats", "callee.stats", "caller.events", "callee.events"] {
        let source = Recordings.calls.appendingPathComponent("\(name)/\(file).jsonl.gz")
        try FileManager.default.copyItem(at: source, to: target.appendingPathComponent("\(file).jsonl.gz"))
      }
    }
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", inputs.path, "--db", database)
    return (folder, database)
  }

  private func rows(_ words: String...) throws -> [[String: Any]] {
    try Tool.run(words + ["--db", try Self.imported.get().database, "--json"]).objects()
  }

  @Test("one call a folder, two ends each")
  func callsAndEnds() throws {
    let calls = try rows("calls")
    #expect(calls.compactMap { $0["call_id"] as? String }.sorted() == Recordings.names)
    let setups = try rows("setup")
    for name in Recordings.names {
      let ends = setups.filter { $0["call_id"] as? String == name }.compactMap { $0["endpoint"] as? String }
      #expect(ends.sorted() == ["callee", "caller"], "\(name): \(ends)")
    }
  }

  @Test(
    "each window that packets judge otherwise than the statistics has a row with the causes in the call's text",
    arguments: ["t17-combo-l8d100j40/callee", "t31-audio-cap50/callee", "t27-audio-clean/caller"])
  func differences(end: String) throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let files = [".stats.jsonl.gz", ".pcap.gz"].map { Recordings.calls.path + "/" + end + $0 }
    try Tool.run(["import"] + files + ["--db", database])
    let query = """
      SELECT s.score, c.score AS wire, c.lost_resolution FROM windows AS s
      JOIN windows AS c USING (endpoint_key, model, window_index)
      WHERE s.source = 'stats' AND c.source = 'capture' AND s.state = 'active' AND abs(s.score - c.score) > 5
      """
    let windows = try Tool.run(["query", query, "--db", database, "--json"]).objects()
    let call = try Tool.run(["call", "last", "--wire", "--db", database]).output
    let text = call.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(text.contains("their clocks are"))
    #expect(end.contains("clean") == windows.isEmpty)
    for window in windows {
      let (score, wire) = (window["score"] as? Int ?? -1, window["wire"] as? Int ?? -1)
      #expect(
        text.contains(try Regex(":[0-9]{2} \(score) \(wire) [a-z]+ [a-z ]*[+-][0-9]")), "\(score), \(wire)")
    }
  }

  @Test("packets, lost, bytes, concealed samples and freezes are the last counters in the dump")
  func lastCounters() throws {
    let streams = try rows("streams")
    let members = [
      "inbound": [
        ("packets", "packetsReceived"), ("bytes", "bytesReceived"), ("lost", "packetsLost"),
        ("concealed_samples", "concealedSamples"), ("silent_concealed_samples", "silentConcealedSamples"),
        ("total_samples", "totalSamplesReceived"), ("freeze_count", "freezeCount"),
        ("rtx", "retransmittedPacketsReceived"), ("nack", "nackCount"),
      ],
      "outbound": [("packets", "packetsSent"), ("bytes", "bytesSent")],
    ]
    var compared = 0
    for name in Recordings.names {
      for end in ["caller", "callee"] {
        let file = Recordings.calls.appendingPathComponent("\(name)/\(end).stats.jsonl.gz")
        for (key, report) in try Recordings.lastReports(file) {
          let parts = key.split(separator: " ").map(String.init)
          let stream = try #require(
            streams.first {
              $0["call_id"] as? String == name && $0["endpoint"] as? String == end
                && $0["direction"] as? String == parts[0] && $0["ssrc"] as? Int == Int(parts[1])
            }, "\(name) \(end) \(key)")
          for (column, member) in members[parts[0]] ?? [] {
            #expect(stream[column] as? Double == report[member] as? Double, "\(name) \(end) \(key) \(member)")
            compared += 1
          }
        }
      }
    }
    #expect(compared > 1000)
  }

  @Test(
    "a clean call loses nothing but to coding, and has no finding",
    arguments: ["t00-clean", "t22-h264-clean", "t27-audio-clean", "t34-clean-again"]
  )
  func clean(name: String) throws {
    let windows = try rows("score", name)
    #expect(windows.count >= 12)
    for window in windows {
      let lost = try #require(window["points_lost"] as? [String: Int])
      let network = ["loss", "jitter", "delay", "freeze"].reduce(0) { $0 + (lost[$1] ?? 0) }
      #expect(network <= 3 && window["score"] as? Int ?? 0 >= 80, "\(lost)")
    }
    #expect(try rows("findings", name).isEmpty)
  }

  @Test("points lost are whole and add up to what the score lacks")
  func attribution() throws {
    for window in try rows("score") {
      guard let score = window["score"] as? Int else { continue }
      let points = try #require(window["points_lost"] as? [String: Int])
      #expect(points.values.reduce(0, +) == 100 - score)
    }
  }

  @Test("slow setup names ICE and DTLS; a blackhole fails at ICE and the rest never happened")
  func setups() throws {
    let slow = try #require(
      try rows("setup", "t26-slow-setup").first { $0["endpoint"] as? String == "caller" })
    let phases = try #require(slow["phases"] as? [[String: Any]])
    let took = Dictionary(
      uniqueKeysWithValues: phases.map {
        ($0["phase"] as? String ?? "", $0["duration_ms"] as? Double ?? .nan)
      })
    #expect(abs((took["ice"] ?? 0) - 1201) < 1.5)
    #expect(abs((took["dtls"] ?? 0) - 2405) < 1.5)
    let failed = try #require(
      try rows("setup", "t25-fail-blackhole").first { $0["endpoint"] as? String == "caller" })
    #expect(failed["outcome"] as? String == "failed")
    for phase in try #require(failed["phases"] as? [[String: Any]]) {
      if ["dtls", "first-packet", "first-frame", "first-audio"].contains(phase["phase"] as? String) {
        #expect(phase["state"] as? String == "absent", "\(phase)")
      }
    }
  }
}
