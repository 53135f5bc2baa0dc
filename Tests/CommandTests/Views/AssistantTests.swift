import Foundation
import Testing

@Suite("The database for assistants, by the Model Context Protocol")
struct AssistantTests {
  private let folder: TemporaryFolder
  private let database: String

  init() throws {
    folder = try TemporaryFolder()
    database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample("bad-call"), Tool.sample("healthy-call"), "--db", database)
  }

  private func answers(_ messages: [String], _ options: String...) throws -> [[String: Any]] {
    try Tool.run(
      ["mcp", "--db", database] + options, input: Data((messages.joined(separator: "\n") + "\n").utf8)
    ).objects()
  }

  private static func call(_ tool: String, _ arguments: String = "{}") -> String {
    #"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
  }

  private func text(_ message: String, _ options: String...) throws -> (text: String, isError: Bool) {
    let answer = try Tool.run(["mcp", "--db", database] + options, input: Data((message + "\n").utf8))
      .objects()
    let result = try #require(answer.first?["result"] as? [String: Any])
    let content = try #require((result["content"] as? [[String: Any]])?.first?["text"] as? String)
    return (content, result["isError"] as? Bool ?? false)
  }

  @Test("a session begins, lists its tools as reading only, and answers nothing to what wants no answer")
  func session() throws {
    let answers = try answers([
      #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{}}}"#,
      #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
      #"{"jsonrpc":"2.0","id":"two","method":"tools/list"}"#, #"{"jsonrpc":"2.0","id":3,"method":"ping"}"#,
    ])
    #expect(answers.count == 3)
    #expect((answers[0]["result"] as? [String: Any])?["protocolVersion"] as? String == "2024-11-05")
    #expect(answers[1]["id"] as? String == "two")
    let tools = (answers[1]["result"] as? [String: Any])?["tools"] as? [[String: Any]] ?? []
    #expect(tools.count == 9)
    for tool in tools {
      #expect((tool["annotations"] as? [String: Any])?["readOnlyHint"] as? Bool == true)
      #expect((tool["inputSchema"] as? [String: Any])?["type"] as? String == "object")
    }
  }

  @Test(
    "what is no message is refused in words, and the session goes on",
    arguments: [
      "hello", "[]", "{\"id\":1}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}",
      "{\"id\":1,\"method\":\"tools/call\"}",
    ])
  func wrong(message: String) throws {
    let answers = try answers([message, #"{"jsonrpc":"2.0","id":3,"method":"ping"}"#])
    #expect(answers.count == 2 && answers[0]["error"] != nil && answers[1]["result"] != nil)
  }

  @Test("one call's facts say what it was like and why, within a few thousand characters")
  func facts() throws {
    let facts = try text(Self.call("call_facts", #"{"call":"BAD"}"#))
    #expect(!facts.isError && facts.text.utf8.count < 4000)
    for word in ["\"verdict\":\"poor\"", "untrusted", "loss", "bandwidth-starved"] {
      #expect(facts.text.contains(word), "\(word)")
    }
    #expect(try text(Self.call("call_facts", #"{"call":"nobody"}"#)).isError)
    #expect(try text(Self.call("call_facts")).text.contains("needs 'call'"))
  }

  @Test("all that a recording says stands under data, the words about a call too")
  func untrusted() throws {
    let facts = try text(Self.call("call_facts", #"{"call":"bad"}"#)).text
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(facts.utf8)) as? [String: Any])
    #expect(Set(object.keys) == ["untrusted", "data"], "\(object.keys)")
    let row = try #require((object["data"] as? [[String: Any]])?.first)
    #expect((row["text"] as? String)?.contains("poor: callee") == true)
  }

  @Test(
    "an argument that is none of its kind is refused in words",
    arguments: [
      ("list_calls", #"{"limit":"abc"}"#), ("list_calls", #"{"worst":0}"#), ("list_calls", #"{"sdk":5}"#),
      ("query", #"{"sql":"SELECT 1","limit":-1}"#),
    ])
  func arguments(tool: String, given: String) throws {
    let answer = try text(Self.call(tool, given))
    #expect(answer.isError && answer.text.contains("' is a"), "\(answer.text)")
    #expect(try !text(Self.call("list_calls", #"{"limit":"1","verdict":"not-set-up"}"#)).isError)
  }

  @Test(
    "an argument or a word that a tool does not know is an error that names it and what there is",
    arguments: [
      (
        "list_calls", #"{"verdit":"poor"}"#, "no argument 'verdit'; did you mean 'verdict'?",
        "verdict, outcome, broken, place, person, sdk"
      ),
      ("list_runs", #"{"limit":3}"#, "no argument 'limit'", "takes none"),
      ("find_call", #"{"text":"x","run":"y"}"#, "no argument 'run'", "It takes: text."),
      ("list_calls", #"{"verdict":"bad"}"#, "'verdict' knows no \"bad\"", "no-picture"),
      ("list_calls", #"{"finding":"one-way"}"#, "'finding' knows no \"one-way\"", "one-way-audio"),
      ("list_calls", #"{"sdk":"pexxip"}"#, "SDK 'pexxip'", "w3c"),
      ("list_calls", #"{"codec":"H999"}"#, "codec 'H999'", "VP8"),
      ("explain_finding", #"{"code":"one-way"}"#, "'code' knows no \"one-way\"", "one-way-audio"),
    ])
  func unknownArguments(tool: String, given: String, named: String, known: String) throws {
    let answer = try text(Self.call(tool, given))
    #expect(answer.isError && answer.text.contains(named) && answer.text.contains(known), "\(answer.text)")
  }

  @Test("a schema names the words that an argument takes, and allows no argument beside those it names")
  func schemas() throws {
    let answers = try answers([#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#])
    let tools = try #require((answers[0]["result"] as? [String: Any])?["tools"] as? [[String: Any]])
    for tool in tools {
      let schema = try #require(tool["inputSchema"] as? [String: Any])
      #expect(schema["additionalProperties"] as? Bool == false)
      guard tool["name"] as? String == "list_calls" else { continue }
      let verdict = (schema["properties"] as? [String: Any])?["verdict"] as? [String: Any]
      #expect((verdict?["enum"] as? [String])?.contains("not-set-up") == true)
    }
  }

  @Test(
    "a moment of a call, its events, times of calls, tables and columns are asked for by tools alone",
    arguments: [
      ("call_facts", #"{"call":"bad","since":"+0:10"}"#, ["0:10 into it", "Score"]),
      ("call_facts", #"{"call":"bad","since":"+0:05","until":"+0:20"}"#, ["0:05 to 0:20 of it"]),
      ("events", #"{"call":"bad","event":"call.ended"}"#, ["\"event\":\"call.ended\"", "\"at\":\""]),
      ("events", #"{"call":"bad","since":"+0:00","until":"+0:01"}"#, ["minor_events_left_out"]),
      ("list_calls", #"{"until":"2020-01-01"}"#, ["\"data\":[]"]),
      ("list_calls", #"{"outcome":"completed","broken":false}"#, ["bad-call", "\"started\":\"20"]),
      ("schema", "{}", ["fates:"]), ("schema", #"{"table":"fates"}"#, ["witnesses"]),
    ])
  func moments(tool: String, given: String, wanted: [String]) throws {
    let answer = try text(Self.call(tool, given))
    #expect(!answer.isError && answer.text.utf8.count < 4000, "\(answer.text)")
    for word in wanted { #expect(answer.text.contains(word), "\(word) is not in \(answer.text)") }
  }

  @Test(
    "an error names tools and what there is, never commands or options",
    arguments: [
      ("call_facts", #"{"call":"nobody"}"#, "list_calls"), ("list_calls", #"{"since":"25:99"}"#, "'since'"),
      ("query", #"{"sql":"SELECT foo FROM fates"}"#, "witnesses"),
      ("query", #"{"sql":"SELECT 1 FROM x"}"#, "fates"),
      ("events", #"{"call":"bad","event":"call.endd"}"#, "call.ended"),
      ("compare", #"{"baseline":"a","candidate":"b"}"#, ""),
    ])
  func errors(tool: String, given: String, named: String) throws {
    let answer = try text(Self.call(tool, given))
    #expect(answer.isError && (named.isEmpty || answer.text.contains(named)), "\(answer.text)")
    #expect(!answer.text.contains("`callqa") && !answer.text.contains("--"), "\(answer.text)")
  }

  @Test("an answer is a few thousand characters, and says what was left out of it")
  func bounded() throws {
    let samples = try text(Self.call("query", #"{"sql":"SELECT * FROM call_samples"}"#)).text
    #expect(samples.utf8.count < 4000 && samples.contains("\"left_out\":"), "\(samples.suffix(300))")
    #expect(samples.contains("name fewer columns"))
    let long = try text(
      Self.call("query", #"{"sql":"SELECT args FROM call_events ORDER BY length(args) DESC LIMIT 2"}"#)
    ).text
    #expect(long.utf8.count < 3000 && long.contains("\"cut\":"))
  }

  @Test("nothing is written, and no question runs for ever")
  func readOnly() throws {
    for sql in ["DELETE FROM calls", "PRAGMA user_version = 1", "SELECT 1; DELETE FROM calls"] {
      #expect(try text(Self.call("query", #"{"sql":"\#(sql)"}"#)).isError, "\(sql)")
    }
    let rows = try text(Self.call("query", #"{"sql":"SELECT * FROM call_windows","limit":3}"#)).text
    #expect(rows.contains("\"more\":true"))
    let hidden = try answers([Self.call("query", #"{"sql":"SELECT 1"}"#)], "--hide-people")
    #expect(hidden.first?["error"] != nil, "no SQL where people are hidden")
  }

  @Test("addresses are hidden where that is asked for")
  func hidden() throws {
    let row = try Tool.run(
      "query", "SELECT value FROM aliases WHERE kind LIKE 'address%' LIMIT 1", "--db", database, "--json"
    ).objects().first
    let address = try #require(row?["value"] as? String)
    let open = try text(Self.call("find_call", #"{"text":"\#(address)"}"#)).text
    #expect(open.contains(address))
    let closed = try text(Self.call("find_call", #"{"text":"\#(address)"}"#), "--hide-people").text
    #expect(!closed.contains(address) && closed.contains("someone-"), "\(closed)")
  }

  private static let hasLibrary: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", "import mcp"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  @Test(
    "sixteen tickets are answered through the tools alone, by the protocol's own client library",
    .enabled(if: hasLibrary, "the library mcp of PyPI is not here"))
  func tickets() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", Tool.root.path + "/Tests/Assistants/tickets.py", Tool.path.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let answers = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(answers)")
  }

  @Test("an error that names calls is marked, and hides people, as an answer does")
  func markedErrors() throws {
    let lines = (1...2).map { number in
      #"{"ts":1795226153078,"call":"conf_zoe.quimby@example.org_\#(number)","endpoint":"Zoe Quimby","event":"callStarted","sdk":"rebtel","args":{"displayName":"Zoe Quimby","from":"zoe.quimby@example.org"}}"#
    }
    let file = try folder.file("people.jsonl", lines.joined(separator: "\n") + "\n")
    try Tool.run("import", file, "--db", database)
    let open = try text(Self.call("call_facts", #"{"call":"conf"}"#))
    let object = try #require(try JSONSerialization.jsonObject(with: Data(open.text.utf8)) as? [String: Any])
    #expect(open.isError && Set(object.keys) == ["untrusted", "data"], "\(open.text)")
    #expect(open.text.contains("zoe.quimby@example.org"))
    let hidden = try text(Self.call("call_facts", #"{"call":"conf"}"#), "--hide-people")
    #expect(
      hidden.isError && hidden.text.contains("someone-") && !hidden.text.contains("quimby"), "\(hidden.text)")
    let call = try Tool.run("call", "conf", "--hide-people", "--db", database)
    #expect(
      call.status == 2 && call.errors.contains("someone-") && !call.errors.contains("quimby"),
      "\(call.errors)")
  }

  @Test(
    "a question is bounded in time, memory and answer, and the next one is answered",
    arguments: [
      "SELECT instr(printf('%.*c',30000000,'a'), printf('%.*c',20000000,'a')||'b')",
      "SELECT hex(zeroblob(400000000))", #"SELECT printf('%.*c',500000,'x') AS \"a[]\""#,
      #"SELECT '[1,2' AS \"a[]\", '{' AS \"b{}\""#, "SELECT group_concat(event) FROM events, events",
      "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
    ])
  func bounded(sql: String) throws {
    let started = ContinuousClock.now
    let answers = try answers([
      Self.call("query", #"{"sql":"\#(sql)"}"#), Self.call("query", #"{"sql":"SELECT 41 + 1 AS x"}"#),
    ])
    #expect(ContinuousClock.now - started < .seconds(15))
    let texts = answers.compactMap { answer in
      (((answer["result"] as? [String: Any])?["content"] as? [[String: Any]])?.first?["text"] as? String)
    }
    #expect(texts.count == 2 && texts.last?.contains("42") == true, "\(texts)")
    #expect(texts.allSatisfy { $0.utf8.count < 4000 })
    for text in texts { _ = try JSONSerialization.jsonObject(with: Data(text.utf8)) }
  }
}
