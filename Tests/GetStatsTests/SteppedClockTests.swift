import CallModel
import Testing

@testable import GetStats

@Suite("A clock that is set or frozen during a call")
struct SteppedClockTests {
  private static let startMs = 1_795_170_000_200.0
  private static let setBack = "the clock was set back while the call went on"

  /// A poll of a sound of 50 packets a second by the time since the start, at a time, with that of the report.
  private func line(_ second: Double, at time: Double, own: Double? = nil, packets: Double? = nil) -> String {
    """
    {"ts":\(Self.startMs + time * 1000),"pc":"one","report":{"I":{"id":"I","type":"inbound-rtp","kind":"audio","ssrc":7,\
    "timestamp":\(Self.startMs + (own ?? time) * 1000),"packetsReceived":\(packets ?? second * 50),"bytesReceived":\
    \(second * 4000)}}}

    """
  }

  private func seconds(_ sink: RecordingSink) throws -> [Double] {
    try #require(sink.streams.values.first).times.map { (($0 - Self.startMs)).rounded() / 1000 }
  }

  private func hasNote(_ sink: RecordingSink, _ words: String) -> Bool {
    sink.notes.keys.contains { $0.hasPrefix(words) }
  }

  @Test(
    "what is reported after a clock was set back comes behind what was reported before",
    arguments: [0.37, 5, 5.37, 7200])
  func setBack(by step: Double) throws {
    let text = (0..<20).map { line(Double($0), at: Double($0) - ($0 < 10 ? 0 : step)) }.joined()
    let sink = try readSource(text)
    let times = try seconds(sink)
    #expect(times.count == 20)
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 && $1 - $0 < 1.5 }, "\(times)")
    #expect(hasNote(sink, Self.setBack) == (step > 1))
  }

  @Test("the poll's time gives the duration if it goes on")
  func setBackInside() throws {
    let seconds = [0.0, 1, 2, 3, 7, 8, 9]
    let text = seconds.map { line($0, at: $0, own: $0 > 3 ? $0 - 60 : $0) }.joined()
    let sink = try readSource(text)
    #expect(try self.seconds(sink) == seconds)
  }

  @Test("a clock that is corrected again is used unchanged")
  func setRight() throws {
    let text = (0..<12).map { line(Double($0), at: Double($0) - (5..<7 ~= $0 ? 3600 : 0)) }.joined()
    #expect(try seconds(try readSource(text)) == (0..<12).map(Double.init))
  }

  @Test("unordered or duplicate lines, and restarted streams, are not mistaken for it")
  func outOfOrder() throws {
    let orders: [[Double]] = [
      [0, 1, 3, 2, 4, 5], [5, 4, 3, 2, 1, 0], [3, 4, 5, 0, 1, 2], [0, 1, 2, 3, 1, 2, 3, 4, 5],
      [0, 1, 2, 2, 3],
    ]
    for order in orders {
      let sink = try readSource(order.map { line($0, at: $0) }.joined())
      #expect(Set(try seconds(sink)).isSubset(of: Set(order)), "\(order)")
      #expect(!hasNote(sink, Self.setBack), "\(order)")
    }
    var other = ""
    for second in [0.0, 1, 2, 3, 4] { other += line(second, at: second) }
    for second in [0.0, 1, 2, 3, 4] { other += line(second, at: second - 60, packets: 90_000 + second * 50) }
    #expect(!hasNote(try readSource(other), Self.setBack))
  }

  @Test("reports with a frozen time get the poll's")
  func frozenTime() throws {
    let sink = try readSource((0..<6).map { line(Double($0), at: Double($0), own: 0) }.joined())
    // By the third it is clear that they are not cut to seconds.
    #expect(try seconds(sink) == [0, 2, 3, 4, 5])
    #expect(hasNote(sink, "reports whose figures change while their timestamp does not: placed"))
  }

  @Test("times cut to seconds are not frozen")
  func cutToSeconds() throws {
    let sink = try readSource(
      (0..<12).map { line(Double($0) / 2, at: Double($0) / 2, own: Double($0 / 2)) }.joined())
    #expect(try seconds(sink) == [0, 1, 2, 3, 4, 5])
    #expect(sink.notes.isEmpty)
  }

  @Test("without a poll time only the first report counts, with a note")
  func standingAlone() throws {
    let lines = (0..<4).map { second in
      let common = "\"timestamp\":\(Self.startMs),\"kind\":\"audio\",\"ssrc\":7"
      return "[{\"id\":\"I\",\"type\":\"inbound-rtp\",\"packetsReceived\":\(second * 50),\(common)},"
        + "{\"id\":\"O\",\"type\":\"outbound-rtp\",\"packetsSent\":\(second * 50),\(common)}]\n"
    }
    let sink = try readSource(lines.joined(), as: .getstatsLines)
    #expect(try seconds(sink) == [0])
    #expect(hasNote(sink, "reports whose figures change while their timestamp does not, without another"))
  }

  @Test("repeated reports count once")
  func repeated() throws {
    var text = ""
    for poll in 0..<6 {
      let second = Double(poll / 2)
      text += line(second, at: Double(poll), own: second * 2)
    }
    let sink = try readSource(text)
    #expect(try seconds(sink) == [0, 2, 4])
    #expect(sink.notes.keys.allSatisfy { !$0.contains("stands still") && !$0.contains("set back") })
  }

  @Test("the polls of a dump are in their original order")
  func internals() throws {
    let times = (0..<20).map { Self.startMs + Double($0) * 1000 - ($0 < 10 ? 0 : 5370) }
    func series(_ member: String, _ values: [String]) -> String {
      "\"I-\(member)\":{\"statsType\":\"inbound-rtp\",\"startTime\":\"2026-11-20T10:20:00.200Z\","
        + "\"endTime\":\"2026-11-20T10:20:13.830Z\",\"values\":\"[\(values.joined(separator: ","))]\"}"
    }
    let members = [
      series("timestamp", times.map { "\($0)" }), series("ssrc", times.map { _ in "7" }),
      series("kind", times.map { _ in "\\\"audio\\\"" }),
      series("packetsReceived", times.indices.map { "\($0 * 50)" }),
    ]
    let sink = try readSource(
      "{\"PeerConnections\":{\"1-1\":{\"rtcConfiguration\":\"{}\",\"stats\":{\(members.joined(separator: ","))}}}}",
      as: .webrtcInternals)
    #expect(try seconds(sink) == (0..<20).map(Double.init))
    #expect(hasNote(sink, Self.setBack))
    #expect(sink.streams.values.first?.series(.packets) == (0..<20).map { Double($0) * 50 })
  }
}
