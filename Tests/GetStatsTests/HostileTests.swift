import Bytes
import CallModel
import Foundation
import Testing

@testable import GetStats

@Suite("No input crashes the readers")
struct HostileTests {
  /// One small text of each format.
  private static let texts: [(SourceFormat, String)] = [
    (
      .getstatsLines,
      """
      {"ts":1700000001000,"pc":"a","report":{"I":{"id":"I","timestamp":1700000001000.5,"type":"inbound-rtp","kind":"audio","ssrc":1,"codecId":"C","packetsReceived":50,"qualityLimitationDurations":{"cpu":1}},"C":{"id":"C","type":"codec","mimeType":"audio/opus","timestamp":1},"P":{"id":"P","type":"candidate-pair","nominated":true,"localCandidateId":"L","state":"succeeded"}}}
      {"timestamp":1700000002000,"peerConnections":[["a",[{"id":"I","type":"inbound-rtp","timestamp":1700000002000,"ssrc":1}]]]}
      """
    ),
    (
      .getstatsJSON,
      "[{\"key\":\"I\",\"value\":{\"id\":\"I\",\"type\":\"inbound-rtp\",\"timestamp\":1.7e12,\"ssrc\":\"7\",\"x\":[{}]}},[\"J\",{\"type\":\"ssrc\",\"timestamp\":\"2020-01-01T00:00:00Z\",\"stats\":{\"packetsSent\":\"1\"}}]]"
    ),
    (
      .rtcstatsV3,
      """
      RTCStatsDump
      {"fileFormat":3}
      [3,"1",{"type":"offer","sdp":"v=0\\r\\nm=audio 9 X 1\\r\\n"},1700000000000]
      [6,"1",{"type":"offer","sdp":"v=\\r\\nm=\\r\\n"},0.5]
      ["g","1",{"0":{"type":1,"10":7,"14":10},"t":1700000001000},9.5]
      [1,"1",{"0":null,"t":1700000003000},1000]
      """
    ),
    (
      .jitsiRtcstats,
      """
      ["connectionInfo",null,{"userAgent":"x"},1700000000000]
      ["getstats","PC_0",{"A":{"timestamp":0,"type":"inbound-rtp","ssrc":1},"timestamp":1700000001000},1700000001000,1]
      ["getstats","PC_0",{"A":{},"B":{"timestamp":0},"timestamp":1700000002000},1700000002000,2]
      """
    ),
    (
      .rtcstatsV0,
      "{\"userAgent\":\"x\",\"getUserMedia\":[],\"peerConnections\":{\"PC_0\":[{\"time\":\"2016-01-28T18:24:20.210Z\",\"type\":\"getStats\",\"value\":{\"ssrc_1_send\":{\"type\":\"ssrc\",\"ssrc\":1,\"googRtt\":\"5\"}}}]}}"
    ),
    (
      .webrtcInternals,
      """
      {"getUserMedia":[{"rid":9,"pid":1,"request_id":0,"timestamp":1700000000000}],"PeerConnections":{"9-1":{"rtcConfiguration":"{ iceServers: [] }","updateLog":[{"time":"11/5/2020, 9:34:11 PM","type":"createOffer","value":""},{"type":"onconnectionstatechange","value":"\\"connected\\"","timestamp":1700000000000}],"stats":{"I-ssrc":{"startTime":"2023-11-14T22:13:20.000Z","endTime":"2023-11-14T22:13:22.000Z","statsType":"inbound-rtp","values":"[1,1,1]"},"I-nackCount":{"startTime":"2023-11-14T22:13:21.000Z","endTime":"2023-11-14T22:13:22.000Z","statsType":"inbound-rtp","values":"[1,2]"},"I-kind":{"startTime":"2023-11-14T22:13:20.000Z","endTime":"2023-11-14T22:13:22.000Z","statsType":"inbound-rtp","values":"[\\"audio\\",\\"audio\\",\\"audio\\"]"},"I-timestamp":{"startTime":"2023-11-14T22:13:20.000Z","endTime":"2023-11-14T22:13:22.000Z","statsType":"inbound-rtp","values":"[1700000000000,1700000001000,1700000002000]"}}}}}
      """
    ),
    (
      .googText,
      "id: ssrc_1_recv, type: ssrc, timestamp: 1445079424793.0, values: (\n\"ssrc: 1\",\n\"packetsReceived: 5\"\n),\nid: x,\ntype: ssrc, timestamp: 1, values: [a: b], [c: d]\n"
    ),
  ]

  /// More rounds for who has time: `CALLQA_FUZZ_ROUNDS=100000 swift test --filter HostileTests`.
  private static let rounds =
    ProcessInfo.processInfo.environment["CALLQA_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 60

  @Test("damaged in random places", arguments: texts.map(\.0))
  func damaged(format: SourceFormat) throws {
    let (_, text) = try #require(Self.texts.first { $0.0 == format })
    var random = Random(state: 11)
    for round in 0..<Self.rounds {
      var bytes = Array(text.utf8)
      for _ in 0...Int.random(in: 0..<4, using: &random) { damage(&bytes, &random) }
      read(bytes, format, piece: round.isMultiple(of: 3) ? 7 : .max)
    }
  }

  @Test("read as any format but its own", arguments: texts.map(\.0))
  func mistaken(format: SourceFormat) {
    for (_, text) in Self.texts { read(Array(text.utf8), format, piece: .max) }
  }

  @Test("a sink is let go when its source has been read", arguments: texts.map(\.0))
  func letsGo(format: SourceFormat) throws {
    let (_, text) = try #require(Self.texts.first { $0.0 == format })
    var sink: RecordingSink? = RecordingSink()
    weak let left = sink
    if let sink {
      try GetStatsReader.read(format, from: MemoryBytes(text), into: sink, options: ReaderOptions())
    }
    sink = nil
    #expect(left == nil)
  }

  @Test(
    "a dump of endless reports, or of endless series of one, is kept as far as may be, and the rest is counted"
  )
  func endlessDump() throws {
    func dump(_ names: [String]) -> String {
      let series = names.map {
        "\"\($0)\":{\"statsType\":\"inbound-rtp\",\"startTime\":\"2026-01-01T00:00:00Z\","
          + "\"endTime\":\"2026-01-01T00:00:01Z\",\"values\":\"[1,2]\"}"
      }
      return "{\"PeerConnections\":{\"1-1\":{\"stats\":{\(series.joined(separator: ","))}}}}"
    }
    var options = ReaderOptions()
    options.reportsPerSnapshot = 2
    let reports = (0..<20).map { "IT\($0)-packetsReceived" }
    let members = (0..<100).map { "IT0-unheardOf\($0)" }
    for (names, leftOut) in [(reports, 12), (members, 20)] {
      let sink = RecordingSink()
      try GetStatsReader.read(.webrtcInternals, from: MemoryBytes(dump(names)), into: sink, options: options)
      let reported = sink.rejects.filter {
        $0.reason.contains("--raise reports=") && $0.reason.contains("series")
      }
      #expect(reported.map(\.count) == [leftOut])
    }
  }

  @Test(
    "of endless events that wait for a zone, or for a connection, so many are kept, and the rest is counted")
  func endlessWaiting() throws {
    let entry = #"{"time":"11/5/2020, 9:34:11 PM","type":"createOffer","value":""}"#
    let log = Array(repeating: entry, count: 10_020).joined(separator: ",")
    let dump = try readSource("{\"PeerConnections\":{\"1-1\":{\"updateLog\":[\(log)],\"stats\":{}}}}")
    #expect(dump.events.count == 10_000)
    #expect(dump.rejects.map(\.count) == [20])
    // Twenty pages, none of which makes a connection.
    let requests = (0..<10_020).map {
      "[\"getUserMedia\",\"\($0 % 20)-1\",{\"audio\":true},\(1_700_000_000_000 + $0)]\n"
    }
    let pages = try readSource("{\"fileFormat\":2}\n" + requests.joined(), as: .rtcstatsV2)
    #expect(pages.events.count == 10_000)
    #expect(pages.rejects.map(\.count) == [20])
  }

  @Test("what waits is held to so many bytes, too")
  func hugeWaiting() throws {
    let sdp = String(repeating: "x", count: 100_000)
    let entry = "{\"time\":\"11/5/2020, 9:34:11 PM\",\"type\":\"createOffer\",\"value\":\"\(sdp)\"}"
    let log = Array(repeating: entry, count: 400).joined(separator: ",")
    let sink = try readSource("{\"PeerConnections\":{\"1-1\":{\"updateLog\":[\(log)],\"stats\":{}}}}")
    #expect(sink.events.count < 400)
    #expect(sink.events.count + sink.rejects.reduce(0) { $0 + $1.count } == 400)
  }

  @Test("deep, wide and huge", arguments: texts.map(\.0))
  func extremes(format: SourceFormat) {
    let deep = String(repeating: "[", count: 200_000)
    let deepObject = String(repeating: "{\"a\":", count: 100_000)
    let wide =
      "{\"ts\":1,\"pc\":\"x\",\"report\":{"
      + (0..<30_000).map { "\"r\($0)\":{\"type\":\"inbound-rtp\",\"ssrc\":\($0)}" }.joined(separator: ",")
      + "}}"
    let numbers =
      "[{\"id\":\"a\",\"type\":\"inbound-rtp\",\"timestamp\":1e308,\"ssrc\":1e300,\"packetsReceived\":-1e400,\"frameWidth\":1e308,\"frameHeight\":9e300,\"clockRate\":1e99}]"
    for text in [
      deep, deepObject, "[" + deepObject, wide, numbers, "", "\0", "null",
      String(repeating: " ", count: 100_000),
    ] {
      read(Array(text.utf8), format, piece: .max)
    }
  }

  private func damage(_ bytes: inout [UInt8], _ random: inout Random) {
    guard !bytes.isEmpty else { return }
    let place = Int.random(in: 0..<bytes.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 1: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...40, using: &random)))
    case 2:
      let end = min(bytes.count, place + Int.random(in: 1...80, using: &random))
      bytes.insert(contentsOf: bytes[place..<end], at: place)
    case 3: bytes[place] = Array("0123456789-.eE,:[]{}\"\\ntfu".utf8).randomElement(using: &random) ?? 0
    default: bytes = Array(bytes[..<place])
    }
  }

  /// Errors are fine, as long as they are errors.
  private func read(_ bytes: [UInt8], _ format: SourceFormat, piece: Int) {
    _ = try? bytes.withUnsafeBufferPointer { try GetStatsReader.recognise($0, name: "x") }
    let sink = RecordingSink()
    try? GetStatsReader.read(
      format, from: MemoryBytes(bytes, piece: piece), into: sink, options: ReaderOptions())
  }

  /// The same numbers on every machine.
  private struct Random: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }
}
