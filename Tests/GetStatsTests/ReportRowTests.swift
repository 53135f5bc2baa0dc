import CallModel
import Testing

@Suite("Reports that arrive one at a time are grouped by poll, in any order")
struct ReportRowTests {
  /// One report of a poll at a second, and the time it has.
  private struct Row {
    var second: Int
    var ms: Int
    var json: String
  }

  private static let start = 1_700_000_000_000

  /// What a browser says each second: a stream each way, what they refer to, and what the far end says of one.
  private static func rows(_ seconds: Range<Int>) -> [Row] {
    seconds.flatMap { second in
      let time = "\"timestamp\":\(start + second * 1000)"
      // A packet of RTCP comes every two seconds, 300 ms before the poll.
      let heard = "\"timestamp\":\(start + second / 2 * 2000 - 300)"
      return [
        "{\"id\":\"C1\",\"type\":\"codec\",\(time),\"mimeType\":\"audio/opus\",\"clockRate\":48000}",
        "{\"id\":\"I1\",\"type\":\"inbound-rtp\",\(time),\"kind\":\"audio\",\"ssrc\":71000,\"codecId\":\"C1\",\"trackId\":\"K1\","
          + "\"packetsReceived\":\(second * 50)}",
        "{\"id\":\"K1\",\"type\":\"track\",\(time),\"kind\":\"audio\",\"concealedSamples\":\(second * 10),\"totalSamplesReceived\":\(second * 48000)}",
        "{\"id\":\"O1\",\"type\":\"outbound-rtp\",\(time),\"kind\":\"audio\",\"ssrc\":72000,\"codecId\":\"C1\",\"remoteId\":\"R1\","
          + "\"packetsSent\":\(second * 50)}",
        "{\"id\":\"R1\",\"type\":\"remote-inbound-rtp\",\(heard),\"kind\":\"audio\",\"ssrc\":72000,\"localId\":\"O1\","
          + "\"packetsLost\":\(second / 2),\"roundTripTime\":0.05}",
      ].map {
        Row(second: second, ms: $0.contains(heard) ? second / 2 * 2000 - 300 : second * 1000, json: $0)
      }
    }
  }

  private static func iso(_ second: Int) -> String { "2023-11-14T22:13:\(20 + second).040Z" }

  /// How rows are written: as they are, and in what stores of logs put around them.
  private static let wrappings: [String: @Sendable (Row) -> String] = [
    "bare": { $0.json },
    "Elasticsearch, a member": {
      "{\"_source\":{\"@timestamp\":\"\(iso($0.second))\",\"callId\":\"c\",\"userId\":\"bob\",\"stat\":\($0.json)}}"
    },
    "Elasticsearch, flat": { "{\"_index\":\"x\",\"_id\":\"k1\",\"_source\":\($0.json)}" },
    "Datadog": { "{\"date\":\"\(iso($0.second))\",\"message\":\"rtc stat\",\"attributes\":\($0.json)}" },
    "Google": { "{\"insertId\":\"a\",\"jsonPayload\":\($0.json),\"timestamp\":\"\(iso($0.second))\"}" },
    "Segment": {
      "{\"event\":\"rtc_stat\",\"userId\":\"bob\",\"timestamp\":\"\(iso($0.second))\",\"properties\":\($0.json)}"
    },
  ]

  static let names: [String] = wrappings.keys.sorted()

  private enum Order: String, CaseIterable { case asWritten, byID, byTime, newestFirst, shuffled, doubled }

  private static func arranged(_ order: Order) -> [Row] {
    let rows = rows(1..<9)
    switch order {
    case .asWritten: return rows
    case .byID: return (0..<5).flatMap { id in rows.indices.filter { $0 % 5 == id }.map { rows[$0] } }
    case .byTime:
      return rows.indices.sorted { (rows[$0].ms, $0) < (rows[$1].ms, $1) }.map { rows[$0] }
    case .newestFirst: return rows.reversed()
    case .shuffled:
      // The same at each run: 17 and 40 have no common factor.
      return rows.indices.map { rows[($0 * 17 + 3) % rows.count] }
    case .doubled: return rows.flatMap { [$0, $0] }
    }
  }

  @Test("in every order and wrapping, as lines and in a list", arguments: names)
  func joined(name: String) throws {
    let wrap = try #require(Self.wrappings[name])
    for order in Order.allCases {
      let rows = Self.arranged(order).map(wrap)
      for text in [rows.joined(separator: "\n"), "[" + rows.joined(separator: ",\n") + "]"] {
        let what = "\(name), \(order.rawValue), \(text.prefix(1))"
        let sink = try readSource(text)
        #expect(sink.connections.count == 1 && sink.streams.count == 2 && sink.rejects.isEmpty, "\(what)")
        let heard = try #require(sink.streams(.inbound).first)
        #expect(heard.facts.codec == "opus", "\(what)")
        let byTime = heard.samples.sorted { $0.timeMs < $1.timeMs }
        #expect(byTime.map { $0[.packets] } == (1..<9).map { Double($0 * 50) }, "\(what)")
        #expect(byTime.map { $0[.concealedSamples] } == (1..<9).map { Double($0 * 10) }, "\(what)")
        let sent = try #require(sink.streams(.outbound).first)
        #expect(sent.facts.codec == "opus", "\(what)")
        let losses = sent.samples.sorted { $0.timeMs < $1.timeMs }.map { $0[.lost] }
        #expect(losses == (1..<9).map { Double($0 / 2) }, "\(what)")
      }
    }
  }

  @Test("those of two connections by their names")
  func twoConnections() throws {
    let rows = Self.arranged(.shuffled).flatMap { row in
      ["a", "b"].map { "{\"pc\":\"\($0)\",\"row\":\(row.json)}" }
    }
    let sink = try readSource(rows.joined(separator: "\n"))
    #expect(sink.connections.values.compactMap(\.name).sorted() == ["a", "b"])
    #expect(sink.streams(of: "a", .inbound).first?.samples.count == 8)
    #expect(sink.streams(of: "b", .outbound).first?.last(.lost) == 4)
  }

  @Test("reports without ids are all kept")
  func noIDs() throws {
    let polls = (1..<4).map { poll in
      let time = Self.start + poll * 1000
      let reports = [("audio", 71_000), ("video", 72_000)].map {
        "{\"type\":\"inbound-rtp\",\"timestamp\":\(time),\"kind\":\"\($0.0)\",\"ssrc\":\($0.1),\"packetsReceived\":\(poll * 10)}"
      }
      return "{\"ts\":\(time),\"pc\":\"a\",\"stats\":[\(reports.joined(separator: ","))]}"
    }
    let sink = try readSource(polls.joined(separator: "\n"))
    #expect(sink.streams(.inbound).map { $0.series(.packets) } == Array(repeating: [10, 20, 30], count: 2))
  }

  @Test("polls that follow each other within a second stay apart")
  func quickPolls() throws {
    let rows = (1..<6).flatMap { poll in
      ["I1", "I2"].map {
        "{\"id\":\"\($0)\",\"type\":\"inbound-rtp\",\"timestamp\":\(Self.start + poll * 200),\"kind\":\"audio\","
          + "\"ssrc\":\($0 == "I1" ? 71_000 : 72_000),\"packetsReceived\":\(poll * 10)}"
      }
    }
    let sink = try readSource(rows.joined(separator: "\n"))
    #expect(
      sink.streams(.inbound).map { $0.series(.packets) } == Array(repeating: [10, 20, 30, 40, 50], count: 2))
  }

  @Test("after a clock was set back they go on behind those before", arguments: [2, 5, 60, 7200])
  func setBack(by step: Int) throws {
    let rows = (1..<20).flatMap { second in
      Self.rows(second..<(second + 1)).map { row in
        guard second >= 10 else { return row.json }
        let ms = Self.start + row.ms
        return row.json.replacing("\(ms)", with: "\(ms - step * 1000)")
      }
    }
    let sink = try readSource(rows.joined(separator: "\n"), as: .getstatsLines)
    let stream = try #require(sink.streams(.inbound).first)
    #expect(stream.series(.packets) == (1..<20).map { Double($0 * 50) })
    #expect(stream.series(.concealedSamples) == (1..<20).map { Double($0 * 10) })
    let times = stream.times
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 500 && $1 - $0 < 1500 }, "\(times)")
    let sent = try #require(sink.streams(.outbound).first)
    #expect(sent.series(.packets) == (1..<20).map { Double($0 * 50) })
  }

  @Test("in no order, of a stream that began anew, they have their times")
  func begunAnew() throws {
    let rows = (1..<20).flatMap { second in
      Self.rows(second..<(second + 1)).map {
        second < 10 ? $0.json : $0.json.replacing(":\(second * 50)}", with: ":\((second - 9) * 50)}")
      }
    }
    for order in [rows, rows.reversed(), rows.sorted()] {
      let sink = try readSource(order.joined(separator: "\n"), as: .getstatsLines)
      let stream = try #require(sink.streams(.inbound).first)
      #expect(stream.times == (1..<20).map { Double(Self.start + $0 * 1000) })
    }
  }
}
