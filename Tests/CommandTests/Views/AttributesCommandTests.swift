import Foundation
import Testing

@Suite("A file of attributes, on the command line")
struct AttributesCommandTests {
  private static let log =
    #"{"ts":1758614185000,"event":"call.ringing","call":"c1"}"# + "\n"
    + #"{"ts":1758614186000,"event":"call.ended","call":"c1"}"# + "\n"

  private func roles(_ database: String) throws -> [String: String] {
    let call = try #require(try Tool.run("calls", "--json", "--db", database).objects().first)
    return call["attributes"] as? [String: String] ?? [:]
  }

  @Test("it is read with the import, survives another one, changes without one, and says what it left out")
  func reading() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    let log = try folder.file("app.jsonl", Self.log)
    let csv = try folder.file(
      "a.csv", "Call ID,Agent Group,role,mood,rating\nc1,North,VoiceMail,sad,4.5\nother,South,butler,,high\n")
    let imported = try Tool.run("import", log, "--attributes", csv, "--db", database)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try roles(database) == ["agent_group": "North", "role": "voicemail", "rating": "4.5"])
    for words in [
      "1 column is no attribute and left out: mood", "talk, conference, listener",
      "butler in line 3", "left out: high in line 3",
      "1 of 2 rows wait for a call that is known by them: other",
    ] { #expect(imported.errors.contains(words), "\(words): \(imported.errors)") }
    _ = try folder.file(
      "app.jsonl", Self.log + #"{"ts":1758614187000,"event":"call.muted","call":"c1"}"# + "\n")
    #expect(try Tool.run("import", log, "--db", database).status == 0)
    #expect(try roles(database)["role"] == "voicemail")
    let other = try folder.file("b.csv", "id,role\nc1,talk\n")
    let again = try Tool.run("attributes", other, "--db", database)
    #expect(again.status == 0 && again.errors.contains("1 call has other attributes now"), "\(again.errors)")
    #expect(try roles(database) == ["role": "talk"])
    #expect(try Tool.run("calls", "--where", "role = 'talk'", "--json", "--db", database).lines.count == 1)
    #expect(try Tool.run("calls", "--where", "role = 'fax'", "--json", "--db", database).lines.isEmpty)
  }

  @Test("a file that names no call or no attribute is refused with its line")
  func refused() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    _ = try Tool.run("import", try folder.file("app.jsonl", Self.log), "--db", database)
    let empty = try folder.file("none.csv", "")
    #expect(try Tool.run("attributes", empty, "--db", database).status == 2)
    for text in ["role\ntalk\n", "id,mood\nc1,sad\n"] {
      let result = try Tool.run("attributes", try folder.file("a.csv", text), "--db", database)
      #expect(result.status == 2 && result.errors.contains("a.csv:1: "), "\(result.errors)")
    }
  }
}
