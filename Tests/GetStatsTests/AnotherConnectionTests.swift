import CallModel
import Testing

@testable import GetStats

@Suite("Reconnections under one name are detected")
struct AnotherConnectionTests {
  /// What a browser says of one connection.
  private struct Page {
    var ssrc: Int
    var path: String
    var certificate = ""
    /// The second at which it began.
    var from = 0
    var hasPath = true

    /// A line of a log, `second` after its beginning.
    func line(_ second: Int, head: String = "\"pc\":\"pc\",", packets: Int? = nil, isBare: Bool = false)
      -> String
    {
      let time = 1_700_000_000_000 + (from + second) * 1000
      let packets = packets ?? second * 50
      var reports: [String] = []
      if !isBare {
        reports.append(
          "{\"id\":\"IT01A\(ssrc)\",\"type\":\"inbound-rtp\",\"timestamp\":\(time),\"kind\":\"audio\",\"ssrc\":\(ssrc),"
            + "\"packetsReceived\":\(packets)}")
      }
      if hasPath {
        reports.append(
          "{\"id\":\"CP\(path)\",\"type\":\"candidate-pair\",\"timestamp\":\(time),\"state\":\"succeeded\",\"nominated\":true}"
        )
        reports.append(
          "{\"id\":\"T01\",\"type\":\"transport\",\"timestamp\":\(time),\"selectedCandidatePairId\":\"CP\(path)\","
            + "\"localCertificateId\":\"\(certificate)\",\"bytesSent\":\(second * 100),\"bytesReceived\":\(second * 5000)}"
        )
      }
      return "{\(head)\"ts\":\(time),\"stats\":[\(reports.joined(separator: ","))]}\n"
    }
  }

  /// How many samples each connection has, by its name.
  private func samples(_ text: String) throws -> [String: Int] {
    let sink = try readSource(text, as: .getstatsLines)
    var samples: [String: Int] = [:]
    for stream in sink.streams.values {
      samples[sink.connections[stream.connection]?.name ?? "-", default: 0] += stream.samples.count
    }
    return samples
  }

  private func log(_ pages: Page..., head: String = "\"pc\":\"pc\",") -> String {
    pages.map { page in (1...4).map { page.line($0, head: head) }.joined() }.joined()
  }

  @Test(
    "hours later, with other streams and another path whose counters begin anew; named or not",
    arguments: ["\"pc\":\"pc\",", ""])
  func another(head: String) throws {
    let text = log(
      Page(ssrc: 7, path: "a", certificate: "CFa"),
      Page(ssrc: 8, path: "b", certificate: "CFb", from: 10_800), head: head)
    let expected = head.isEmpty ? ["-": 4, "call 2": 4] : ["pc": 4, "pc, call 2": 4]
    #expect(try samples(text) == expected)
  }

  @Test("also where the first poll has no stream yet, and where only the streams are logged")
  func firstPoll() throws {
    let (a, b) = (Page(ssrc: 7, path: "a"), Page(ssrc: 8, path: "b", from: 3600))
    #expect(try samples(log(a) + b.line(0, isBare: true) + log(b)) == ["pc": 4, "pc, call 2": 4])
    let streams = [
      Page(ssrc: 7, path: "", hasPath: false), Page(ssrc: 8, path: "", from: 3600, hasPath: false),
    ]
    #expect(try samples(log(streams[0], streams[1])) == ["pc": 4, "pc, call 2": 4])
  }

  @Test("each time again")
  func third() throws {
    let pages = (0..<3).map { Page(ssrc: 7 + $0, path: "\($0)", from: $0 * 3600) }
    #expect(
      try samples(log(pages[0], pages[1], pages[2])) == ["pc": 4, "pc, call 2": 4, "pc, call 3": 4])
  }

  @Test("counters that begin anew after a hold, however long, are the same connection's")
  func hold() throws {
    let page = Page(ssrc: 7, path: "a", certificate: "CFa")
    let after = (3601...3604).map { page.line($0, packets: ($0 - 3600) * 50) }.joined()
    #expect(try samples(log(page) + after) == ["pc": 8])
  }

  @Test("other streams on a path that goes on, and a path that was restarted, are the same connection's")
  func goesOn() throws {
    let page = Page(ssrc: 7, path: "a")
    var later = page
    later.ssrc = 8
    #expect(try samples(log(page) + (3601...3604).map { later.line($0) }.joined()) == ["pc": 8])
    var restarted = page
    restarted.path = "b"
    #expect(try samples(log(page) + (3601...3604).map { restarted.line($0) }.joined()) == ["pc": 8])
  }

  @Test(
    "a connection that took the place of one a moment ago is another one of the same call, by its certificate"
  )
  func reconnected() throws {
    let first = Page(ssrc: 7, path: "a", certificate: "CFa")
    let text = log(first, Page(ssrc: 8, path: "b", certificate: "CFb", from: 20))
    #expect(try samples(text) == ["pc": 4, "pc, connection 2": 4])
    let third = log(Page(ssrc: 9, path: "c", certificate: "CFc", from: 40))
    #expect(try samples(text + third) == ["pc": 4, "pc, connection 2": 4, "pc, connection 3": 4])
    let later = log(Page(ssrc: 9, path: "c", certificate: "CFc", from: 3600))
    #expect(try samples(text + later) == ["pc": 4, "pc, connection 2": 4, "pc, call 2": 4])
    let unnamed = log(first, Page(ssrc: 8, path: "b", certificate: "CFb", from: 20), head: "")
    #expect(try samples(unnamed) == ["-": 4, "connection 2": 4])
    #expect(try samples(log(Page(ssrc: 7, path: "a"), Page(ssrc: 8, path: "b", from: 20))) == ["pc": 8])
  }

  @Test("two connections that are polled by turns under one name stay two")
  func byTurns() throws {
    let (a, b) = (
      Page(ssrc: 7, path: "a", certificate: "CFa"), Page(ssrc: 8, path: "b", certificate: "CFb")
    )
    let text = (1...4).map { a.line($0) + b.line($0) }.joined()
    #expect(try samples(text) == ["pc": 4, "pc, connection 2": 4])
  }

  @Test("a certificate whose name alone changes, beside streams or a path that go on, is no other connection")
  func renamed() throws {
    let page = Page(ssrc: 7, path: "a", certificate: "CFa")
    var other = page
    other.certificate = "CFb"
    #expect(try samples(log(page) + (5...8).map { other.line($0) }.joined()) == ["pc": 8])
  }

  @Test("one id of a call on all lines says that they are of one call")
  func oneID() throws {
    let text = log(
      Page(ssrc: 7, path: "a", certificate: "CFa"),
      Page(ssrc: 8, path: "b", certificate: "CFb", from: 10_800), head: "\"callId\":\"c\",\"pc\":\"pc\",")
    #expect(try samples(text) == ["pc": 8])
  }

  @Test("what events told of the calls decides, by the time of the snapshot")
  func noted() throws {
    let page = Page(ssrc: 7, path: "a")
    let ends = LoggedEnds(limit: 10)
    ends.end(nil, connection: "pc").noteCall(2, atMs: 1_700_000_002_500)
    let sink = RecordingSink()
    var reader = SnapshotLineReader(sink: sink, ends: ends)
    for second in [1, 3, 2, 4, 5] {
      _ = try Array(page.line(second).utf8).withUnsafeBufferPointer {
        try reader.line($0, number: second, offset: 0)
      }
    }
    try reader.finish()
    #expect(sink.streams(of: "pc", .inbound).first?.series(.packets) == [50, 100])
    #expect(sink.streams(of: "pc, call 2", .inbound).first?.series(.packets) == [150, 200, 250])
    #expect(ends.end(nil, connection: "pc").latestStatisticsMs == 1_700_000_005_000)
  }
}
