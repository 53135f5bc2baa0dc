import Foundation
import Testing

@Suite("Words that mean a call")
struct CallReferenceTests {
  @Test("last and worst are what they say, though a call's id begins with them; an id in full comes first")
  func specialWords() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    try Tool.run("import", Tool.sample("healthy-call"), "--call", "last-night", "--db", database)
    try Tool.run("import", Tool.sample("bad-call"), "--call", "worstward", "--db", database)
    let calls = try Tool.run("calls", "--db", database, "--json").objects().map {
      (id: $0["call_id"] as? String, startedMs: $0["started_ms"] as? Double ?? 0)
    }
    let latest = calls.max { $0.startedMs < $1.startedMs }?.id
    func meant(_ word: String) throws -> String? {
      let account = try Tool.run("call", word, "--db", database, "--json").objects().first
      return (account?["call"] as? [String: Any])?["call_id"] as? String
    }
    #expect(try meant("last") == latest)
    #expect(try meant("worst") == "worstward")
    #expect(try meant("last-n") == "last-night")
  }

  @Test("the beginning of a name that a call had means it as the name itself does, whatever it is called now")
  func formerNames() throws {
    let folder = try TemporaryFolder()
    let database = folder.url.appendingPathComponent("x.sqlite").path
    func status(_ word: String) throws -> Int32 { try Tool.run("call", word, "--db", database).status }
    try Tool.run("import", Tool.sample("healthy-call"), Tool.sample("bad-call"), "--db", database)
    #expect(try status("healt") == 0)
    #expect(try Tool.run("link", "healthy-call", "bad-call", "--db", database).status == 0)
    for word in ["healthy-call", "healt", "bad-call", "bad-c"] { #expect(try status(word) == 0, "\(word)") }
    #expect(try status("ealthy") == 2)
  }
}
