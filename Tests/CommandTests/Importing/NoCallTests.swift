import Foundation
import Testing

@Suite("Logs of sessions without a call")
struct NoCallTests {
  private static let idle = """
    2026-11-20T10:00:00.000Z ucDidStartSession: <ACBUC: 0x1700>
    2026-11-20T11:00:00.000Z onConnectionRetry attempt=1 delay=500
    2026-11-20T11:00:01.000Z onConnectionReestablished

    """
  private static let failed = """
    2026-11-20T10:00:00.000Z registerWithSignature: abc sequence: 17
    2026-11-20T10:00:01.000Z clientDidFail: Error Domain=REBErrorDomain Code=5000

    """
  private static let missed = """
    2026-11-20T10:00:00.000Z didReceiveRemoteNotification
    2026-11-20T10:00:50.400Z relayRemotePushNotificationPayload: isCall=1 isTimedOut=1 isValid=1

    """
  private let session = #""sessionId":"kR8zQ1""#
  private static let words = "nothing in it is about a call, only a session"

  /// A line of a run log, at a moment of its call.
  private func line(_ ms: Int, _ end: String, _ event: String, _ args: String) -> String {
    #"{"ts":\#(1_795_168_800_000 + ms),"sdk":"oracle-wsc","endpoint":"\#(end)","event":"\#(event)","args":{\#(args)}}"#
      + "\n"
  }

  private func imported(_ files: [String: String], _ more: String...) throws -> (Tool.Result, String) {
    let folder = try TemporaryFolder()
    let paths = try files.sorted { $0.key < $1.key }.map { try folder.file($0.key, $0.value) }
    let database = folder.url.appendingPathComponent("x.sqlite").path
    #expect(try Tool.run(["import"] + paths + ["--db", database] + more).status == 0)
    #expect(try Tool.run("check", "--db", database).status == 0)
    let calls = try Tool.run("calls", "--db", database, "--json")
    return (calls, try Tool.run("sources", "--db", database, "--json").output)
  }

  @Test("are no calls, and say so")
  func none() throws {
    let (calls, sources) = try imported(["idle.log": Self.idle, "failed.log": Self.failed])
    #expect(try calls.objects().isEmpty)
    #expect(sources.ranges(of: Self.words).count == 2, "\(sources)")
    let folder = try TemporaryFolder()
    let shown = try Tool.run("show", folder.file("idle.log", Self.idle))
    #expect(shown.status == 0 && shown.errors.contains("3 events"), "\(shown.errors)")
  }

  @Test("are none beside a call, and a push that came too late is one that nobody answered")
  func beside() throws {
    let (calls, sources) = try imported(["idle.log": Self.idle, "missed.log": Self.missed])
    let rows = try calls.objects()
    #expect(rows.map { $0["outcome"] as? String } == ["no-answer"])
    #expect(sources.ranges(of: Self.words).count == 1)
  }

  @Test("are of the call that they are said to be of")
  func given() throws {
    let (calls, sources) = try imported(["failed.log": Self.failed], "--call", "c7")
    #expect(try calls.objects().map { $0["call_id"] as? String } == ["c7"])
    #expect(!sources.contains(Self.words))
    let line =
      #"{"ts":1795168800000,"sdk":"rebtel","call":"c9","endpoint":"bob","event":"clientDidFail","args":{}}"#
    #expect(try imported(["named.jsonl": line + "\n"]).0.objects().map { $0["call_id"] as? String } == ["c9"])
  }

  @Test("belong to a call with which they share a session, and what people say of that stands")
  func sharing() throws {
    func laptop(_ args: String) -> String {
      line(5000, "laptop", "WSC_CS_STARTED", args) + line(9000, "laptop", "WSC_CS_ESTABLISHED", args)
        + line(60_000, "laptop", "WSC_CS_ENDED", args)
    }
    let phone =
      line(0, "phone", "WSCSessionStateConnected", session)
      + line(30_000, "phone", "WSCSessionStateSuspended", session)
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    func take(_ name: String, _ text: String) throws -> [Int?] {
      #expect(try Tool.run("import", folder.file(name, text), "--db", database).status == 0)
      #expect(try Tool.run("check", "--db", database).status == 0)
      return try Tool.run("calls", "--db", database, "--json").objects().map {
        ($0["sources"] as? [String])?.count
      }
    }
    func ends() throws -> [String] {
      try Tool.run("query", "SELECT endpoint FROM endpoints ORDER BY 1", "--db", database, "--json").objects()
        .compactMap { $0["endpoint"] as? String }
    }
    #expect(try take("phone.jsonl", phone) == [])
    #expect(try take("laptop.jsonl", laptop(session)) == [2])
    #expect(try ends() == ["laptop", "phone"])
    // What people say of it stands, and can be taken back.
    #expect(try Tool.run("split", "last", "phone", "--db", database).status == 0)
    let split = try Tool.run("calls", "--db", database, "--json").objects().compactMap {
      $0["call_id"] as? String
    }
    try #require(split.count == 2)
    #expect(try Tool.run("link", split[0], split[1], "--db", database).status == 0)
    #expect(try Tool.run("calls", "--db", database, "--json").objects().count == 1)
  }

  @Test("leave a call with the file that tied them to it")
  func leaving() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    for args in [session, ""] {
      let files = [
        ("phone.jsonl", line(0, "phone", "WSCSessionStateConnected", session)),
        (
          "laptop.jsonl",
          line(5000, "laptop", "WSC_CS_STARTED", args) + line(60_000, "laptop", "WSC_CS_ENDED", args)
        ),
      ]
      for (name, text) in files {
        #expect(try Tool.run("import", folder.file(name, text), "--db", database).status == 0)
      }
      let ends = try Tool.run(
        "query", "SELECT endpoint FROM endpoints ORDER BY 1", "--db", database, "--json")
      #expect(
        try ends.objects().compactMap { $0["endpoint"] as? String }
          == (args.isEmpty ? ["laptop"] : ["laptop", "phone"]))
    }
    #expect(try Tool.run("check", "--db", database).status == 0)
  }
}
