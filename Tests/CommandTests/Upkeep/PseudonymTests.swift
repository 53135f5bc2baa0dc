import Foundation
import Testing

@Suite("With --pseudonymize nobody is in the database")
struct PseudonymTests {
  private static let log = """
    {"t":1795225814565.8,"pc":"caller","event":"call","displayName":"Zoë Quimby","from":"sip:zoe.quimby@acme.example","to":"+15551230042"}
    {"t":1795225814566.8,"pc":"caller","event":"log","text":"Zoë Quimby called 15551230042 from 198.51.100.23 and 2001:db8:7:9::42"}
    {"t":1795225814892.3,"pc":"caller","event":"createOfferOnSuccess","type":"offer","sdp":"v=0\\r\\no=zquimby 894 2 IN IP4 198.51.100.23\\r\\ns=-\\r\\nc=IN IP4 198.51.100.23\\r\\na=ice-ufrag:amKZ\\r\\na=candidate:1 1 udp 2122 198.51.100.23 50000 typ host\\r\\n"}
    {"ts":1795225815000,"pc":"caller","report":{"P":{"id":"P","timestamp":1795225815000,"type":"candidate-pair","state":"succeeded","nominated":true,"localCandidateId":"L","remoteCandidateId":"R"},"L":{"id":"L","timestamp":1795225815000,"type":"local-candidate","address":"198.51.100.23","port":50000,"candidateType":"host","protocol":"udp"},"R":{"id":"R","timestamp":1795225815000,"type":"remote-candidate","address":"203.0.113.77","port":3478,"candidateType":"relay","protocol":"udp"}}}
    """
  private static let planted = [
    "Quimby", "zoe.quimby", "acme.example", "15551230042", "198.51.100.23", "203.0.113.77",
    "2001:db8:7:9::42",
    "zquimby",
  ]

  @Test("no planted name, number or address is found, and the same person is the same in two imports")
  func planted() throws {
    let folder = try TemporaryFolder()
    let key = try folder.file("key", "a key that nobody can guess 0123456789")
    var answers: [String] = []
    for (name, log) in [("a", Self.log), ("b", Self.log + "\n")] {
      let source = try folder.file("\(name)/calls.jsonl", log)
      let database = folder.url.appendingPathComponent("\(name).sqlite").path
      let result = try Tool.run(
        "import", source, "--db", database, "--pseudonymize", "--key-file", key, "--keep-unknown")
      #expect(result.status == 0, "\(result.errors)")
      var text = result.output + result.errors
      for ending in ["", "-wal"] {
        text +=
          (try? Data(contentsOf: URL(fileURLWithPath: database + ending))).map {
            String(decoding: $0, as: UTF8.self)
          } ?? ""
      }
      for word in Self.planted { #expect(!text.contains(word), "\(word) is still there") }
      answers.append(
        try Tool.run("query", "select args from events order by t_ms", "--db", database, "--csv").output)
    }
    #expect(answers[0] == answers[1])
    #expect(answers[0].contains("person-"))
    #expect(answers[0].contains("198.51.100."), "the network stays")
    #expect(answers[0].contains("2001:db8:7:"))
  }

  @Test("a name is found in capitals, percent-encoded, in paths and as a possessive")
  func spellings() throws {
    let folder = try TemporaryFolder()
    let key = try folder.file("key", "a key that nobody can guess 0123456789")
    let texts = [
      "ZOE QUIMBY hung up", "zoe quimby's phone", "GET /users/Zoe%20Quimby/calls", "/v1/zoe-quimby?x=1",
      "https%3A%2F%2Fh.example%2Fzoe%20quimby%2Fx", "Müller, MÜLLER, m%C3%BCller",
      "to zoe_quimby and Zoe.Quimby",
    ]
    let lines =
      [
        #"{"ts":1795225814000,"call":"c1","event":"join","displayName":"Zoe Quimby","callee":"Müller"}"#,
        #"{"ts":1795225814001,"call":"c1","event":"join","displayName":"Audio"}"#,
      ]
      + texts.enumerated().map {
        #"{"ts":\#(1_795_225_815_000 + $0),"call":"c1","event":"log","reason":"\#($1)","kind":"audio"}"#
      }
    let log = try folder.file("calls.jsonl", lines.joined(separator: "\n"))
    let events = try Tool.run("extract", log, "--only", "events").output
    #expect(events.contains("ZOE QUIMBY"))
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", log, "--db", database, "--pseudonymize", "--key-file", key)
    let stored = try Tool.run("events", "--db", database, "--json").output
    for word in ["quimby", "müller", "m%c3%bcller"] {
      #expect(!stored.lowercased().contains(word), "\(stored)")
    }
    #expect(stored.contains(#""kind":"audio""#), "a word that someone is called as well stays")
    let people = Set(stored.matches(of: /person-[0-9a-f]{12}/).map { String($0.output) })
    #expect(people.count == 3, "each spelling is the same person: \(people)")
  }

  @Test("whom a call goes to is a person, though nothing says so but the method")
  func dialled() throws {
    let folder = try TemporaryFolder()
    let key = try folder.file("key", "a key that nobody can guess 0123456789")
    let log = try folder.file(
      "app.log",
      """
      2026-11-20T10:00:01.000Z D App: onCallStateChanged state=1 incomingNumber=01701234567
      2026-11-20T10:00:02.000Z D App: callUserWithId 01709999999
      2026-11-20T10:00:03.000Z D App: createCallToAddress 4711 onStatusChanged SETUP
      2026-11-20T10:00:04.000Z D App: createCall bob.meier
      2026-11-20T10:00:05.000Z D App: callEnded remoteUserId=bob.meier

      """)
    let database = folder.url.appendingPathComponent("x.sqlite").path
    #expect(
      try Tool.run("import", log, "--db", database, "--pseudonymize", "--key-file", key).status == 0)
    let events = try Tool.run(
      "query", "select raw, args from events order by t_ms", "--db", database, "--csv")
    for word in ["01701234567", "01709999999", "4711", "bob.meier"] {
      #expect(!events.output.contains(word), "\(word): \(events.output)")
    }
    #expect(events.output.contains("SETUP"), "a state is nobody")
  }

  @Test("whose snapshots are is a person too")
  func snapshots() throws {
    let folder = try TemporaryFolder()
    let key = try folder.file("key", "a key that nobody can guess 0123456789")
    let report = #"[{"id":"I","timestamp":1795400000000,"type":"inbound-rtp","ssrc":7,"packetsReceived":1}]"#
    let lines = ["userId", "participant"].map { #"{"\#($0)":"zoelagrange","stats":\#(report)}"# }
    let list = #"{"participants":[{"name":"zoelagrange","polls":[\#(report)]}]}"#
    for (name, text) in [("lines.jsonl", lines.joined(separator: "\n")), ("list.json", list)] {
      let file = try folder.file(name, text)
      let database = folder.url.appendingPathComponent("\(name).sqlite").path
      #expect(
        try Tool.run("import", file, "--db", database, "--pseudonymize", "--key-file", key).status == 0)
      let ends = try Tool.run(
        "query", "select name, endpoint, person from source_views", "--db", database, "--csv"
      ).output
      #expect(ends.contains("person-") && !ends.contains("zoe"), "\(ends)")
    }
  }

  @Test("the name of an end, of a connection and of a track is nobody's either; a role stays")
  func ends() throws {
    let folder = try TemporaryFolder()
    let key = try folder.file("key", "a key that nobody can guess 0123456789")
    let report =
      #"[{"id":"I","type":"inbound-rtp","kind":"audio","ssrc":7,"trackIdentifier":"zoe-headset","packetsReceived":1,"timestamp":1795400000000}]"#
    let log = try folder.file(
      "run.jsonl",
      [
        #"{"ts":1795400000000,"call":"c1","endpoint":"Zoe Lagrange","event":"create","sdk":"rebtel","args":{}}"#,
        #"{"ts":1795400001000,"call":"c1","endpoint":"Zoe Lagrange","event":"log","args":{"text":"Zoe Lagrange hung up"}}"#,
        #"{"ts":1795400002000,"call":"c1","endpoint":"callee","event":"create","sdk":"rebtel","args":{}}"#,
        #"{"ts":1795400003000,"pc":"Max Quimby","stats":\#(report)}"#,
      ].joined(separator: "\n") + "\n")
    let database = folder.url.appendingPathComponent("x.sqlite").path
    #expect(
      try Tool.run("import", log, "--db", database, "--pseudonymize", "--key-file", key).status == 0)
    let stored = String(decoding: try Data(contentsOf: URL(fileURLWithPath: database)), as: UTF8.self)
      .lowercased()
    for name in ["lagrange", "quimby", "headset"] { #expect(!stored.contains(name), "\(name)") }
    let ends = try Tool.run("query", "SELECT endpoint FROM source_views", "--db", database, "--csv").output
    #expect(ends.contains("person-") && ends.contains("callee"), "\(ends)")
  }

  @Test("a long text of names and values is read once", .timeLimit(.minutes(1)))
  func longText() throws {
    let folder = try TemporaryFolder()
    let key = try folder.file("key", "a key that nobody can guess 0123456789")
    let text = String(repeating: "a:", count: 60_000)
    let log = try folder.file(
      "x.jsonl", #"{"ts":1795400000000,"event":"foo","args":{"x":"\#(text)"}}"# + "\n")
    let database = folder.url.appendingPathComponent("x.sqlite").path
    #expect(
      try Tool.run("import", log, "--db", database, "--pseudonymize", "--key-file", key).status == 0)
  }

  @Test("without a key, or with a short one, nothing is imported")
  func noKey() throws {
    let folder = try TemporaryFolder()
    let source = try folder.file("a.jsonl", Self.log)
    let short = try folder.file("short", "1234")
    let words = [
      "import", source, "--db", folder.url.appendingPathComponent("x.sqlite").path, "--pseudonymize",
    ]
    #expect(try Tool.run(words).status == 2)
    #expect(try Tool.run(words + ["--key-file", short]).status == 2)
  }
}
