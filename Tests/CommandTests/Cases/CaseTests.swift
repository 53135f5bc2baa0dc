import Foundation
import Testing

@Suite("Cases")
struct CaseTests {
  /// A case under its name and its title.
  struct Named: CustomTestStringConvertible {
    let name: String
    var testDescription: String { "\(name): \((try? Corpus.named(name).title) ?? "not well written")" }
  }

  /// All, or of `CALLQA_CASE=kandy` those whose names begin with that word.
  private static let asked: [Named] = {
    let begin = ProcessInfo.processInfo.environment["CALLQA_CASE"] ?? ""
    return Corpus.names.filter { $0.hasPrefix(begin) }.map(Named.init)
  }()

  @Test("a case comes out as its expect.json says", arguments: asked)
  func expectations(of named: Named) throws {
    for failure in try Corpus.named(named.name).failures() { Issue.record("\(failure)") }
  }
}

@Suite("The runner of cases")
struct CaseRunnerTests {
  private func failures(_ expectation: String) throws -> [String] {
    let written = #"{"title": "t", "expect": [\#(expectation)]}"#
    return try Case("kandy-late-ice", JSONValue(parsing: Data(written.utf8))).failures()
  }

  @Test(
    "an expectation that is not met fails with what it is and what was found",
    arguments: [
      (#"{"calls": 2}"#, "1 rows"),
      (#"{"calls": ["busy"]}"#, #"{"outcome": "completed"}"#),
      (#"{"calls": [{"outcome": "completed", "outcom": null}]}"#, #""outcom": absent"#),
      (#"{"calls": [{"score_mean": {"absent": true}}]}"#, #""score_mean": null"#),
      (#"{"calls": {"every": {"outcome": {"not": "completed"}}}}"#, "completed"),
      (#"{"calls": {"any": "failed"}}"#, "completed"), (#"{"calls": {"none": "completed"}}"#, "completed"),
      (#"{"calls": {"every": "completed"}, "where": {"outcome": "busy"}}"#, "0 rows of 1"),
      (#"{"findings": ["late-ice", "late-ice"], "order": "any"}"#, "1 rows"),
      (#"{"setup": {"first": {"phases[phase=ice].duration_ms": {"near": 7000, "within": 5}}}}"#, "7010"),
      (#"{"setup": {"last": [7010, 7010]}, "of": "phases[phase=ice].duration_ms"}"#, "7010"),
      (#"{"show": ["no such words"]}"#, "ICE"), (#"{"show": {"lacks": "ICE"}}"#, "ICE"),
      (#"{"answer": {"begins": "good"}}"#, "unjudged"), (#"{"errors": "x"}"#, "found "),
      (#"{"page": "no such words"}"#, "<html"), (#"{"status": 1}"#, "0: "),
      (#"{"sql": "SELECT count(*) AS n FROM calls", "rows": [{"n": 2}]}"#, #"{"n": 1}"#),
      (#"{"command": ["runs"], "rows": 1}"#, "0 rows"),
      (#"{"nowhere": ["late-ice"]}"#, "late-ice in the database"),
    ])
  func fails(expectation: String, found: String) throws {
    let failures = try failures(expectation)
    try #require(failures.count == 1)
    let parts = failures[0].split(separator: ", found ", maxSplits: 1)
    #expect(
      parts[0] == "kandy-late-ice expects " + (try JSONValue(parsing: Data(expectation.utf8)).description))
    #expect(failures[0].contains(found), "\(failures[0])")
  }

  @Test(
    "what is not understood is an error, and does not pass",
    arguments: [
      #"{"cals": 1}"#, #"{"calls": 1, "wher": {}}"#, #"{"calls": 1, "show": "x"}"#, #"{"calls": {"al": {}}}"#,
      #"{"calls": [{"outcome": {"equals": "x"}}]}"#, #"{"calls": [{"score_mean": {"near": 1}}]}"#,
      #"{"calls": [{"score_mean": {"above": "1"}}]}"#, #"{"calls": [{}]}"#, #"{"calls": {}}"#,
      #"{"calls": "x"}"#,
      #"{"streams": ["x"]}"#, #"{"show": 1}"#, #"{"show": "x", "where": {"a": 1}}"#, #"{"sql": "SELECT 1"}"#,
      #"{"calls": 1, "order": "none"}"#, #"{"nowhere": []}"#, #"{"why": "x"}"#, "1",
      #"{"sql": "SELECT x FROM nothing", "rows": 0}"#,
    ])
  func refuses(expectation: String) { #expect(throws: CaseError.self) { try failures(expectation) } }

  @Test(
    "a case says what it proves, expects something and has no member that nobody reads",
    arguments: [
      #"{"expect": [{"calls": 1}]}"#, #"{"title": "t", "expect": []}"#, #"{"title": "t"}"#, "[]",
      #"{"title": "t", "expect": [{"calls": 1}], "file": ["a.log"]}"#,
      #"{"title": "t", "expect": [{"calls": 1}], "files": []}"#,
      #"{"title": "t", "expect": [{"calls": 1}], "files": ["absent.log"]}"#,
      #"{"title": "t", "expect": [{"calls": 1}], "each": "yes"}"#,
    ])
  func badlyWritten(written: String) {
    #expect(throws: CaseError.self) { try Case("kandy-late-ice", JSONValue(parsing: Data(written.utf8))) }
  }
}
