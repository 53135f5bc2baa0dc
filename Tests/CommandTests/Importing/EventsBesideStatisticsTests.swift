import Foundation
import Testing

@Suite("Events of a log belong to the statistics of the same connection")
struct EventsBesideStatisticsTests {
  private static let start = 1_795_226_400_000

  /// The lines of a setup, told shortly before the first poll.
  private func setup(_ members: String, atSecond from: Double = 0) -> [String] {
    let steps = [
      ("create", "", 0), ("createOffer", "", 0), ("signalingstatechange", "have-local-offer", 0.1),
      ("iceconnectionstatechange", "checking", 0.2), ("iceconnectionstatechange", "connected", 0.3),
      ("connectionstatechange", "connected", 0.4),
    ]
    return steps.map { event, value, second in
      let ms = Self.start + Int((from + second) * 1000)
      return "{\"timestamp\":\(ms),\"event\":\"\(event)\",\"value\":\"\(value)\"\(members)}"
    }
  }

  /// Ten polls of one stream.
  private func polls(_ members: String, atSecond from: Double, ssrc: Int) -> [String] {
    (0..<10).map { poll in
      let ms = Self.start + Int((from + Double(poll)) * 1000)
      let stream =
        "{\"id\":\"I\(ssrc)\",\"type\":\"inbound-rtp\",\"timestamp\":\(ms),\"kind\":\"audio\",\"ssrc\":\(ssrc),"
        + "\"packetsReceived\":\(50 * (poll + 1)),\"packetsLost\":0,\"totalSamplesReceived\":\(48_000 * (poll + 1)),"
        + "\"concealedSamples\":0}"
      let path =
        "{\"id\":\"T\(ssrc)\",\"type\":\"candidate-pair\",\"timestamp\":\(ms),\"state\":\"succeeded\",\"nominated\":true,"
        + "\"localCandidateId\":\"L\(ssrc)\",\"bytesReceived\":\(6000 * (poll + 1))}"
      return "{\"timestamp\":\(ms),\"stats\":[\(stream),\(path)]\(members)}"
    }
  }

  /// Setup and score of each call that a log is, in order.
  private func calls(_ lines: [String]) throws -> [String] {
    let folder = try TemporaryFolder()
    let file = try folder.file("app.jsonl", lines.joined(separator: "\n"))
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", file, "--db", database)
    let rows = try Tool.run(
      "query", "SELECT setup_ms, score_mean FROM calls ORDER BY started_ms", "--db", database, "--json")
    return try rows.objects().map { row in
      (row["setup_ms"] is Double ? "setup" : "-") + (row["score_mean"] is Double ? " score" : " -")
    }
  }

  @Test(
    "told before the first poll, whatever the connection is called, or by no name where there is one",
    arguments: ["", "pc", "pcId", "peerConnectionId", "connectionId", "connection_id", "peerId"])
  func before(name: String) throws {
    let member = name.isEmpty ? "" : ",\"\(name)\":\"one\""
    let log = setup(member) + polls(member, atSecond: 1.2, ssrc: 7_654_321)
    #expect(try calls(log) == ["setup score"], "\(name)")
    let owned = polls(member + ",\"userId\":\"alice\"", atSecond: 1.2, ssrc: 7_654_321)
    #expect(try calls(setup(member) + owned) == ["setup score"], "\(name)")
  }

  @Test("two connections polled at a time are of one client and one call, whether or not its events name one")
  func two() throws {
    let first = polls(",\"pcId\":\"one\"", atSecond: 1.2, ssrc: 7_654_321)
    let second = polls(",\"pcId\":\"two\"", atSecond: 1.3, ssrc: 8_765_432)
    #expect(try calls(setup(",\"pcId\":\"two\"") + first + second) == ["setup score"])
    #expect(try calls(setup("") + first + second) == ["setup score"])
  }

  @Test("calls that follow one another each have their own; what was reported long before is another's")
  func following() throws {
    let log = [0.0, 100.0].flatMap { from in
      setup("", atSecond: from) + polls("", atSecond: from + 1, ssrc: 7_654_321 + Int(from))
    }
    #expect(try calls(log) == ["setup score", "setup score"])
    let late = setup("") + polls("", atSecond: 600, ssrc: 7_654_321)
    #expect(try calls(late) == ["setup -", "- score"])
  }
}
