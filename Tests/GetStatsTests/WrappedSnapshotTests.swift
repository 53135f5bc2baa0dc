import CallModel
import Testing

@testable import GetStats

@Suite("Reports are found in any wrapper, and assigned to polls and connections")
struct WrappedSnapshotTests {
  /// The reports of one poll: an inbound stream and its codec.
  private static func reports(ssrc: Int = 1, second: Int) -> [(id: String, type: String, json: String)] {
    let time = "\"timestamp\":\(1_700_000_000_000 + second * 1000)"
    return [
      (
        "IT01A\(ssrc)", "inbound-rtp",
        "\"kind\":\"audio\",\"ssrc\":\(ssrc),\"packetsReceived\":\(second * 50)"
      ),
      ("T01", "transport", "\"dtlsState\":\"connected\""),
    ].map { ($0.0, $0.1, "{\"id\":\"\($0.0)\",\"type\":\"\($0.1)\",\(time),\($0.2)}") }
  }
  private static func list(ssrc: Int = 1, _ second: Int) -> String {
    "[\(reports(ssrc: ssrc, second: second).map(\.json).joined(separator: ","))]"
  }
  private static func byId(ssrc: Int = 1, _ second: Int) -> String {
    "{\(reports(ssrc: ssrc, second: second).map { "\"\($0.id)\":\($0.json)" }.joined(separator: ","))}"
  }
  private static func time(_ second: Int) -> String { "\"timestamp\":\(1_700_000_000_000 + second * 1000)" }
  /// What a function makes of three polls.
  private static func polls(_ make: (Int) -> String) -> [String] { (1...3).map(make) }
  private static func lines(_ make: (Int) -> String) -> String { polls(make).joined(separator: "\n") }
  private static func array(_ make: (Int) -> String) -> String {
    "[\(polls(make).joined(separator: ","))]"
  }
  private static func object(_ make: (Int) -> String) -> String {
    "{\(polls(make).joined(separator: ","))}"
  }
  /// A report of about:webrtc: one list for each type.
  private static func firefox(_ second: Int) -> String {
    let all = reports(second: second)
    return "{\"pcid\":\"pc1\",\(time(second)),\"sdpHistory\":[{\"sdp\":\"v=0\"}],\"configuration\":{},"
      + "\"transportStats\":[\(all[1].json)],\"inboundRtpStreamStats\":[\(all[0].json)]}"
  }
  /// An event of webrtc-stats: the same reports twice.
  private static func peermetrics(_ second: Int) -> String {
    let all = reports(second: second)
    return
      "{\"event\":\"stats\",\"peerId\":\"u1\",\"connectionId\":\"pc1\",\(time(second)),\"data\":{\"audio\":{"
      + "\"inbound\":[\(all[0].json)]},\"connection\":\(all[1].json)},\"rawStats\":\(list(second))}"
  }

  /// Texts of three polls of one connection, and the name it should have.
  static let ofOne: [(name: String, text: String, connection: String?)] = [
    (
      "a tick of objects",
      lines { "{\(time($0)),\"peerConnections\":[{\"id\":\"pc1\",\"stats\":\(list($0))}]}" }, "pc1"
    ),
    ("a tick by name", lines { "{\(time($0)),\"peerConnections\":{\"pc1\":\(list($0))}}" }, "pc1"),
    (
      "ticks in a list",
      array { "{\(time($0)),\"peerConnections\":[{\"id\":\"pc1\",\"stats\":\(list($0))}]}" }, "pc1"
    ),
    ("webrtc-stats, lines", lines(peermetrics), "pc1"),
    ("webrtc-stats, a list", array(peermetrics), "pc1"),
    ("an event with its data", lines { "{\"event\":\"getStats\",\(time($0)),\"data\":\(list($0))}" }, nil),
    (
      "an event with a payload",
      lines { "{\"event\":\"stats\",\(time($0)),\"payload\":{\"pcId\":\"pc1\",\"report\":\(list($0))}}" },
      "pc1"
    ),
    ("keyed by milliseconds", object { "\"\(1_700_000_000_000 + $0 * 1000)\":\(byId($0))" }, nil),
    ("keyed by ISO times", object { "\"2023-11-14T22:13:2\($0).500Z\":\(byId($0))" }, nil),
    ("lists keyed by ISO times", object { "\"2023-11-14T22:13:2\($0).500Z\":\(list($0))" }, nil),
    ("keyed by number", object { "\"\($0)\":\(byId($0))" }, nil),
    ("keyed by words with a number", object { "\"poll_\($0)\":\(byId($0))" }, nil),
    (
      "keyed by what never comes again", object { "\"p\(String(repeating: "x", count: $0))\":\(byId($0))" },
      "px"
    ),
    (
      "keyed by time under a word, of a user",
      "{\"user\":\"x\",\"stats\":\(object { "\"\(1_700_000_000 + $0)\":\(byId($0))" })}", "x"
    ),
    ("keyed by time under a name", "{\"pc1\":\(object { "\"\(1_700_000_000 + $0)\":\(list($0))" })}", "pc1"),
    ("a member of any name", lines { "{\(time($0)),\"rtcStatsReport\":\(list($0))}" }, nil),
    ("data", lines { "{\(time($0)),\"data\":\(list($0))}" }, nil),
    (
      "an object in a list in a list",
      array { "[{\"connectionId\":\"pc1\",\"rtcStatsReport\":\(byId($0))}]" }, "pc1"
    ),
    ("about:webrtc, lines", lines(firefox), "pc1"),
    ("about:webrtc, its history", "{\"reports\":\(array(firefox)),\"sdpHistories\":[]}", "pc1"),
    ("about:webrtc, a bare list", array(firefox), "pc1"),
    ("an id that is the message's", lines { "{\(time($0)),\"id\":\"m\($0)\",\"stats\":\(list($0))}" }, nil),
    ("an id that is the connection's", lines { "{\(time($0)),\"id\":\"pc1\",\"stats\":\(list($0))}" }, "pc1"),
    (
      "a type that is no report's",
      lines { "{\(time($0)),\"id\":\"pc1\",\"type\":\"stats\",\"stats\":\(list($0))}" }, "pc1"
    ),
    (
      "under a word that is nobody's name",
      "{\"pcs\":[{\"stats\":\(array { "{\(time($0)),\"report\":\(byId($0))}" })}]}", nil
    ),
  ]

  @Test("three polls of one connection", arguments: ofOne.map(\.name))
  func one(name: String) throws {
    let (_, text, connection) = try #require(Self.ofOne.first { $0.name == name })
    for text in [text, text + "\n", text.replacing("},{", with: "},\n{")] {
      let sink = try readSource(text)
      #expect(sink.connections.values.map(\.name) == [connection])
      #expect(sink.streams.count == 1)
      #expect(sink.streams(.inbound).first?.series(.packets) == [50, 100, 150])
      #expect(sink.rejects.isEmpty && sink.events.isEmpty)
    }
  }

  /// Texts of three polls of two connections, of which the second has twice the packets.
  static let ofTwo: [(name: String, text: String)] = [
    ("connectionId", pairs { "{\(time($1)),\"connectionId\":\"\($0)\",\"stats\":\(list(ssrc: $2, $1))}" }),
    ("peerId", pairs { "{\(time($1)),\"peerId\":\"\($0)\",\"stats\":\(list(ssrc: $2, $1))}" }),
    ("id", pairs { "{\(time($1)),\"id\":\"\($0)\",\"stats\":\(list(ssrc: $2, $1))}" }),
    (
      "a list of connections with their polls",
      "["
        + both { name, ssrc in
          "{\"id\":\"\(name)\",\"stats\":\(array { "{\(time($0)),\"report\":\(byId(ssrc: ssrc, $0))}" })}"
        } + "]"
    ),
    (
      "the same under a word",
      "{\"pcs\":[" + both { name, ssrc in "{\"id\":\"\(name)\",\"stats\":\(array { list(ssrc: ssrc, $0) })}" }
        + "]}"
    ),
    (
      "flat reports by connection",
      "{"
        + both { name, ssrc in
          "\"\(name)\":[\(polls { String(list(ssrc: ssrc, $0).dropFirst().dropLast()) }.joined(separator: ","))]"
        } + "}"
    ),
    (
      "side by side in a line",
      lines { second in "{\(time(second))," + both { "\"\($0)\":\(list(ssrc: $1, second))" } + "}" }
    ),
    (
      "side by side in a list",
      array { second in "{\(time(second))," + both { "\"\($0)\":\(byId(ssrc: $1, second))" } + "}" }
    ),
    (
      "ticks",
      lines { second in
        "{\(time(second)),\"peerConnections\":[" + both { "[\"\($0)\",\(list(ssrc: $1, second))]" } + "]}"
      }
    ),
  ]

  private static func both(_ make: (String, Int) -> String) -> String {
    make("alpha", 1) + "," + make("beta", 2)
  }
  private static func pairs(_ make: (String, Int, Int) -> String) -> String {
    lines { second in make("alpha", second, 1) + "\n" + make("beta", second, 2) }
  }

  @Test("three polls of two connections", arguments: ofTwo.map(\.name))
  func two(name: String) throws {
    let (_, text) = try #require(Self.ofTwo.first { $0.name == name })
    for text in [text, text.replacing("},{", with: "},\n{")] {
      let sink = try readSource(text)
      #expect(sink.connections.values.compactMap(\.name).sorted() == ["alpha", "beta"])
      for (name, ssrc) in [("alpha", UInt32(1)), ("beta", 2)] {
        let streams = sink.streams(of: name, .inbound)
        #expect(streams.map(\.facts.ssrc) == [ssrc])
        #expect(streams.first?.series(.packets) == [50, 100, 150])
      }
      #expect(sink.rejects.isEmpty)
    }
  }

  @Test("connections by number are told from polls by number")
  func numbered() throws {
    let text = Self.lines {
      "{\(Self.time($0)),\"peerConnections\":{\"0\":\(Self.list($0)),\"1\":\(Self.list(ssrc: 2, $0))}}"
    }
    let sink = try readSource(text)
    #expect(sink.connections.count == 2)
    #expect(sink.streams(.inbound).map { $0.series(.packets) } == [[50, 100, 150], [50, 100, 150]])
  }

  @Test("an element in which nothing is found, among others, is counted")
  func misses() throws {
    let other = "{\"ping\":[1,2],\"at\":5}"
    let sink = try readSource(
      "[\(other),\n{\(Self.time(1)),\"stats\":\(Self.list(1))},\(other),[],{\"stats\":[]}]")
    #expect(sink.rejects.map(\.count) == [2])
    #expect(sink.streams(.inbound).first?.series(.packets) == [50])
  }

  @Test("figures of streams that say no type are counted, not passed over in silence")
  func untyped() throws {
    let sink = try readSource(
      Self.lines { second in
        "{\(Self.time(second)),\"paths\":[\(Self.reports(second: second)[1].json)],\"remoteAudioTrackStats\":["
          + "{\"ssrc\":\"7\",\"packetsReceived\":\(second),\"packetsLost\":0}],\"levels\":[{\"name\":\"x\"}]}"
      })
    #expect(
      sink.rejects.map(\.reason)
        == Array(repeating: "statistics of a stream in a form that is not known", count: 3))
  }

  @Test("times without a zone are reported once, in every place")
  func noZone() throws {
    func time(_ second: Int, _ zone: String) -> String { "\"2026-11-21T07:24:2\(second).361200\(zone)\"" }
    func report(_ second: Int, _ time: String) -> String {
      "{\"id\":\"I1\",\"type\":\"inbound-rtp\",\"timestamp\":\(time),\"ssrc\":7,\"kind\":\"audio\",\"packetsReceived\":\(second)}"
    }
    let shapes: [(String) -> String] = [
      { zone in
        Self.lines { "{\"time\":\(time($0, zone)),\"pc\":\"a\",\"stats\":{\"I1\":\(report($0, "0"))}}" }
      },
      { zone in Self.lines { "{\"pc\":\"a\",\"stats\":{\"I1\":\(report($0, time($0, zone)))}}" } },
      { zone in Self.array { "{\"time\":\(time($0, zone)),\"stats\":[\(report($0, "null"))]}" } },
      { zone in Self.lines { report($0, time($0, zone)) } },
    ]
    for (index, shape) in shapes.enumerated() {
      #expect(try readSource(shape("")).notes["times in it have no zone: taken as UTC"] == 1, "\(index)")
      for zone in ["Z", "+05:30", " UTC", "-0330"] {
        let sink = try readSource(shape(zone))
        #expect(sink.notes.isEmpty, "\(index) \(zone) \(sink.notes)")
        #expect(sink.streams(.inbound).first?.samples.count == 3, "\(index) \(zone)")
      }
    }
  }

  @Test(
    "snapshots in a list of records may hold their reports as text",
    arguments: ["{\"records\":", "[", "{\"log\":{\"entries\":"])
  func quotedRecords(head: String) throws {
    let records = Self.polls { second in
      let text = Self.byId(second).replacing("\"", with: "\\\"")
      return "{\(Self.time(second)),\"stats\":\"\(text)\"}"
    }
    let tail = String(head.filter { $0 == "{" }.map { _ in "}" })
    let sink = try readSource(
      "\(head)\(head == "[" ? "" : "[")\(records.joined(separator: ","))]\(tail)", name: "records.json")
    #expect(sink.streams(.inbound).first?.series(.packets) == [50, 100, 150])
    #expect(sink.rejects.isEmpty)
  }

  @Test("reports that were written as text once more are read")
  func quoted() throws {
    let text = Self.lines { second in
      let reports = Self.list(second).replacing("\"", with: "\\\"")
      return "{\(Self.time(second)),\"pc\":\"pc1\",\"stats\":\"\(reports)\",\"x\":1}"
    }
    for text in ["{\(Self.time(0)),\"pc\":\"pc1\",\"stats\":\"[]\"}\n" + text, text] {
      let sink = try readSource(text)
      #expect(sink.connections.values.map(\.name) == ["pc1"] && sink.rejects.isEmpty)
      #expect(sink.streams(.inbound).first?.series(.packets) == [50, 100, 150])
    }
    let words = "{\(Self.time(0)),\"pc\":\"pc1\",\"stats\":\"[none yet]\"}\n"
    #expect(try readSource(words + text, as: .getstatsLines).rejects.map(\.count) == [1])
  }

  @Test(
    "a poll from before the media, with a place for each kind of report",
    arguments: [#""inbound-rtp":{},"candidate-pair":{}"#, #""audio":[],"video":[]"#])
  func emptyParts(members: String) throws {
    let polls = Self.lines {
      "{\(Self.time($0)),\"inbound-rtp\":{\"audio\":\(Self.reports(second: $0)[0].json)}}"
    }
    let sink = try readSource("{\(Self.time(0)),\(members)}\n" + polls, as: .getstatsLines)
    #expect(sink.rejects.isEmpty)
    #expect(sink.streams(.inbound).first?.series(.packets) == [50, 100, 150])
    let other = "{\(Self.time(0)),\"msg\":\"x\",\"tags\":[]}\n"
    #expect(try readSource(other + polls, as: .getstatsLines).rejects.count == 1)
  }

  @Test("an event whose statistics are of another kind stays an event")
  func otherStatistics() throws {
    let line = Array("{\"event\":\"ended\",\"ts\":1,\"stats\":{\"seconds\":5}}".utf8)
    let sink = RecordingSink()
    var reader = SnapshotLineReader(sink: sink)
    #expect(try !line.withUnsafeBufferPointer { try reader.line($0, number: 1, offset: 0) })
    #expect(sink.rejects.isEmpty)
  }

  @Test("rtcstats' first form is not taken for reports, whose connections are written much the same")
  func rtcstats() throws {
    let event = "{\"time\":\"2016-01-28T18:24:20.210Z\",\"type\":\"create\",\"value\":null}"
    #expect(try recognised("{\"peerConnections\":{\"PC_0\":[\(event)]}}") == .rtcstatsV0)
    #expect(try recognised("{\"peerConnections\":{\"PC_0\":[]}}") == .rtcstatsV0)
    #expect(try recognised("{\"peerConnections\":{\"PC_0\":\(Self.list(1))}}") == .getstatsLines)
  }

  @Test("objects of other logs that call something a track or a codec are no reports")
  func otherJSON() throws {
    for type in ["track", "codec", "transport", "session"] {
      let text = "{\"items\":[{\"added\":1,\"it\":{\"type\":\"\(type)\",\"id\":\"7\"}}]}"
      #expect(try recognised(text) == nil, "\(type)")
    }
  }

  @Test(
    "names of members",
    arguments: [
      ("1700000000123", MemberName.time(1_700_000_000_123)), ("7", .number), ("poll-12", .number),
      ("rtcStatsReport", .kind), ("RTCStats", .kind), ("inboundRtpStreamStats", .kind), ("payload", .kind),
      ("breadcrumbs", .kind), ("Attributes", .kind), ("event_data", .kind), ("inbound-rtp", .kind),
      ("peer_connections", .kind), ("pc1", .owner), ("local", .owner), ("publisher", .owner),
      ("publisherStats", .owner), ("", .kind), ("-", .owner),
    ])
  func names(name: String, meaning: MemberName) { #expect(MemberName(Array(name.utf8)) == meaning) }
}
