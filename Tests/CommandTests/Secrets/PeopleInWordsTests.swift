import Foundation
import Testing

@Suite("People in the words of a log")
struct PeopleInWordsTests {
  // What a log says, whom of it nobody may find with --pseudonymize, and what is to stay.
  static let logs: [String: (lines: [String], people: [String], words: [String])] = [
    "a name in front of an address": (
      [
        #"didReceiveCall from "Zacharias Obermuller" <sip:obermuller@corp.example.com>"#,
        "call:didChangeStatus: ACBClientCallStatusInCall",
        "onPresentation true \"Eulalia Donnersmarck <eulalia@donner.example>\" 2c",
      ], ["Zacharias", "Obermuller", "obermuller", "Eulalia", "Donnersmarck"], ["from", "InCall", "2c"]
    ),
    "a name met before, in words that were parted": (
      [
        #"onIncomingCall remoteDisplayName="Wendelin Krautmann" callId=z1"#,
        "onStatusChanged: Wendelin Krautmann IN_CALL", "onMessageReceived Hello Wendelin Krautmann again",
        "onMessageReceived note=Wendelin Krautmann called",
      ], ["Wendelin", "Krautmann"], ["IN_CALL", "Hello", "again", "called"]
    ),
    "a name without quotes": (
      ["onRinging remoteDisplayName=Wendelin Krautmann IN_CALL", "onMessageReceived of Wendelin Krautmann"],
      ["Wendelin", "Krautmann"], ["IN_CALL", "of"]
    ),
    "a number in groups": (
      [
        "onIncomingCall Call from: +49 170 5551234", "onMessageReceived please call +43 (660) 555-1111 today",
        "onEnded 200",
      ], ["170", "5551234", "555-1111", "660"], ["please", "today", "200"]
    ),
    "members of a conference": (
      [
        #"presentation_start {"presenter_name": "Eulalia Donnersmarck", "presenter_uuid": "2c"}"#,
        #"message_received {"origin": "Kunibert Ratz", "uuid": "9", "payload": "hello"}"#,
        #"message_received {"origin": "https://app.example", "uuid": "8"}"#,
      ], ["Eulalia", "Donnersmarck", "Kunibert", "Ratz"], ["hello", "2c", "app.example"]
    ),
  ]

  @Test("are pseudonyms, and no other word is", arguments: logs.keys.sorted())
  func pseudonymized(name: String) throws {
    let log = try #require(Self.logs[name])
    let text = log.lines.enumerated().map { "2026-11-20T10:00:0\($0).000Z \($1)\n" }.joined()
    let rows = try events(of: "x.log", text)
    for person in log.people { #expect(!rows.contains(person), "\(person): \(rows)") }
    for word in log.words { #expect(rows.contains(word), "\(word): \(rows)") }
    #expect(rows.contains("person-"))
  }

  @Test("each word of such a name is somebody's too")
  func words() throws {
    let rows = try events(
      of: "x.log",
      """
      2026-11-20T10:00:00.000Z onRinging remoteDisplayName=Wendelin Krautmann
      2026-11-20T10:00:01.000Z onMessageReceived Hello Mr Krautmann

      """)
    #expect(rows.contains("Hello") && !rows.contains("Krautmann"), "\(rows)")
  }

  @Test("a person's object has a name, as it is and as text")
  func objects() throws {
    let caller =
      #"{"caller":{"name":"Adalgisa Wurmser","role":"guest"},"peers":["a"],"attendees":["Ottilie Klamm"]}"#
    let text = caller.replacing("\"", with: "\\\"")
    let rows = try events(
      of: "x.jsonl",
      [caller, "{\"body\":\"\(text)\"}"].map {
        #"{"ts":1795168800000,"sdk":"kandy-link","event":"incomingCall","args":\#($0)}"# + "\n"
      }.joined())
    for person in ["Adalgisa", "Wurmser", "Ottilie", "Klamm"] { #expect(!rows.contains(person), "\(rows)") }
    #expect(rows.split(whereSeparator: \.isNewline).filter { $0.contains("guest") }.count == 2, "\(rows)")
  }

  @Test("whose name an end has is no end's name, wherever the log says so")
  func ends() throws {
    let lines = [#""endpoint":"gottlieb.wendehals""#, #""user":"gottlieb.wendehals""#].enumerated().map {
      #"{"ts":\#(1_795_168_800_000 + $0),"sdk":"kandy-link","call":"r-1",\#($1),"event":"callStatusChanged","args":{}}"#
    }
    let (folder, database) = try imported("x.jsonl", lines.joined(separator: "\n"))
    let ends = try Tool.run(
      "query", "select name, endpoint from source_views where name is not null", "--db", database, "--csv")
    #expect(ends.output.contains("person-") && !ends.output.contains("gottlieb"), "\(ends.output)")
    _ = folder
  }

  @Test(
    "are found, and forgotten",
    arguments: [
      ("+49 170 5551234", "onIncomingCall Call from: +49 170 5551234", ["5551234", "170"]),
      ("Kunigunde Ratzinger", "onMessageReceived Hello Kunigunde Ratzinger", ["Kunigunde", "Ratzinger"]),
      (
        "Kunigunde Ratzinger", "onMessageReceived display_name=Kunigunde+Ratzinger",
        ["Kunigunde", "Ratzinger"]
      ),
    ])
  func forgotten(person: String, line: String, pieces: [String]) throws {
    let (folder, database) = try imported(
      "x.log",
      "2026-11-20T10:00:00.000Z \(line)\n2026-11-20T10:00:01.000Z didChangeStatus: ACBClientCallStatusEnded\n",
      as: [])
    let found = try Tool.run("find", person, "--db", database, "--csv")
    #expect(found.output.split(whereSeparator: \.isNewline).count == 2, "\(found.output)")
    #expect(try Tool.run("forget", person, "--db", database).status == 0)
    let rows = try Tool.run(
      "query", "select json(args) from events union all select value from aliases", "--db", database, "--csv")
    for piece in pieces { #expect(!rows.output.contains(piece), "\(rows.output)") }
    #expect(rows.output.contains("(forgotten)"), "\(rows.output)")
    #expect(
      try Tool.run("find", person, "--db", database, "--csv").output.split(whereSeparator: \.isNewline).count
        <= 1)
    _ = folder
  }

  private func events(of name: String, _ text: String) throws -> String {
    let (folder, database) = try imported(name, text)
    defer { _ = folder }
    return try Tool.run(
      "query", "select raw, json(args) from events order by t_ms", "--db", database, "--csv"
    ).output
  }

  private func imported(_ name: String, _ text: String, as words: [String] = ["--pseudonymize"]) throws -> (
    TemporaryFolder, String
  ) {
    let folder = try TemporaryFolder()
    let file = try folder.file(name, text)
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let key =
      words.isEmpty ? [] : ["--key-file", try folder.file("key", "a key that nobody can guess 0123456789")]
    let result = try Tool.run(["import", file, "--db", database] + words + key)
    #expect(result.status == 0, "\(result.errors)")
    return (folder, database)
  }
}
