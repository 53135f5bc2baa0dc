import CallModel
import Testing

@testable import EventLogs
@testable import LogText

@Suite("A dialect is a file, and a mistake in it is shown where it is")
struct DialectFileTests {
  private func mistake(_ text: String) -> String? {
    do {
      _ = try Dialects(files: [("x.json", Array(text.utf8))])
      return nil
    } catch { return "\(error)" }
  }

  @Test("the files that ship are whole")
  func shipped() throws {
    _ = try Dialects.load()
  }

  @Test("another SDK is another file and no line of Swift")
  func another() throws {
    let file = #"{"sdk":"acme","events":{"onUp":{"event":"call.established","set":{"via":"acme"}}}}"#
    let sink = Collector()
    var reader = RunLogLineReader(
      sink: sink, dialects: try Dialects(files: [("acme.json", Array(file.utf8))]))
    let line = Array(#"{"ts":1795226100000,"sdk":"acme","event":"onUp"}"#.utf8)
    #expect(try line.withUnsafeBufferPointer { try reader.line($0, number: 1, offset: 0) })
    try reader.finish()
    #expect(sink.names == [.callEstablished])
    #expect(sink.records.first?.sdk == "acme")
    #expect(sink.records.first?.args == #"{"via":"acme"}"#)
  }

  @Test("an argument that is there tells more than what another one's value is")
  func having() throws {
    let file =
      #"{"sdk":"acme","events":{"onUp":{"having":{"a.b c":"call.held"},"by":"d","values":{"1":"call.ended"},"event":"call.established"}}}"#
    let naming = EventNaming(dialects: try Dialects(files: [("acme.json", Array(file.utf8))]))
    func meaning(_ object: String) -> [EventName] {
      let arguments = LogArguments.members(of: object) ?? LogArguments()
      return naming.meaning(of: "onUp", arguments, sdk: naming.dialects.all.first, in: CallContext()).events
    }
    #expect(meaning(#"{"a":{"b":[1]},"d":1}"#) == [.callHeld])
    #expect(meaning(#"{"c":"","d":1}"#) == [.callHeld])
    #expect(meaning(#"{"a":{"b":null},"d":1}"#) == [.callEnded])
    #expect(meaning(#"{"a":"b"}"#) == [.callEstablished])
  }

  @Test("of a pattern whose end never comes, one beginning is tried in a line, not each")
  func endlessPattern() throws {
    let file =
      #"{"sdk":"acme","events":{"onDown":"call.ended"},"lines":[{"text":"over as {a} by {b} at {c}","event":"onDown"}]}"#
    let dialects = try Dialects(files: [("acme.json", Array(file.utf8))])
    func read(_ text: String) -> (found: [String], tried: Int) {
      var tried = 0
      let found = dialects.patterns.matches(in: Array(text.utf8)[...], dialects.all, tried: &tried)
      return (found.map { $0.arguments.object }, tried)
    }
    let endless = read(String(repeating: "over as x by y, ", count: 1000))
    #expect(endless.found.isEmpty && endless.tried == 1)
    #expect(read("over there over as 1 by 2 at 3").found == [#"{"a":1,"b":2,"c":3}"#])
  }

  @Test(
    "file, line, and what is wrong",
    arguments: [
      (
        "{\n\"sdk\":\"x\",\n\"events\":{\n\"onUp\":\"call.establshed\"}}",
        "x.json:4: \"call.establshed\" is no canonical event"
      ),
      ("{\n\"sdk\":\"x\",\n\"evnts\":{}}", "x.json:3: \"evnts\" is no member of a dialect"),
      ("{\n\"sdk\":\"x\",}", "x.json:2: not JSON: a member's name expected"),
      ("{\"title\":\"x\"}", "x.json:1: member \"sdk\" is missing: the word for column sdk"),
      (
        "{\"sdk\":\"x\",\"events\":{\"a\":\"call.held\",\"A\":\"call.held\"}}",
        "x.json:1: \"A\" is mapped twice"
      ),
      (
        "{\"sdk\":\"x\",\"lines\":[{\"text\":\"{a}{b}\",\"event\":\"e\"}]}",
        "x.json:1: a pattern begins with text, two {names} have text between them, and {*} comes last"
      ),
      ("{\"sdk\":\"x\",\"plain\":[\"a\"]}", "x.json:1: \"a\" is no event of this dialect"),
      (
        "{\"sdk\":\"x\",\"events\":{\"a\":{\"enum\":\"E\"}}}",
        "x.json:1: \"a\" names enumeration \"E\", which is not there"
      ),
      (
        "{\"sdk\":\"x\",\"enums\":{\"E\":{\"values\":{\"b\":{\"event\":\"call.held\",\"after\":{\"a\":\"call.ended\"}}}}}}",
        "x.json:1: \"a\", behind which \"b\" comes, is no state of the table"
      ),
      (
        "{\"sdk\":\"x\",\"codes\":{\"E\":{\"at\":[\"a\"]}}}",
        "x.json:1: \"at\" is no member of a set of codes; in, prefixes, numbers are"
      ),
      (
        "{\"sdk\":\"x\",\"transitions\":{\"a\":[\"b\"]}}",
        "x.json:1: \"b\", to which \"a\" leads, is no state of the table"
      ),
    ])
  func mistakes(text: String, expected: String) {
    #expect(mistake(text) == expected)
  }

  @Test(
    "a mistake in the table of codes is reported with file and line",
    arguments: [
      (#"["gone", "ended"]"#, "\"ended\" is no outcome"),
      (#"{"words": "gone", "outcome": "ended"}"#, "\"ended\" is no outcome"),
      (#"{"words": "gone", "cause": "weather"}"#, "\"weather\" is no cause of a verdict"),
      (
        #"{"words": "gone", "causes": "ice"}"#,
        "\"causes\" is no member of a code; words, outcome, by, answered, cause are"
      ),
      (#"["gone", "dropped", "", "here"]"#, "\"here\" says nothing of an answer: `elsewhere` or `false`"),
      (#"{"outcome": "dropped"}"#, "a code has words, and may have an outcome"),
    ])
  func mistakesInCodes(code: String, expected: String) {
    let error = #expect(throws: DialectError.self) {
      try CodeTable(file: "codes.json", bytes: Array("{\"x\": {\"1\":\n\(code)}}".utf8))
    }
    #expect(error?.reason == expected && error?.line == 2)
  }

  @Test("a request that nobody answered is no unanswered call where the call was established")
  func timeout() throws {
    let codes = try Dialects.load().codes
    #expect(codes.meaning("408", sdk: "kandy-link")?.outcome == .noAnswer)
    #expect(codes.meaning("408", sdk: "kandy-link", isActive: true)?.outcome == .failed)
    #expect(codes.meaning("486", sdk: "kandy-link", isActive: true)?.outcome == .busy)
  }

  @Test("SIP's answers mean the same in a log's table and in a capture")
  func answers() throws {
    let codes = try Dialects.load().codes
    for status in 300..<700 {
      if let outcome = codes.meaning("\(status)", sdk: nil)?.outcome {
        #expect(Outcome(sipStatus: status) == outcome, "\(status)")
      }
    }
    for status in 400..<700 {
      let outcome = codes.explanation("\(status)", sdk: nil, isActive: false)?.outcome
      #expect(outcome == Outcome(sipStatus: status), "\(status)")
    }
  }
}
