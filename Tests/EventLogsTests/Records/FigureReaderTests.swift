import Bytes
import CallModel
import IO
import Testing

@testable import EventLogs

/// What a reader of figures gives.
final class FigureSink: RecordSink {
  var facts: [Int: ConnectionFacts] = [:]
  var streams: [Int: (facts: StreamFacts, connection: Int)] = [:]
  var samples: [(stream: Int, sample: Sample)] = []
  var totals: [Int: StreamTotals] = [:]
  var events: [EventRecord] = []
  var rejects: [Reject] = []
  var notes: [String] = []
  /// How many samples there were at each end of a call.
  var settled: [Int] = []
  var postponed = 0

  func connection(_ connection: Int, _ news: ConnectionFacts) { facts[connection] = news }
  func stream(_ stream: Int, of connection: Int, _ facts: StreamFacts) {
    streams[stream] = (facts, connection)
  }
  func sample(_ sample: borrowing Sample, of stream: Int, extra: String?) {
    samples.append((stream, copy sample))
  }
  func totals(_ totals: StreamTotals, of stream: Int) { self.totals[stream] = totals }
  func transport(_ transport: TransportSample, of connection: Int) {}
  func event(_ event: EventRecord, of connection: Int?) { events.append(event) }
  func reject(_ reject: Reject) { rejects.append(reject) }
  func note(_ note: String) { notes.append(note) }
  func packets(_ count: Int) {}
  func postpone() { postponed += 1 }
  func settle() { settled.append(samples.count) }
}

@Suite("Tables of figures (a form is a file)")
struct FigureReaderTests {
  static let start = 1_795_168_800_000.0

  static func form(_ json: String) throws -> SummaryForm {
    try SummaryFormFile(file: "acme.figures.json").read(Array(json.utf8))
  }

  static func read(_ text: String, _ form: String, piece: Int = .max, zone: String? = nil) throws
    -> FigureSink
  {
    let sink = FigureSink()
    var options = ReaderOptions(fileName: "night.csv.gz")
    options.zone = zone
    var reader = FigureReader(
      sink: sink, forms: SummaryForms([try Self.form(form)]), codes: CodeTable(), options: options)
    try reader.read(MemoryBytes(text, piece: piece))
    return sink
  }

  static let german = """
    {"by": "acme", "table": {"separator": ";", "decimal": ","}, "has": {"CallRef": "", "Verlust (%)": ""},
     "call": "CallRef", "end": "Teilnehmer", "seen_by": "end", "zone": "Europe/Berlin",
     "at": {"of": "Zeit", "marks": "start", "form": "dd.MM.yyyy HH:mm:ss"}, "every": {"s": 5},
     "streams": [{"of": "received", "medium": "audio", "figures": {
       "loss_percent": {"of": "Verlust (%)", "unit": "percent"}, "jitter_ms": {"of": "Jitter (ms)", "unit": "ms"},
       "mos": "MOS"}}]}
    """

  static let german2 = """
    CallRef;Teilnehmer;Zeit;Verlust (%);Jitter (ms);MOS;Geheim
    K-1;alice;20.11.2026 11:00:00;0,2;5,5;4,3;pst
    K-2;bob;20.11.2026 11:00:00;N/A;;0;pst
    K-1;alice;20.11.2026 11:00:05;17,5;6,5;2,4;pst

    """

  @Test(
    "a row of an interval is a sample at its end, and what is not known is not zero",
    arguments: [1, 7, Int.max])
  func intervals(piece: Int) throws {
    let found = try Self.read("\u{FEFF}" + Self.german2, Self.german, piece: piece)
    #expect(found.facts.values.map(\.call).compactMap(\.self).sorted() == ["K-1"], "K-2 has no figure")
    #expect(found.facts[0]?.endpoint == "alice" && found.facts[0]?.person == "alice")
    #expect(found.samples.map { $0.sample.timeMs - Self.start } == [5000, 10_000])
    #expect(found.samples.map { $0.sample[.fractionLost] } == [0.002, 0.175])
    #expect(found.samples.map { $0.sample[.jitterMs] } == [5.5, 6.5])
    #expect(found.streams[0]?.facts.source == .figures && found.streams[0]?.facts.intervalMs == 5000)
    let totals = try #require(found.totals[0])
    #expect(totals.firstMs == Self.start && totals.lastMs == Self.start + 10_000 && totals.packets == nil)
    #expect(totals.jitterMeanMs == 6 && abs((totals.lossShare ?? 0) - 0.0885) < 1e-9)
    #expect(found.events.map { $0[.mosMin] } == [2.4] && found.rejects.isEmpty && found.notes.isEmpty)
  }

  @Test("columns that no form names are nowhere")
  func unnamed() throws {
    let found = try Self.read(Self.german2, Self.german)
    let all = found.facts.values.map { "\($0)" } + found.events.map(\.args) + found.notes
    #expect(!all.joined().contains("pst"))
  }

  static let counted = """
    {"by": "beta", "has": {"peer": "", "received": ""}, "missing": [-1], "call": "callId", "end": "peer",
     "at": {"of": "ts", "unit": "ms", "marks": "instant"},
     "streams": [{"of": {"of": "dir", "received": ["in"], "sent": ["out"]}, "medium": {"of": "kind"}, "figures": {
       "packets": {"of": "received", "counts": "call"}, "lost": {"of": "lost", "counts": "call"},
       "jitter_ms": {"of": "jitter", "unit": "s"}, "bitrate_bps": {"of": "rate", "unit": "text"}}}]}
    """

  @Test("counters since the call began stay counters, in lines, a list, and a page")
  func counters() throws {
    func row(_ second: Int, _ dir: String = "in") -> String {
      #"{"callId":"c-1","peer":"p","ts":\#(Self.start + 1000 * Double(second)),"kind":"main-audio","dir":"\#(dir)","received":\#(50 * second),"lost":\#(second == 2 ? -1 : second),"jitter":0.004,"rate":"32,5 kbps"}"#
    }
    let lines = [row(1), row(2), row(3), row(3, "out")]
    for text in [lines.joined(separator: "\n") + "\n", "[" + lines.joined(separator: ",") + "]"] {
      let found = try Self.read(text, Self.counted)
      let own = found.samples.filter { $0.stream == 0 }.map(\.sample)
      #expect(own.map { $0[.packets] } == [50, 100, 150] && own.map { $0[.lost] } == [1, nil, 3])
      #expect(own.allSatisfy { $0[.jitterMs] == 4 })
      #expect(found.streams[1]?.facts.direction == .outbound && found.streams[0]?.facts.intervalMs == nil)
      #expect(found.totals[0]?.packets == nil, "the counters say")
    }
  }

  @Test("paths lead to rows, to what is around them, and to lists side by side")
  func paths() throws {
    let form = """
      {"by": "p", "has": {"kept": ""}, "rows": ["people[].heard[]", "people[].said[]"], "series": true,
       "call": ["/site", "/id"], "end": {"any": ["^.nick", "^.name"]}, "zone": "UTC",
       "at": {"of": "from", "marks": "start"}, "every": {"of": "each", "unit": "s"},
       "streams": [
         {"of": "received", "medium": "audio", "when": {"@": ["heard"]}, "figures": {"loss_percent": {"of": "kept", "unit": "ratio"}}},
         {"of": "sent", "medium": "audio", "when": {"@": ["said"]}, "figures": {"loss_percent": {"of": "kept", "unit": "ratio"}}}]}
      """
    let json = """
      {"site": "s", "id": 7, "people": [{"name": "ann", "heard": [{"from": "2026-11-20T10:00:00Z", "each": 60, "kept": [0.1, null, 0.3]}]},
       {"nick": "bo", "said": [{"from": "2026-11-20T10:00:00Z", "each": 30, "kept": [0.5]}]}]}
      """
    let found = try Self.read(json, form)
    #expect(found.facts.values.allSatisfy { $0.call == "s-7" })
    #expect(found.samples.map { $0.sample[.fractionLost] } == [0.1, 0.3, 0.5])
    #expect(found.samples.map { $0.sample.timeMs - Self.start } == [60_000, 180_000, 30_000])
    #expect(found.streams[1]?.facts.direction == .outbound && found.streams[1]?.facts.intervalMs == 30_000)
  }

  @Test("a row that is one figure stands for its column")
  func long() throws {
    let form = """
      {"by": "l", "has": {"metric": "", "value": ""}, "long": {"name": "metric", "value": "value"}, "end": "who",
       "at": {"of": "t"}, "every": {"s": 10},
       "streams": [{"of": "received", "medium": "audio", "figures": {"loss_percent": "loss_pct", "jitter_ms": "jitter"}}]}
      """
    let found = try Self.read(
      "who,t,metric,value\na,1795168800,loss_pct,3\na,1795168800,jitter,8\na,1795168800,cpu,99\n", form)
    #expect(found.samples.count == 2 && found.facts[0]?.call == "night", "all of the file is one call")
    #expect(found.totals[0]?.lossShare == 0.03 && found.totals[0]?.jitterMeanMs == 8)
  }

  @Test("of a whole call there are reports, and no samples")
  func calls() throws {
    let form = """
      {"by": "c", "has": {"Call": ""}, "call": "Call", "end": {"is": "caller"}, "start": "Began", "talk": {"of": "Talk", "unit": "s"},
       "streams": [{"of": "received", "medium": "audio", "figures": {"packets": "Got", "lost": "Lost", "jitter_ms": "Jitter",
         "mos_listening": {"of": "Quality", "part": "LQ"}, "rtt_ms": {"of": "Trip", "unit": "iso"}}, "args": {"site": "Site"}}]}
      """
    let text = """
      Call\tBegan\tTalk\tGot\tLost\tJitter\tQuality\tTrip\tSite
      1\t2026-11-20 10:00:00\t60\t2970\t30\t4\tLQ=4.1;CQ=3.9\tPT0.08S\tBonn
      2\t2026-11-20 10:01:00\t9\t0\t0\t7\tLQ=127\tPT0S\t-

      """
    let found = try Self.read(text, form, zone: "Europe/Berlin")
    #expect(found.samples.isEmpty && found.streams.isEmpty)
    #expect(
      found.events.map(\.event)
        == Array(repeating: [.callEstablished, .mediaQualityReported, .callEnded], count: 2).flatMap(\.self))
    #expect(found.events.first?.timeMs == Self.start - 3_600_000, "the user's zone")
    #expect(
      found.events[1].args
        == #"{"by":"c","per":"call","of":"received","medium":"audio","seen_by":"end","duration_s":60,"packets":2970,"lost":30,"jitter_ms":4,"mos_listening":4.1,"rtt_ms":80,"loss_percent":1,"site":"Bonn"}"#
    )
    #expect(
      found.events[4].args
        == #"{"by":"c","per":"call","of":"received","medium":"audio","seen_by":"end","duration_s":9,"packets":0,"lost":0}"#,
      "nothing was measured where nothing came")
  }

  @Test("cells that are no UTF-8 are Latin-1")
  func latin() throws {
    let form = """
      {"by": "l", "has": {"Teilnähme": "", "Verlust": ""}, "end": "Teilnähme", "at": "Zeit", "every": {"s": 5},
       "streams": [{"of": "received", "medium": "audio", "figures": {"loss_percent": "Verlust"}}]}
      """
    let text = "Teilnähme;Zeit;Verlust\nJürgen;1795168800;2\n"
    let sink = FigureSink()
    var reader = FigureReader(
      sink: sink, forms: SummaryForms([try Self.form(form)]), codes: CodeTable(),
      options: ReaderOptions(fileName: "t.csv"))
    try reader.read(MemoryBytes(text.unicodeScalars.map { UInt8($0.value) }))
    #expect(sink.facts[0]?.endpoint == "Jürgen" && sink.samples.count == 1)
  }

  @Test("a list that another form calls a page is rows of the form that says so")
  func page() throws {
    let own = #"""
      {"by": "p", "has": {"loss": ""}, "rows": ["records[]"], "call": "id", "start": "at", "talk": {"of": "s"},
       "streams": [{"of": "received", "medium": "audio", "figures": {"loss_percent": "loss"}}]}
      """#
    let other =
      #"{"by": "o", "has": {"never": ""}, "within": ["records"], "streams": [{"of": "sent", "figures": {"mos": "m"}}]}"#
    let sink = FigureSink()
    var reader = FigureReader(
      sink: sink, forms: SummaryForms([try Self.form(other), try Self.form(own)]), codes: CodeTable(),
      options: ReaderOptions(fileName: "t.json"))
    try reader.read(
      MemoryBytes(
        #"{"records": [{"id": "a", "at": 1795168800, "s": 60, "loss": 2}, {"id": "b", "at": 1795168900, "s": 0, "loss": null}]}"#
      ))
    #expect(sink.facts.values.map(\.call).compactMap(\.self).sorted() == ["a", "b"])
    #expect(
      sink.events.map(\.event) == [
        .callEstablished, .mediaQualityReported, .callEnded, .callCreated, .callEnded,
      ], "a call without figures is one, that nobody is known to have answered")
  }

  @Test("that no packet came in any row is told")
  func nothingCame() throws {
    let form = """
      {"by": "n", "has": {"got": ""}, "end": "who", "at": "t", "every": {"s": 5},
       "streams": [{"of": "received", "medium": "audio", "figures": {"packets": "got", "jitter_ms": "jitter"}}]}
      """
    let found = try Self.read(
      "who,t,got,jitter\na,1795168800,0,0\nb,1795168800,250,4\na,1795168805,0,0\n", form)
    #expect(found.events.map { $0[.packets] } == [0] && found.totals[0]?.packets == 0)
  }

  @Test(
    "a form that is wrong says where",
    arguments: [
      (#"{"by": "x"}"#, "are needed"),
      (#"{"by": "x", "has": {"a": ""}, "streams": [{"of": "received"}]}"#, "figures"),
      (#"{"by": "x", "has": {"a": ""}, "zone": "Mars/Base"}"#, "no such time zone"),
      (
        #"{"by": "x", "has": {"a": ""}, "streams": [{"of": "heard", "figures": {"mos": "a"}}]}"#,
        "not known here"
      ),
      (#"{"by": "x", "has": {"a": ""}, "streams": [{"figures": {"goodness": "a"}}]}"#, "is no figure"),
      (
        #"{"by": "x", "has": {"a": ""}, "streams": [{"figures": {"jitter_ms": {"of": "a", "unit": "ratio"}}}]}"#,
        "is no unit of"
      ),
      (#"{"by": "x", "has": {"a": ""}, "every": {"weeks": 2}}"#, "a length"),
      (#"{"by": "x", "has": {"a": ""}, "at": {"of": "t", "form": "HH:mm"}}"#, "yyyy"),
      (#"{"by": "x", "what": 1}"#, "is no member"),
    ])
  func wrong(json: String, words: String) {
    let error = #expect(throws: DialectError.self) { try Self.form(json) }
    #expect(error?.description.contains(words) == true && error?.line == 1, "\(String(describing: error))")
  }

  @Test(
    "a hostile table is limited and counted, and its good rows are kept",
    arguments: [
      "K-9;\"a;b;c;d;e;f\n", "K-9;\u{0};\u{1};;;;\n",
      "K-9;x;20.11.2026 11:00:00;\(String(repeating: "9", count: 400));1e999;=1+1;\n",
      ";;;;;;\n", "\"\"\"\";;\n", String(repeating: "x;", count: 3000) + "\n",
      "K-9;x;99.99.9999 99:99:99;1;1;1;\n",
    ])
  func hostile(row: String) throws {
    let found = try Self.read(Self.german2 + row, Self.german)
    #expect(found.samples.count == 2 && found.facts.count == 1)
  }

  @Test("a quotation mark that is never closed ends the source with what came before it")
  func unclosed() throws {
    let sink = FigureSink()
    let options = ReaderOptions(fileName: "night.csv")
    var reader = FigureReader(
      sink: sink, forms: SummaryForms([try Self.form(Self.german)]), codes: CodeTable(), options: options)
    let text = Self.german2 + "K-9;\"" + String(repeating: "x", count: 3 << 20)
    let error = #expect(throws: BytesError.self) { try reader.read(MemoryBytes(text, piece: 1 << 16)) }
    #expect(error?.kind == .tooLarge && sink.samples.count == 2)
  }

  @Test("JSON cut off, or too deep, keeps what came before it")
  func cut() throws {
    let row =
      #"{"callId":"c","peer":"p","ts":1795168800000,"kind":"audio","dir":"in","received":5,"jitter":0.01}"#
    let deep = row.replacing(
      "0.01", with: String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000))
    let found = try Self.read("\(row)\n\(deep)\n\(row.prefix(40))\n", Self.counted)
    #expect(found.samples.count == 2 && found.rejects.map(\.line) == [3])
  }
}

@Suite("Numbers and times of tables")
struct FigureNotationTests {
  private func number(_ text: String, _ name: String, _ unit: FigureUnit? = nil, comma: Bool = false) throws
    -> Double?
  {
    let figure = try #require(SummaryFigure(name))
    return FigureNotation(hasDecimalComma: comma).number(
      .text(text), FigureSource(figure: figure, paths: [], unit: unit))
  }

  @Test("a unit in the value wins, and one of another kind makes it no figure")
  func units() throws {
    #expect(try number("27.15 kbps", "bitrate_bps", .text) == 27_150)
    #expect(try number("0.3%", "loss_percent", .ratio) == 0.3 && number("0.3", "loss_percent", .ratio) == 30)
    #expect(try number("12 ms", "jitter_ms", .seconds) == 12 && number("0.012", "jitter_ms", .seconds) == 12)
    #expect(try number("12 kbps", "jitter_ms") == nil && number("12", "jitter_ms", .text) == nil)
    #expect(try number("29140", "rtt_ms", .microseconds) == 29.14 && number("41", "mos", .tenfold) == 4.1)
    #expect(
      try number("80", "jitter_ms", .samples) == 10 && number("9283", "loss_percent", .thousandfold) == 9.283)
    #expect(try number("1280*720", "height", .text) == 720 && number("1280*720", "width", .text) == 1280)
    #expect(
      try number("1.234,5", "jitter_ms", comma: true) == 1234.5 && number("1,234.5", "jitter_ms") == 1234.5)
    #expect(try number("PT1M0.5S", "rtt_ms", .iso) == 60_500 && number("P1Y", "rtt_ms", .iso) == nil)
  }

  @Test(
    "what stands for unknown is no number",
    arguments: ["", " ", "N/A", "null", "NaN", "-", "-1", "\\N", "inf", "abc", "1e999"])
  func missing(text: String) throws { #expect(try number(text, "jitter_ms") == nil) }

  @Test(
    "times are found in any spelling, and 0 is none",
    arguments: [
      ("2026-11-20T10:00:00.1234567Z", 123.4567), ("1795168800", 0), ("1795168800000", 0),
      ("1795168800000000", 0),
      ("20.11.2026 10:00:00", 0), ("2026-11-20T11:00:00+01:00", 0), ("0", nil), ("", nil), ("soon", nil),
      ("1e300", nil),
    ])
  func times(text: String, expected: Double?) throws {
    var clock = FigureClock(zone: nil)
    let ms = clock.ms(text, nil, nil).map { $0 - FigureReaderTests.start }
    #expect(ms.map { ($0 * 1000).rounded() } == expected.map { ($0 * 1000).rounded() })
  }

  @Test("an hour that comes twice is the one nearer to the row before, and dots may part a time")
  func twice() throws {
    var clock = FigureClock(zone: try #require(Zone(named: "Europe/Berlin")))
    let autumn = 1_792_889_940_000.0
    let times = ["02:59:00", "02:59:30", "02:00:00", "02:00:30", "03:00:00"].map {
      clock.ms("2026-10-25 \($0)", nil, nil).map { ($0 - autumn) / 1000 }
    }
    #expect(times == [0, 30, 60, 90, 3660])
    #expect(clock.ms("20/11/2026 11.00.00", nil, nil) == FigureReaderTests.start)
  }

  @Test("a form of dates decides which number is the day")
  func patterns() throws {
    let american = try #require(DatePattern("MM/dd/yyyy hh:mm:ss a"))
    #expect(american.localMs("11/20/2026 10:00:00 AM") == FigureReaderTests.start)
    #expect(american.localMs("11/20/2026 10:00:00 PM") == FigureReaderTests.start + 43_200_000)
    #expect(american.localMs("20/11/2026 10:00:00 AM") == nil && american.localMs("11/20/2026") == nil)
    #expect(try #require(DatePattern("d.M.yy HH:mm")).localMs("20.11.26 10:00") == FigureReaderTests.start)
    #expect(DatePattern("HH:mm") == nil)
    let exact = try #require(DatePattern("yyyy-MM-dd'T'HH:mm:ss.SSS".filter { $0 != "'" }))
    #expect(exact.localMs("2026-11-20T10:00:00.25") == FigureReaderTests.start + 250)
    let signs = try #require(DatePattern("yyyy年M月d日 HH:mm"))
    #expect(signs.localMs("2026年11月20日 10:00,5") == FigureReaderTests.start + 500)
    #expect(signs.localMs("2026年11月20日") == nil && signs.localMs("2026年11月") == nil)
  }
}
