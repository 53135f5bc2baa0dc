import CallModel
import EventLogs
import Testing

@Suite("A run log: one event a line")
struct RunLogTests {
  @Test(
    "the time in every shape",
    arguments: [
      #""ts":1795227795506.2"#, #""t":1795227795506.2"#, #""time":"1795227795506.2""#,
      #""timestamp":1795227795.5062"#,
      #""ts":"2026-11-21T02:23:15.5062Z""#, #""ts":"2026-11-21T03:23:15.5062+01:00""#,
    ])
  func times(member: String) throws {
    let log = try read(.runLog, "{\(member),\"pc\":\"caller\",\"event\":\"create\"}\n")
    let time = try #require(log.records.first?.timeMs)
    #expect(abs(time - 1_795_227_795_506.2) < 0.01)
    #expect(log.facts[1_000_000]?.name == "caller")
  }

  @Test(
    "keys that are pressed are nobody's business",
    arguments: ["cisco-rem playDTMFCode", "kandy-link sendDTMF", "pexip dtmf"])
  func tones(words: String) throws {
    let names = words.split(separator: " ").map(String.init)
    let story = try Story(
      .runLog,
      runLog(
        names[0],
        [
          "1 \(names[1]) [\"2468#\",true]",
          "2 \(names[1]) {\"code\":7,\"digits\":\"1,2w*\",\"kind\":\"rfc4733\"}",
        ]))
    let arguments = story.events(.callDtmf).map(\.args).joined()
    #expect(arguments.contains("[redacted]") && arguments.contains("rfc4733") && arguments.contains("true"))
    #expect(!arguments.contains("2468") && !arguments.contains(":7") && !arguments.contains("1,2"))
  }

  @Test("canonical names are taken as they are, whatever they would mean elsewhere")
  func canonical() throws {
    let names = EventName.allCases.filter { $0 != .unknown }
    let lines = names.enumerated().map {
      #"{"ts":\#(1_795_227_795_000 + $0),"event":"\#($1)","call":"c\#($0)"}"#
    }
    let log = try read(.runLog, lines.joined(separator: "\n"))
    #expect(log.records.count == names.count)
    for (name, record) in zip(names, log.records) {
      #expect(record.event == name && record.raw == name.rawValue, "\(name): \(record.event)")
    }
    let pressed = try read(.runLog, #"{"ts":1795227795000,"event":"call.dtmf","args":{"digits":"2468"}}"#)
    #expect(pressed.records.first?.args.contains("2468") == false)
  }

  @Test("arguments in args or loose beside it, and the meaning's facts beside them")
  func arguments() throws {
    let log = try read(
      .runLog,
      """
      {"t":1,"pc":"a","event":"iceconnectionstatechange","value":"completed"}
      {"t":2,"pc":"a","event":"connectionstatechange","args":{"value":"connected"}}
      {"t":3,"pc":"a","event":"speechStart","args":{"file":"x.wav","n":1.50}}
      """)
    #expect(log.names == [.iceConnected, .dtlsConnected, .callEstablished, .unknown])
    #expect(log.records.map(\.raw).last == "speechStart")
    #expect(log.records.last?.args == #"{"file":"x.wav","n":1.50}"#, "what nobody mapped keeps its arguments")
    #expect(log.records.first?.argument("state") == "completed")
    #expect(log.records.map(\.line) == [1, 2, 2, 3])
  }

  @Test("who it was: endpoint, call, direction, and what the SDP says; the ICE password stays out")
  func identities() throws {
    let log = try read(
      .runLog,
      #"""
      {"ts":1,"call":"c7","endpoint":"caller","sdk":"w3c","event":"createOfferOnSuccess","args":{"type":"offer","sdp":"v=0\r\na=ice-ufrag:ns1/\r\na=ice-pwd:bni3Wy6\r\na=ssrc:77 cname:x\r\n"}}
      {"ts":2,"call":"c7","endpoint":"caller","sdk":"w3c","event":"setRemoteDescription","type":"answer","sdp":"v=0\r\na=ice-ufrag:4kjj\r\n"}
      """#)
    let facts = try #require(log.facts[1_000_000])
    #expect(facts.endpoint == "caller")
    #expect(facts.call == "c7")
    #expect(facts.direction == .outgoing)
    #expect(facts.sdk == "w3c")
    #expect(log.identities.contains(.init(.ufragLocal, "ns1/")))
    #expect(log.identities.contains(.init(.ufragRemote, "4kjj")))
    #expect(log.identities.contains(.init(.ssrcOut, "77")))
    #expect(!log.records.contains { $0.args.contains("bni3Wy6") })
  }

  @Test("what names no call belongs to the last call named, or to the first")
  func calls() throws {
    let log = try read(
      .runLog,
      """
      {"ts":1,"sdk":"cisco-rem","event":"onSessionStarted"}
      {"ts":2,"sdk":"cisco-rem","call":"a","event":"onInCall"}
      {"ts":3,"sdk":"cisco-rem","event":"onNetworkUnavailable"}
      {"ts":4,"sdk":"cisco-rem","call":"b","event":"onInCall"}
      {"ts":5,"sdk":"cisco-rem","call":"a","event":"onEnded"}
      """)
    #expect(log.events.map(\.connection) == [1_000_000, 1_000_000, 1_000_000, 1_000_001, 1_000_000])
    #expect(log.facts[1_000_000]?.call == "a")
    #expect(log.facts[1_000_001]?.call == "b")
  }

  @Test("a snapshot on a line is somebody else's; a line that is no JSON says where")
  func others() throws {
    let sink = Collector()
    var reader = RunLogLineReader(sink: sink)
    func offer(_ text: String) throws -> Bool {
      try Array(text.utf8).withUnsafeBufferPointer { try reader.line($0, number: 3, offset: 100) }
    }
    #expect(try !offer(#"{"ts":1,"pc":"a","report":{"x":{"event":1}}}"#))
    #expect(try !offer(#"[1,2]"#))
    #expect(try offer(#"{"ts":1,"event":"create"}"#))
    #expect {
      _ = try offer(#"{"ts":1,"event":"create","x":}"#)
    } throws: { error in
      guard let error = error as? SourceError else { return false }
      return error.code == .notJSON && error.byte == 129 && error.line == 3
    }
  }

  @Test("recognised by its first event")
  func recognised() throws {
    #expect(try recognise(#"{"ts":1,"event":"create"}"# + "\n{\"ts\":2") == .runLog)
    #expect(
      try recognise(#"{"action":"callMetric","type":"callCreate","callId":"1","time":"1455701052999"}"#)
        == .runLog)
    #expect(try recognise(#"{"ts":1,"pc":"a","report":{}}"#) == nil)
    #expect(try recognise("PNG\u{0}\u{1}") == nil)
    #expect(try recognise("") == nil)
  }

  @Test("in a log of two SDKs a line is of the one that it names")
  func twoSDKs() throws {
    let log = try read(
      .runLog,
      """
      {"ts":1795168800000,"sdk":"kandy-link","call":"e1","event":"callCreate"}
      {"ts":1795168801000,"sdk":"kandy-link","call":"e1","event":"callStatusChanged","args":{"state":"ENDED","statusCode":404}}
      {"ts":1795168910000,"sdk":"oracle-wsc","call":"o1","event":"createCall"}
      {"ts":1795168910100,"sdk":"oracle-wsc","call":"o1","event":"callStateChanged","args":{"state":"WSC_CS_STARTED"}}
      {"ts":1795168911000,"call":"e1","event":"callStatusChanged","args":{"state":"ENDED"}}
      {"ts":1795168911100,"sdk":"oracle-wsc","call":"o1","event":"callStateChanged","args":{"state":"WSC_CS_REJECTED","cause":{"code":603}}}
      """)
    #expect(
      log.records.map(\.sdk).suffix(5) == [
        "oracle-wsc", "oracle-wsc", "oracle-wsc", "kandy-link", "oracle-wsc",
      ])
    #expect(log.names.last == .callFailed && !log.names.contains(.unknown))
  }

  @Test("a name that is a sentence is read by the words in it")
  func sentences() throws {
    let log = try read(
      .runLog,
      """
      {"timestamp":"2026-11-20T10:00:00Z","event":"createCall sip:1001@x","callId":"c1","level":"info"}
      {"timestamp":"2026-11-20T10:00:01Z","event":"onStatusChanged: RINGING","callId":"c1","level":"info"}
      {"timestamp":"2026-11-20T10:00:02Z","event":"onStatusChanged(IN_CALL)","callId":"c1","level":"info"}
      {"timestamp":"2026-11-20T10:00:03Z","event":"user looked at the time","callId":"c1","level":"info"}
      """)
    #expect(log.names == [.callCreated, .callRinging, .callEstablished, .unknown])
  }
}
