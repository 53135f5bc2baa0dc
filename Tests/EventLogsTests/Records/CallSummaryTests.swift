import Bytes
import CallModel
import Testing

@testable import EventLogs

@Suite("How services sum calls up (a form is a file)")
struct CallSummaryTests {
  private static let form = """
    {
      "by": "acme", "within": ["calls"], "has": {"call_ref": "R-"}, "call": "call_ref",
      "steps": [
        {"event": "call.dialing", "at": ["began"]},
        {"event": "call.established", "when": {"talked_s": [">0"]}, "at": ["over"], "lessSeconds": "talked_s"},
        {"event": "call.ended", "unless": {"how": ["running"]}, "at": ["over"], "set": {"outcome": "completed"}}
      ],
      "ends": [{"name": "gate", "in": "gate", "received": "heard"}],
      "reported": ["over"],
      "figures": {"lost": ["lost_packets"], "jitter_ms": ["jitter.mean"]}
    }
    """

  private func read(_ text: String, piece: Int = .max) throws -> Collector {
    let sink = Collector()
    let dialects = try Dialects(files: [("acme.summary.json", Array(Self.form.utf8))])
    var reader = SummaryReader(sink: sink, dialects: dialects, options: ReaderOptions())
    try reader.read(MemoryBytes(text, piece: piece))
    return sink
  }

  private static let one =
    #"{"callRef":"R-1","began":"2026-11-20T10:00:00Z","over":"2026-11-20T11:01:00+01:00","talked_s":"50","gate":{"heard":{"lost_packets":"7","jitter":{"mean":12.5,"peak":40},"note":"x"}}}"#

  @Test("a further service is one file, and its figures have their standard names, the others their own")
  func another() throws {
    let found = try read(Self.one)
    #expect(found.names == [.callDialing, .callEstablished, .callEnded, .mediaQualityReported])
    #expect(found.records.map(\.timeMs) == [0, 10_000, 60_000, 60_000].map { 1_795_168_800_000 + $0 })
    #expect(
      found.records.last?.args
        == #"{"by":"acme","of":"received","lost":7,"jitter_ms":12.5,"jitter_peak":40,"note":"x"}"#)
    #expect(found.facts[0]?.call == "R-1" && found.facts[0]?.endpoint == "gate" && found.rejects.isEmpty)
  }

  @Test(
    "one, an array, a page, one a line, and several behind one another are the same",
    arguments: [
      ("[\(one), \(one.replacing("R-1", with: "R-2"))]"),
      (#"{"calls": [\#(one), \#(one.replacing("R-1", with: "R-2"))], "next": null}"#),
      ("\(one)\n\(one.replacing("R-1", with: "R-2"))\n"),
      ("\(one)\r\n\r\n\(one.replacing("R-1", with: "R-2"))"),
    ])
  func layouts(text: String) throws {
    for piece in [1, 7, Int.max] {
      let found = try read(text, piece: piece)
      #expect(found.facts.values.compactMap(\.call).sorted() == ["R-1", "R-2"] && found.names.count == 8)
      #expect(found.rejects.isEmpty, "\(found.rejects)")
    }
  }

  @Test("a figure out of range is left out and counted; what is no summary is refused with its line")
  func impossible() throws {
    let bad = Self.one.replacing("\"7\"", with: "-7").replacing("12.5", with: "1e300")
    let found = try read(bad + "\n{\"x\":1}\nrubbish\n" + Self.one)
    #expect(found.rejects.map(\.line) == [2, 3])
    #expect(
      found.notes.count == 1 && found.notes[0].hasPrefix("figures of summaries out of range")
        && found.notes[0].hasSuffix(": 2"))
    #expect(found.records[3].args.contains("jitter_ms") == false)
  }

  @Test("a document that is cut short keeps what was whole, and says where it ends")
  func cut() throws {
    let text = #"{"calls": [\#(Self.one), {"callRef": "R-2", "beg"#
    let sink = Collector()
    let dialects = try Dialects(files: [("acme.summary.json", Array(Self.form.utf8))])
    var reader = SummaryReader(sink: sink, dialects: dialects, options: ReaderOptions())
    #expect(throws: SourceError.self) { try reader.read(MemoryBytes(text)) }
    #expect(sink.facts.values.compactMap(\.call) == ["R-1"])
  }

  @Test(
    "hostile JSON does no harm, and costs what its bytes do",
    arguments: [
      String(repeating: "[", count: 200_000), String(repeating: #"{"calls":"#, count: 50_000),
      #"{"call_ref":"R-1","gate":"# + String(repeating: #"{"a":"#, count: 100_000) + "1"
        + String(repeating: "}", count: 100_001),
      #"{"call_ref":"R-1","over":1e999,"talked_s":1e308,"gate":{"heard":{"lost_packets":NaN}}}"#,
      #"{"call_ref":"R-1",\#((0..<100_000).map { "\"m\($0)\":\($0)" }.joined(separator: ","))}"#,
      #"{"call_ref":["R-1"],"calls":[1,null,"x",[[]]]}"#, "{}", "[]", "", "\u{0}",
    ])
  func hostile(text: String) throws {
    let sink = Collector()
    let dialects = try Dialects(files: [("acme.summary.json", Array(Self.form.utf8))])
    var reader = SummaryReader(sink: sink, dialects: dialects, options: ReaderOptions())
    try? reader.read(MemoryBytes(text))
    #expect(sink.events.count <= 4)
    _ = Array(text.utf8).withUnsafeBufferPointer { SummaryReader.recognises($0, by: dialects.summaries) }
  }

  @Test("more ends than may be are refused, once each")
  func many() throws {
    var options = ReaderOptions()
    options.connectionsPerSource = 3
    let sink = Collector()
    let dialects = try Dialects(files: [("acme.summary.json", Array(Self.form.utf8))])
    var reader = SummaryReader(sink: sink, dialects: dialects, options: options)
    let lines = (1...5).map { Self.one.replacing("R-1", with: "R-\($0)") }
    try reader.read(MemoryBytes(lines.joined(separator: "\n") + "\n"))
    #expect(sink.facts.count == 3 && sink.rejects.map(\.line) == [4, 5])
  }

  @Test(
    "a form with a mistake is refused with its file and line",
    arguments: [
      (#"{"by": "x"}"#, "acme.summary.json:1: \"by\", \"has\" and \"call\" are needed"),
      (
        "{\"by\": \"x\",\n \"figures\": {\"loudness\": \"l\"}}",
        "acme.summary.json:2: \"loudness\" is no figure"
      ),
      (
        "{\n\"steps\": [{\"event\": \"call.gone\"}]}",
        "acme.summary.json:2: \"call.gone\" is no canonical event"
      ),
      ("{\n\n\"stpes\": []}", "acme.summary.json:3: \"stpes\" is no member"),
    ])
  func mistakes(text: String, words: String) throws {
    do {
      _ = try Dialects(files: [("acme.summary.json", Array(text.utf8))])
      Issue.record("taken")
    } catch let error as DialectError {
      #expect(error.description.hasPrefix(words), "\(error)")
    }
  }

  @Test(
    "services are told by what stands in the file, not by its name",
    arguments: [
      (#"{"data":{"event_type":"call.hangup","payload":{"call_leg_id":"l"}}}"#, true),
      (#"[{"call_sid":"CA1","call_type":"sip","call_state":"completed"}]"#, true),
      (#"{"callSid":"CA1","callType":"sip","callState":"busy"}"#, true),
      (
        #"{"meta":{"page":0},"call_summaries":[{"call_sid":"CA1","call_type":"sip","call_state":"busy","#,
        true
      ),
      (#"{"data":{"event_type":"message.received","payload":{"call_leg_id":"l"}}}"#, false),
      (#"{"call_sid":"CA1","ts":1795168800000,"event":"call.dialing"}"#, false),
      (#"2026-11-20 call_sid call_leg_id"#, false),
    ])
  func recognition(text: String, isSummary: Bool) throws {
    #expect((try recognise(text) == .callSummary) == isSummary)
  }
}
