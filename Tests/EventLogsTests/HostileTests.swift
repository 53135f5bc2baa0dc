import Bytes
import CallModel
import EventLogs
import Testing

@Suite("Hostile input is survived")
struct HostileTests {
  /// A small generator with a seed, so that what fails can be repeated.
  struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  private let seeds = [
    #"{"ts":1795226100000,"sdk":"cisco-rem","event":"onStatusChanged","args":{"status":"RINGING","sdp":"v=0\r\na=ssrc:99999999999999999999 x\r\nb=AS:9223372036854775807\r\nb=TIAS:9223372036854775807\r\n"}}"#,
    #"{"action":"callMetric","type":"o callRinging","callId":"1","time":"99999999999999999999"}"#,
    #"{"ts":1e308,"event":"ws","args":{"control":{"type":"response","correlation_id":"c"},"header":{"action":"start","response_code":-180}}}"#,
    "event: participant_create\ndata: {\"uuid\":\"a\",\"start_time\":1e300}\nid: 1\n\n",
    "9999999999999 event: stage\n9999999999999 data: [\n9999999999999 \n",
    "23:59:60.999 < Date: Sat, 31 Feb 9999 23:59:60 GMT\nevent: bye\ndata:\n\n",
    "02-31 23:59:60.1 1 2 D x: Detailed info is {\n action = callMetric;\n type = callCreate;\n time = 0;\n}\n",
    "2026-11-21 01:02:03 +9900 x onConnectionRetry(attempt: 99999999999999999999, delay: nan)\n",
    "Time from creating call until  is  for callid \nCall is ended because of reason  with code \n",
    "message frame {‘control’:{‘type’:’x’}}\n\u{FEFF}{\"event\":null}\n",
  ]

  @Test("bytes cut, doubled, swapped and made up, in every format", arguments: 0..<8)
  func mutations(seed: Int) {
    var dice = Dice(state: UInt64(seed) &* 977 &+ 13)
    for text in seeds {
      var bytes = Array((text + "\n" + (seeds.randomElement(using: &dice) ?? "")).utf8)
      for _ in 0..<Int.random(in: 1...8, using: &dice) {
        guard !bytes.isEmpty else { break }
        let at = Int.random(in: 0..<bytes.count, using: &dice)
        switch Int.random(in: 0..<5, using: &dice) {
        case 0: bytes.remove(at: at)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &dice), at: at)
        case 2: bytes[at] = UInt8.random(in: 0...255, using: &dice)
        case 3: bytes = Array(bytes[..<at])
        default: bytes.insert(contentsOf: bytes[at...].prefix(40), at: at)
        }
      }
      _ = bytes.withUnsafeBufferPointer { try? EventLogReader.recognise($0, name: "x") }
      for format in [SourceFormat.runLog, .sse, .sdkText] {
        try? EventLogReader.read(
          format, from: MemoryBytes(bytes, piece: 7), into: Collector(), options: ReaderOptions(fileName: "x")
        )
      }
    }
  }

  @Test("deep nesting and endless objects end")
  func deep() throws {
    let deep = String(repeating: "{a=", count: 5000)
    _ = try read(.sdkText, "Detailed info is " + deep + "\n" + String(repeating: "x\n", count: 100))
    _ = try read(
      .runLog,
      "{\"ts\":1,\"event\":\"x\",\"args\":" + String(repeating: "[", count: 20000)
        + String(repeating: "]", count: 20000) + "}")
    _ = try read(.sse, "data: " + String(repeating: "[", count: 50000) + "\n\n")
  }

  @Test("a line of a hundred thousand objects is one event, whose first ones are its arguments")
  func objectsInARow() throws {
    let head = "2026-11-20T10:00:00Z callDidEstablish "
    let few = try read(.sdkText, head + #"{"a":1} {"b":2,"a":3} c=4"# + "\n")
    #expect(few.records.first?.args == #"{"a":1,"b":2,"c":4,"is_answer":true}"#)
    let many = try read(.sdkText, head + #"{"a":1}"# + String(repeating: "{}", count: 100_000) + "\n")
    #expect(many.records.first?.argument("a") == "1")
  }

  @Test("a pretty-printed object of Kandy's is a log too")
  func pretty() throws {
    let text =
      "{\n    \"action\": \"callMetric\",\n    \"type\": \"callRestSent\",\n    \"callId\": \"7E60066C\",\n    \"time\": \"1455701052999\"\n}\n"
    #expect(try recognise(text) == .sdkText)
    #expect(try read(.sdkText, text).records.first?.timeMs == 1_455_701_052_999)
  }
}
