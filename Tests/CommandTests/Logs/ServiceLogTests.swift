import Foundation
import Testing

/// What the logs of rooms, sessions and pushes tell, each a fault that people met: the input stands in `FieldCases`.
@Suite("Logs of rooms, sessions and pushes")
struct ServiceLogTests {
  static let cases = Tool.root.appendingPathComponent("Tests/CommandTests/FieldCases")

  /// What one import of files gave.
  struct Imported {
    let calls: [[String: Any]]
    let events: [[String: Any]]
    let setups: [[String: Any]]
    let sessions: [[String: Any]]
    private let folder: TemporaryFolder
    let database: String

    init(_ files: String...) throws {
      folder = try TemporaryFolder()
      let file = folder.url.appendingPathComponent("x.sqlite").path
      database = file
      let paths = files.map { ServiceLogTests.cases.appendingPathComponent($0).path }
      try Tool.run(["import"] + paths + ["--db", file])
      calls = try Tool.run("calls", "--db", file, "--json").objects()
      events = try Tool.run("events", "--db", file, "--json").objects()
      setups = try Tool.run("setup", "--db", file, "--json").objects()
      sessions = try Tool.run("sessions", "--db", file, "--json").objects()
    }

    var outcomes: [String] { calls.compactMap { $0["outcome"] as? String } }
    var codes: [String?] { calls.map { $0["end_code"] as? String } }
    var names: [String] { events.compactMap { $0["event"] as? String } }

    func count(_ event: String) -> Int { names.count { $0 == event } }

    /// How long the events of a name lasted, s.
    func lasted(_ event: String) -> [Double] {
      events.filter { $0["event"] as? String == event }.compactMap { row in
        guard let from = row["t_ms"] as? Double, let until = row["until_ms"] as? Double else { return nil }
        return (until - from) / 1000
      }
    }

    /// How long a phase of the first attempt took, ms.
    func phase(_ name: String) -> Double? {
      let phases = setups.first?["phases"] as? [[String: Any]] ?? []
      return phases.first { $0["phase"] as? String == name }?["duration_ms"] as? Double
    }
  }

  private func show(_ file: String, _ words: String...) throws -> String {
    try Tool.run(["show", Self.cases.appendingPathComponent(file).path] + words).output
  }

  @Test(
    "a login that failed is listed, also if it is all that the log has",
    arguments: [
      "UC.onInitialisedFailed", "onFailure: WSCStatusCodeUnauthorized", "uc:onSessionNotStarted",
      "[client start]\n2026-11-20T10:00:01.000Z clientDidFail: Error Domain=REBErrorDomainClient Code=2",
    ])
  func firstFailure(line: String) throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let log = try folder.file("app.log", "2026-11-20T10:00:00.000Z \(line)\n")
    #expect(try Tool.run("import", log, "--db", database).status == 0)
    let rows = try Tool.run("sessions", "--db", database, "--json").objects()
    #expect(rows.compactMap { $0["outcome"] as? String } == ["failed"])
  }

  @Test(
    "a request whose status stands in front of its path is refused all the same",
    arguments: [("ack500.log", "failed"), ("calls503.log", "failed"), ("token404.log", "failed")])
  func statusInFront(file: String, outcome: String) throws {
    #expect(try Imported("sdk-b-01/\(file)").outcomes == [outcome])
  }

  @Test(
    "an interruption of less than half a minute ends no call",
    arguments: ["ended-constant.log", "ended-with-flags.log", "hung-up-after-3s.log"])
  func interruption(file: String) throws {
    let log = try Imported("sdk-b-02/\(file)")
    #expect(log.outcomes == ["completed"])
    #expect(log.lasted("media.interrupted").map { $0.rounded() } == [file.contains("3s") ? 3 : 15])
  }

  @Test(
    "a native connection that failed carried no call, in whatever words",
    arguments: ["native.log", "delegate-constant.log", "android-observer.log"])
  func nativeFailure(file: String) throws {
    let log = try Imported("sdk-b-03/\(file)")
    #expect(log.outcomes == ["failed"])
    #expect(log.count("ice.checking") == 1 && log.count("ice.failed") == 1)
  }

  @Test("who could not hibernate during a call has not lost it", arguments: ["hib.log", "guide-print.log"])
  func hibernation(file: String) throws {
    let log = try Imported("sdk-b-04/\(file)")
    #expect(log.outcomes == ["completed"])
    #expect(log.count("session.internal-error") == 1 && log.count("session.failed") == 0)
  }

  @Test("an answer that could not be set has failed the call, and ended the signalling")
  func answerRefused() throws {
    let log = try Imported("sdk-b-05/remote.log")
    #expect(log.outcomes == ["failed"])
    #expect(log.phase("signalling") ?? 0 < 1000)
  }

  @Test("requests and event stream of one participant are one end")
  func oneParticipant() throws {
    let log = try Imported("sdk-b-06/rest.log", "sdk-b-06/events.sse")
    #expect(log.outcomes == ["completed"])
    #expect(log.setups.count == 1)
  }

  @Test("an event stream alone tells how it ended, and who was without media")
  func streamAlone() throws {
    let log = try Imported("sdk-b-07/events.sse")
    #expect(log.outcomes == ["completed"])
    #expect(log.lasted("media.dropout") == [6])
  }

  @Test("a push that came too late, or was not valid, is reported")
  func pushes() throws {
    #expect(try Imported("sdk-b-08/relay.log").outcomes == ["no-answer"])
    let invalid = try Imported("sdk-b-08/invalid.log")
    #expect(invalid.count("push.invalid") == 1)
    #expect(invalid.sessions.map { $0["outcome"] as? String } == ["failed"])
  }

  @Test("attempts to reconnect are one outage, from the first to the end")
  func reconnection() throws {
    let log = try Imported("sdk-b-09/reconnect.log")
    #expect(log.lasted("session.reconnecting").map { ($0 * 10).rounded() } == [115])
    #expect(log.outcomes == ["completed"])
  }

  @Test("a HAR is read: requests, answers and events, and nothing secret")
  func har() throws {
    let log = try Imported("sdk-b-10/p05-browser.har")
    #expect(log.outcomes == ["completed"])
    #expect(log.count("sdp.offer-sent") == 1 && log.count("sdp.answer-received") == 1)
    #expect(log.count("call.established") == 1)
    #expect(log.calls.first?["duration_ms"] as? Double == 88_000)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: log.database))
    #expect(bytes.range(of: Data("SECRETTOKEN".utf8)) == nil)
  }

  @Test("setup begins with the token asked for with the right PIN")
  func pin() throws {
    let log = try Imported("sdk-b-11/pin.log")
    #expect(log.setups.first?["setup_ms"] as? Double == 1700)
    #expect(log.count("token.failed") == 2 && log.count("token.requested") == 3)
  }

  @Test("a code is read from the expression that holds it")
  func endCause() throws {
    #expect(try Imported("sdk-b-12/endcause.log").outcomes == ["no-answer"])
  }

  @Test("server-sent events within an application's log are read to their end")
  func eventsInLog() throws {
    let log = try Imported("sdk-b-13/inaka.log")
    #expect(log.count("call.ended") == 1 && log.count("conference.stage") == 1)
    #expect(log.outcomes == ["completed"])
    for file in ["inaka.log", "lines.jsonl"] {
      let folder = try TemporaryFolder()
      let page = folder.url.appendingPathComponent("page.html").path
      _ = try show("sdk-b-13/\(file)", "--html", page)
      #expect(try String(contentsOfFile: page, encoding: .utf8).contains("speaks: Bob"), "\(file)")
    }
  }

  @Test("every request of a conference tells what became of it")
  func controls() throws {
    let log = try Imported("sdk-b-14/controls.log")
    #expect(log.count("unknown") == 0)
    #expect(log.count("conference.error") == 2 && log.count("app.message-failed") == 1)
    #expect(log.count("conference.presentation-started") == 1 && log.count("call.muted") == 1)
  }

  @Test("who is refused another token is put out of the conference")
  func refresh() throws {
    let log = try Imported("sdk-b-15/refresh.log")
    #expect(log.outcomes == ["dropped"])
    #expect(
      log.sessions.contains { $0["outcome"] as? String == "failed" && $0["kind"] as? String == "token" })
  }

  @Test("from calling to ringing is signalling, and the push is a part of its own")
  func pushSetup() throws {
    let log = try Imported("sdk-b-16/push.log")
    #expect(log.phase("push") == 5000)
    #expect(log.phase("signalling") == 500)
    #expect(log.setups.first?["setup_ms"] as? Double == 5500)
  }

  @Test("who could not log in or register is counted, also in the words of a guide alone")
  func logins() throws {
    let logins = try Imported("sdk-b-17/a.log")
    #expect(logins.calls.isEmpty)
    #expect(logins.sessions.count >= 2 && logins.sessions.allSatisfy { $0["kind"] as? String == "login" })
    #expect(logins.sessions.allSatisfy { $0["outcome"] as? String == "failed" })
    let registration = try Imported("sdk-b-17/b.log").sessions.filter { $0["outcome"] as? String == "failed" }
    #expect(
      registration.contains {
        $0["kind"] as? String == "registration" && $0["duration_ms"] as? Double == 2000
      })
  }

  @Test("a session that goes on at another device has not lost its call")
  func handover() throws {
    #expect(try Imported("sdk-b-18/origin.log").outcomes == ["completed"])
  }

  @Test("a hang-up in frames ends a call that was answered")
  func frames() throws {
    let log = try Imported("sdk-b-19/frames.log")
    #expect(log.outcomes == ["completed"])
    #expect(try !show("sdk-b-19/frames.log").contains("no event says so"))
  }

  @Test("whom nobody lets in has had no call")
  func waitingRoom() throws {
    let log = try Imported("sdk-b-20/waiting.log")
    #expect(log.outcomes == ["no-answer"])
    #expect(log.lasted("conference.waiting").map { $0.rounded() } == [902])
  }

  @Test("a reason of the server that says what went wrong, or that nobody knows, is no good end")
  func reasons() throws {
    #expect(try Imported("sdk-b-21/reason.log").outcomes == ["dropped"])
  }

  @Test("a request and its answer are reported once, each as what it is")
  func answers() throws {
    let log = try Imported("sdk-b-22/rest.log")
    for event in [
      "token.requested", "token.granted", "sdp.offer-sent", "sdp.answer-received", "call.established",
      "token.refreshed",
    ] {
      #expect(log.count(event) == 1, "\(event)")
    }
    #expect(log.setups.first?["setup_ms"] as? Double == 2300)
    #expect(log.phase("signalling") == 500)
  }

  @Test("who presented, left and was lost is told of the right one")
  func participants() throws {
    let presenters = try Imported("sdk-b-23/presenters.sse")
    #expect(presenters.lasted("conference.presentation-started") == [4, 5])
    #expect(try Imported("sdk-b-23/dropout.sse").lasted("media.dropout") == [3])
    let gone = try Imported("sdk-b-23/gone-after-reconnect.sse").events.last {
      $0["event"] as? String == "conference.roster-synced"
    }
    #expect((gone?["args"] as? [String: Any])?["gone"] as? String == "9a9a9a9a-1111-4222-8333-944455566688")
  }

  @Test("who was called and declined has ended the call, with the code it gave")
  func declined() throws {
    let log = try Imported("sdk-b-24/decline.log")
    #expect(log.outcomes == ["busy"] && log.codes == ["486"])
    let end = log.events.first { $0["event"] as? String == "call.ended" }
    #expect((end?["args"] as? [String: Any])?["by"] as? String == "local")
  }

  private static let room = "https://mcu.example/api/client/v2/conferences/meet.alice"
  private static let media = "\(room)/participants/50b956c8-9a63-4711-8630-3810f8666b04/calls"

  /// An application's log of two requests, of which the second one is refused.
  private static let refused: [(name: String, lines: [String])] = [
    (
      "ktor",
      [
        "2026-11-20T10:00:00.000Z INFO HttpClient - REQUEST: \(room)/request_token",
        "2026-11-20T10:00:00.200Z INFO HttpClient - RESPONSE: 200 OK",
        "2026-11-20T10:00:00.200Z INFO HttpClient - FROM: \(room)/request_token",
        "2026-11-20T10:00:01.000Z INFO HttpClient - REQUEST: \(media)",
        "2026-11-20T10:00:01.400Z INFO HttpClient - RESPONSE: 503 Service Unavailable",
        "2026-11-20T10:00:01.400Z INFO HttpClient - FROM: \(media)",
      ]
    ),
    (
      "pino",
      [
        #"{"time":"2026-11-20T10:00:00.000Z","level":30,"msg":"request completed","req":{"method":"POST","url":"\#(room)/request_token"},"res":{"statusCode":200}}"#,
        #"{"time":"2026-11-20T10:00:01.000Z","level":30,"msg":"request completed","req":{"method":"POST","url":"\#(media)"},"res":{"statusCode":503}}"#,
      ]
    ),
    (
      "curl",
      [
        "2026-11-20T10:00:00.000Z > POST \(room.dropFirst(19))/request_token HTTP/2",
        "2026-11-20T10:00:00.300Z < HTTP/2 200",
        "2026-11-20T10:00:01.000Z > POST \(media.dropFirst(19)) HTTP/2",
        "2026-11-20T10:00:01.400Z < HTTP/2 503",
        #"2026-11-20T10:00:01.400Z {"status":"failed","result":"Resource unavailable"}"#,
      ]
    ),
    (
      "shell",
      [
        "2026-11-20 10:00:00 curl -X POST \(room)/request_token -> HTTP 200 (0.3s)",
        "2026-11-20 10:00:01 curl -X POST \(media) -> HTTP 503 (0.4s)",
      ]
    ),
    (
      "url session",
      [
        "2026-11-20 10:00:00.113 App[311:8123] [Request] POST \(room)/request_token",
        "2026-11-20 10:00:00.313 App[311:8123] [Response] 200 \(room)/request_token",
        "2026-11-20 10:00:01.113 App[311:8123] [Request] POST \(media)",
        "2026-11-20 10:00:01.513 App[311:8123] <NSHTTPURLResponse: 0x600> { URL: \(media) } { Status Code: 503, Headers { } }",
      ]
    ),
    (
      "okhttp",
      [
        "11-20 15:00:00.013  2211  2240 I okhttp.OkHttpClient: --> POST \(room)/request_token",
        "11-20 15:00:00.323  2211  2240 I okhttp.OkHttpClient: <-- 200 OK \(room)/request_token (310ms)",
        "11-20 15:00:01.963  2211  2240 I okhttp.OkHttpClient: --> POST \(media)",
        "11-20 15:00:11.963  2211  2240 I okhttp.OkHttpClient: <-- HTTP FAILED: java.net.SocketTimeoutException: timeout",
      ]
    ),
  ]

  @Test("a refused request is one however it is logged", arguments: refused.map(\.name))
  func styles(name: String) throws {
    let lines = try #require(Self.refused.first { $0.name == name }?.lines)
    let folder = try TemporaryFolder()
    let file = try folder.file("app.log", lines.joined(separator: "\n") + "\n")
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", file, "--db", database)
    #expect(
      try Tool.run("calls", "--db", database, "--json").objects().map { $0["outcome"] as? String } == [
        "failed"
      ])
    let events = try Tool.run("events", "--db", database, "--json").objects().compactMap {
      $0["event"] as? String
    }
    #expect(
      events.count { $0 == "token.requested" } == 1 && events.count { $0 == "call.failed" } == 1, "\(events)")
  }
}
