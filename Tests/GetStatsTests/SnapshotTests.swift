import Bytes
import CallModel
import Testing

@testable import GetStats

@Suite("Snapshots of any shape give samples")
struct SnapshotTests {
  @Test(
    "a time as text, with its zone in letters or digits",
    arguments: [
      "2026-11-21 01:54:27.361 UTC", "2026-11-21T01:54:27.361Z", "2026-11-21 01:54:27.361",
      "2026-11-21 02:54:27.361 +01:00", "2026-11-21 01:54:27.361+00",
    ])
  func textTime(text: String) throws {
    let time = try #require(ReportTime.written(Array(text.utf8)))
    #expect(abs(time - 1_795_226_067_361) < 0.5)
    #expect(ReportTime.written(Array((text + " CET").utf8)) == nil)
  }

  @Test(
    "packets that fall from report to report are no counters, which a note says; a receiver that came back is none such"
  )
  func intervals() throws {
    func log(_ packets: (Int) -> Int) -> String {
      (0..<30).map { second in
        let time = 1_700_000_000_000 + second * 1000
        return
          "{\"ts\":\(time),\"pc\":\"a\",\"report\":{\"I\":{\"id\":\"I\",\"type\":\"inbound-rtp\",\"timestamp\":\(time),"
          + "\"kind\":\"audio\",\"ssrc\":7,\"packetsReceived\":\(packets(second))}}}\n"
      }.joined()
    }
    let note = "packets of a stream fell"
    #expect(try readSource(log { 50 - $0 % 3 }).notes.filter { $0.key.hasPrefix(note) }.map(\.value) == [1])
    #expect(try readSource(log { $0 % 10 * 50 }).notes.isEmpty)
    let lines = log { $0 * 50 }.split(separator: "\n").reversed().joined(separator: "\n")
    #expect(try readSource(lines).notes.isEmpty)
  }

  private static let inbound = """
    {"id":"IT01A1","timestamp":1700000001000.5,"type":"inbound-rtp","kind":"audio","ssrc":4294967295,"codecId":"C1",\
    "packetsReceived":50,"packetsLost":-2,"jitter":0.0125,"concealedSamples":480,"playoutId":"AP"}
    """
  private static let codec = """
    {"id":"C1","timestamp":1700000001000.5,"type":"codec","mimeType":"audio/OPUS","payloadType":111,"clockRate":48000,\
    "channels":2,"sdpFmtpLine":"minptime=10;useinbandfec=1"}
    """
  private static let playout = """
    {"id":"AP","timestamp":1700000001000.5,"type":"media-playout","synthesizedSamplesDuration":0.25}
    """

  static let shapes: [(String, String, SourceFormat)] = [
    (
      "a line with time and connection",
      "{\"ts\":1700000001000,\"pc\":\"caller\",\"report\":{\"AP\":\(playout),\"IT01A1\":\(inbound),\"C1\":\(codec)}}\n",
      .getstatsLines
    ),
    (
      "a line whose report comes first",
      "{\"report\":{\"AP\":\(playout),\"IT01A1\":\(inbound),\"C1\":\(codec)},\"pc\":\"caller\",\"ts\":1700000001000}",
      .getstatsLines
    ),
    ("an object by id", "{\n\"AP\":\(playout),\n\"IT01A1\":\(inbound),\"C1\":\(codec)}", .getstatsJSON),
    ("an array", "[\(playout),\n\(codec),\(inbound)]", .getstatsJSON),
    (
      "an array of key and value",
      "[{\"key\":\"AP\",\"value\":\(playout)},\n{\"key\":\"C1\",\"value\":\(codec)},{\"key\":\"IT01A1\",\"value\":\(inbound)}]",
      .getstatsJSON
    ),
    (
      "an array of id and value",
      "{\"ts\":1700000001000,\"stats\":[{\"id\":\"AP\",\"value\":\(playout)},{\"id\":\"C1\",\"value\":\(codec)},"
        + "{\"id\":\"IT01A1\",\"value\":\(inbound)}]}",
      .getstatsLines
    ),
    (
      "a list that became an object",
      "{\"ts\":1700000001000,\"stats\":{\"0\":\(playout),\"1\": \(codec),\"2\":\(idLast(inbound))}}",
      .getstatsLines
    ),
    (
      "under names of the writer's own",
      "{\"ts\":1700000001000,\"stats\":{\"out\":\(playout),\"codec\":\(codec),\"in\": \(inbound)}}",
      .getstatsLines
    ),
    (
      "members with hyphens, as GStreamer writes them",
      "{\"ts\":1700000001000,\"report\":{\"AP\":\(hyphened(playout)),\"IT01A1\":\(hyphened(inbound)),\"C1\":\(hyphened(codec))}}",
      .getstatsLines
    ),
    ("an array of pairs", "[[\"AP\",\(playout)],\n[\"C1\",\(codec)],[\"IT01A1\",\(inbound)]]", .getstatsJSON),
    ("an array of arrays", "[\n[\(playout),\(codec),\(inbound)]]", .getstatsJSON),
    (
      "wrapped in an object", "{\"timestamp\":1700000001000,\n\"stats\":[\(playout),\(codec),\(inbound)]}",
      .getstatsJSON
    ),
    (
      "an array of wrapped ones",
      "[{\"ts\":1700000001000,\n\"pc\":\"x\",\"report\":{\"AP\":\(playout),\"C1\":\(codec),\"IT01A1\":\(inbound)}}]",
      .getstatsJSON
    ),
    (
      "a tick",
      "{\"timestamp\":1700000001000,\"peerConnections\":[[\"pc-1\",[\(playout),\(codec),\(inbound)]]]}\n",
      .getstatsLines
    ),
    ("snapshots by connection", "{\"pc1\":[\n[\(playout),\(codec),\(inbound)]]}", .getstatsJSON),
    (
      "a list of snapshots under the name of reports",
      "{\"callId\":\"c\",\"reports\":[{\"t\":1700000001000,\"report\":[\(playout),\(codec),\(inbound)]}]}\n",
      .getstatsLines
    ),
    (
      "members within a member, as native SDKs write them",
      "[\(native(playout, "members", "timestampUs")),\n\(native(codec, "values", "timestamp_us")),"
        + "\(native(inbound, "values", "timestamp_us"))]",
      .getstatsJSON
    ),
    ("a report a line", "\(inbound)\n\(playout)\n\(codec)\n", .getstatsLines),
    (
      "a report a line, as a native SDK writes it",
      "\(native(inbound, "values", "timestamp_us"))\n\(playout)\n\(native(codec, "members", "timestampUs"))\n",
      .getstatsLines
    ),
    (
      "members in a list, a text each", "[\(playout),\n\(codec),\(listed(inbound))]", .getstatsJSON
    ),
  ]

  /// A report with its members nested in one of them, and its time in microseconds.
  private static func native(_ report: String, _ name: String, _ time: String) -> String {
    report.replacing("\"timestamp\":1700000001000.5", with: "\"\(time)\":1700000001000500")
      .replacing(/"type":"(?<type>[^"]+)",(?<rest>.*)}/) {
        "\"type\":\"\($0.output.type)\",\"\(name)\":{\($0.output.rest)}}"
      }
  }

  /// A report whose id comes last.
  private static func idLast(_ report: String) -> String {
    report.replacing(/{(?<id>"id":"[^"]+"),(?<rest>.*)}/) { "{\($0.output.rest),\($0.output.id)}" }
  }

  /// A report whose members are `packets-received` for `packetsReceived`.
  private static func hyphened(_ report: String) -> String {
    report.replacing(/"(?<name>[a-zA-Z]+)":/) { match in
      "\"" + match.output.name.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined() + "\":"
    }
  }

  /// A report with its members in a list, and numbers as text.
  private static func listed(_ report: String) -> String {
    report.replacing(/"type":"(?<type>[^"]+)",(?<rest>.*)}/) { match in
      let members = match.output.rest.split(separator: ",").map { member in
        "{" + member.replacing(/:(?<number>[-.0-9]+)$/) { ":\"\($0.output.number)\"" } + "}"
      }
      return "\"type\":\"\(match.output.type)\",\"values\":[\(members.joined(separator: ","))]}"
    }
  }

  @Test("what is no report where reports should be is reported; nothing at all is nothing")
  func noReport() throws {
    let deep = String(repeating: "{\"reports\":[", count: 5000) + String(repeating: "]}", count: 5000)
    let cases = [
      ("{}", 0), (" [ ]", 0),
      ("{\"ts\":1700000001000,\"pc\":\"a\",\"report\":{}}", 0),
      ("{\"ts\":1700000001000,\"pc\":\"a\",\"reports\":[]}", 0),
      ("{\"ts\":1700000001000,\"pc\":\"a\",\"reports\":[1,{\"x\":2}]}", 1),
      ("{\"ts\":1700000001000,\"pc\":\"a\",\"stats\":{\"x\":2}}", 1),
      ("{\"ts\":1700000001000,\"reports\":[{\"t\":1,\"report\":{}},{\"x\":2}]}", 1),
      (deep, 1),
    ]
    for (line, rejects) in cases {
      let sink = RecordingSink()
      var reader = SnapshotLineReader(sink: sink)
      let taken = try Array(line.utf8).withUnsafeBufferPointer { try reader.line($0, number: 1, offset: 0) }
      #expect(taken && sink.rejects.count == rejects && sink.streams.isEmpty, "\(line.prefix(80))")
    }
  }

  @Test("polls before there was anything to tell say nothing of the format", arguments: ["[]", "{}"])
  func emptyPolls(poll: String) throws {
    let text = "\(poll)\n\(poll)\n{\"ts\":1700000001000,\"report\":[\(Self.codec),\(Self.inbound)]}\n"
    #expect(try recognised(text) == .getstatsLines)
    #expect(try recognised("\(poll)\n[\(Self.codec),\(Self.inbound)]\n") == .getstatsJSON)
    #expect(try recognised("\(poll)\n\(poll)\n") == nil)
    let sink = try readSource(text)
    #expect(sink.rejects.isEmpty && sink.streams.count == 1)
  }

  @Test("whose snapshots they are may stand beside all of them")
  func beside() throws {
    let snapshot = "{\"t\":1700000001000,\"report\":[\(Self.codec),\(Self.inbound)]}"
    for space in ["", "\n"] {
      let text = "{\(space)\"callId\":\"c-7\",\"endpoint\":\"callee\",\"reports\":[\(snapshot)]}"
      let sink = try readSource(text)
      let facts = try #require(sink.connections.values.first)
      #expect(facts.call == "c-7" && facts.endpoint == "callee", "\(text.prefix(20))")
    }
  }

  @Test("every shape gives the same sample", arguments: shapes.map(\.0))
  func shape(name: String) throws {
    let (_, text, format) = try #require(Self.shapes.first { $0.0 == name })
    #expect(try recognised(text) == format)
    for piece in [1, 64, Int.max] {
      let sink = try readSource(MemoryBytes(text, piece: piece))
      let stream = try #require(sink.streams(of: nil, .inbound).first)
      #expect(sink.streams.count == 1)
      #expect(stream.times == [1_700_000_001_000.5])
      #expect(stream.facts.ssrc == 4_294_967_295)
      #expect(stream.facts.codec == "opus")
      #expect(stream.facts.payloadType == 111)
      #expect(stream.last(.packets) == 50)
      #expect(stream.last(.lost) == -2)
      #expect(stream.last(.jitterMs) == 12.5)
      #expect(stream.last(.synthesizedMs) == 250)
      #expect(stream.last(.bytes) == nil, "unknown is not zero")
    }
  }

  @Test("a flat array in which an id comes again holds several snapshots")
  func flatArray() throws {
    let again = Self.inbound.replacing("1000.5", with: "2000.5").replacing(":50", with: ":99")
    let sink = try readSource("[\(Self.codec),\(Self.inbound),\n\(Self.codec),\(again)]")
    #expect(sink.streams(.inbound).first?.series(.packets) == [50, 99])
  }

  @Test(
    "of reports on lines of their own, one that comes again begins the next snapshot; other logs are not taken for it"
  )
  func reportLines() throws {
    let unknown = "{\"id\":\"Q\",\"type\":\"quantum\",\"timestamp\":1700000001000,\"spin\":1}"
    let again = Self.inbound.replacing("1000.5", with: "2000.5").replacing(":50", with: ":99")
    let sink = try readSource([Self.codec, Self.inbound, unknown, Self.codec, again].joined(separator: "\n"))
    #expect(sink.streams(.inbound).first?.series(.packets) == [50, 99])
    #expect(sink.events.first?.record.raw == "getStats quantum" && sink.rejects.isEmpty)
    for type in ["login", "session", "stream", "quantum"] {
      #expect(
        try recognised("{\"id\":\"1\",\"type\":\"\(type)\",\"timestamp\":1700000001000}\n") == nil, "\(type)")
    }
  }

  @Test("an unknown member is kept and named, an unknown report becomes an event")
  func unknownMembers() throws {
    let report = Self.inbound.replacing("\"jitter\"", with: "\"newFigure\":{\"a\":[1]},\"jitter\"")
    let sink = try readSource(
      "{\"ts\":1700000001000,\"pc\":\"a\",\"report\":{\"X\":\(report),\"Q\":{\"id\":\"Q\",\"type\":\"quantum\",\"timestamp\":1700000001000,\"spin\":1}}}"
    )
    #expect(sink.streams(.inbound).first?.extras == ["{\"newFigure\":{\"a\":[1]}}"])
    #expect(sink.notes["unknown member kept: inbound-rtp.newFigure"] == 1)
    #expect(sink.events.first?.record.raw == "getStats quantum")
    #expect(sink.events.first?.record.args.contains("\"spin\":1") == true)
  }

  @Test("a line that is no JSON is named with its line and byte")
  func notJSON() throws {
    let good = "{\"ts\":1700000001000,\"pc\":\"a\",\"report\":{\"X\":\(Self.inbound)}}\n"
    var error: SourceError?
    do { _ = try readSource(good + "{\"ts\":1,}") } catch let thrown as SourceError { error = thrown }
    #expect(error?.code == .notJSON)
    #expect(error?.line == 2)
    #expect(error?.byte == good.utf8.count + 8)
  }

  @Test("JSON without a report is no format")
  func otherJSON() throws {
    for text in [
      "{}", "[]", "[1,2]", "{\"sdp\":\"v=0\"}", "{\"a\":{\"b\":1}}", "3", "\"text\"", "[[]]", "[{}]",
    ] {
      #expect(try recognised(text) == nil, "\(text)")
    }
  }

  @Test("any number of connections in one source: those that were idle come back as the streams they were")
  func manyConnections() throws {
    var text = ""
    for round in 0..<2 {
      for connection in 0..<200 {
        let report = Self.inbound.replacing(":50", with: ":\(50 + round)").replacing(
          "1000.5", with: "\(1000 + round).5")
        text += "{\"ts\":1700000001000,\"pc\":\"p\(connection)\",\"report\":{\"IT01A1\":\(report)}}\n"
      }
    }
    let sink = try readSource(text)
    #expect(sink.connections.count == 200)
    #expect(sink.streams.count == 200)
    #expect(sink.streams.values.allSatisfy { $0.series(.packets) == [50, 51] })
  }
}
