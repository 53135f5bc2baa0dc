import Foundation
import Testing

@Suite("Statistics and events of one label are cut into calls together")
struct CallsOfOneLabelTests {
  private static let start = 1_795_226_400_000

  /// A call in a log: polls each second, and the events around them.
  private func call(_ number: Int, atSecond from: Int, closes: Bool, hasEvents: Bool = true) -> String {
    func ms(_ second: Double) -> Int { Self.start + from * 1000 + Int(second * 1000) }
    var lines: [String] = []
    let fingerprint = Array(repeating: "A\(number)", count: 32).joined(separator: ":")
    if hasEvents {
      lines.append("{\"ts\":\(ms(0)),\"pc\":\"pc\",\"event\":\"create\",\"args\":{}}")
      lines.append(
        "{\"ts\":\(ms(0.1)),\"pc\":\"pc\",\"event\":\"createOfferOnSuccess\",\"args\":{\"type\":\"offer\","
          + "\"sdp\":\"v=0\\r\\na=fingerprint:sha-256 \(fingerprint)\\r\\n\"}}")
    }
    for second in 1...8 {
      let time = ms(Double(second))
      let stream =
        "{\"id\":\"I\(number)\",\"type\":\"inbound-rtp\",\"timestamp\":\(time),\"kind\":\"audio\",\"ssrc\":\(70_000 + number),"
        + "\"packetsReceived\":\(second * 50),\"packetsLost\":0,\"totalSamplesReceived\":\(second * 48000),\"concealedSamples\":0}"
      let pair =
        "{\"id\":\"CP\(number)\",\"type\":\"candidate-pair\",\"timestamp\":\(time),\"state\":\"succeeded\",\"nominated\":true}"
      let transport =
        "{\"id\":\"T1\",\"type\":\"transport\",\"timestamp\":\(time),\"selectedCandidatePairId\":\"CP\(number)\","
        + "\"localCertificateId\":\"CF\(number)\","
        + "\"bytesSent\":\(second),\"bytesReceived\":\(second * 6000)}"
      let certificate =
        "{\"id\":\"CF\(number)\",\"type\":\"certificate\",\"timestamp\":\(time),\"fingerprint\":\"\(fingerprint)\","
        + "\"fingerprintAlgorithm\":\"sha-256\"}"
      lines.append(
        "{\"ts\":\(time),\"pc\":\"pc\",\"report\":[\(stream),\(pair),\(transport),\(certificate)]}")
    }
    if closes { lines.append("{\"ts\":\(ms(8.5)),\"pc\":\"pc\",\"event\":\"close\",\"args\":null}") }
    return lines.map { $0 + "\n" }.joined()
  }

  /// How long each call is, by the listing, s.
  private func durations(_ logs: String...) throws -> [Int] {
    let folder = try TemporaryFolder()
    let files = try logs.enumerated().map { try folder.file("app\($0.offset).jsonl", $0.element) }
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run(["import"] + files + ["--db", database])
    let rows = try Tool.run(
      "query", "SELECT call_id, duration_ms, score_mean FROM calls ORDER BY started_ms", "--db",
      database, "--json")
    return try rows.objects().map { row in
      #expect(row["score_mean"] is Double, "\(row)")
      return ((row["duration_ms"] as? Double ?? 0) / 1000).rounded().exactInt
    }
  }

  @Test("hours apart, closed or not, or with statistics alone")
  func apart() throws {
    for (closes, hasEvents) in [(true, true), (false, true), (false, false)] {
      let log = (0..<2).map {
        call($0, atSecond: $0 * 10_800, closes: closes, hasEvents: hasEvents)
      }.joined()
      let found = try durations(log)
      #expect(
        found.count == 2 && found.allSatisfy { (7...9).contains($0) }, "\(closes) \(hasEvents) \(found)")
    }
  }

  @Test("seconds apart, where the first was closed")
  func closed() throws {
    let log = call(0, atSecond: 0, closes: true) + call(1, atSecond: 15, closes: false)
    #expect(try durations(log).count == 2)
  }

  @Test("seconds apart, where a file of events beside that of the statistics says that the first was ended")
  func endedElsewhere() throws {
    func files(closes: Bool) -> (events: String, statistics: String) {
      let lines = (0..<2).map { call($0, atSecond: $0 * 12, closes: closes) }.joined().split(separator: "\n")
      func text(_ isMeant: (Substring) -> Bool) -> String { lines.filter(isMeant).map { $0 + "\n" }.joined() }
      return (text { $0.contains("\"event\"") }, text { $0.contains("\"report\"") })
    }
    let closed = files(closes: true)
    #expect(try durations(closed.events, closed.statistics) == [7, 7])
    #expect(try durations(closed.statistics, closed.events) == [7, 7], "in whatever order they come")
    let open = files(closes: false)
    #expect(try durations(open.events, open.statistics).count == 1)
    #expect(try durations(closed.statistics).count == 1, "statistics alone do not tell")
  }

  @Test("a connection made anew within a call leaves it one")
  func reconnected() throws {
    let log = call(0, atSecond: 0, closes: false) + call(1, atSecond: 15, closes: false)
    #expect(try durations(log).count == 1)
  }

  @Test("a person whom statistics name is found")
  func person() throws {
    let folder = try TemporaryFolder()
    let log = call(0, atSecond: 0, closes: false).replacing("\"pc\":\"pc\"", with: "\"userId\":\"alice\"")
    let file = try folder.file("app.jsonl", log)
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", file, "--db", database)
    let found = try Tool.run("find", "alice", "--db", database, "--json")
    #expect(try found.objects().count == 1, "\(found.output) \(found.errors)")
  }
}

extension Double {
  fileprivate var exactInt: Int { Int(exactly: self) ?? -1 }
}
