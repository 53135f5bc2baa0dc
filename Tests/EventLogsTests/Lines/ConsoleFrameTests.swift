import CallModel
import Testing

@Suite("What a page writes to its console is read in the frames of browsers and their drivers")
struct ConsoleFrameTests {
  private let json =
    #"{"ts":1795226100000,"sdk":"w3c","call":"c1","endpoint":"app","event":"create","args":{"a":1}}"#
  private let source = #"", source: https://app.example/call.js?a=1& (88)"#

  /// Heads of Chromium's log as its versions and platforms write it.
  static let heads = [
    "[4321:1:1120/100000.250000:INFO:CONSOLE(88)] \"", "[1120/100000.250:INFO:CONSOLE:88] \"",
    "[7:14:1120/100000.250000:WARNING:CONSOLE(88)] \"",
    "11-20 10:00:00.250  4321  4321 I chromium: [INFO:CONSOLE(88)] \"",
  ]

  @Test(
    "JSON in Chromium's frame, bare or behind a label",
    arguments: heads + ["I/chromium( 42): [INFO:CONSOLE(88)] \""])
  func json(head: String) throws {
    for label in ["", "[rtc] "] {
      let text = head + label + json + source + "\n"
      #expect(try recognise(text) == .sdkText)
      let log = try read(.sdkText, text)
      #expect(log.names == [.callCreated])
      #expect(log.records.first?.args == #"{"a":1}"#)
    }
  }

  @Test("an SDK's words in Chromium's frame, with the time of its head", arguments: heads)
  func words(head: String) throws {
    let log = try read(
      .sdkText,
      ["onStatusChanged: RINGING", "onStatusChanged: IN_CALL"].map { head + $0 + source + "\n" }.joined())
    #expect(log.names == [.callRinging, .callEstablished])
    for record in log.records {
      #expect(!record.args.contains("source") && !record.args.contains("app.example"), "\(record.args)")
      #expect(record.timeMs.map { $0.truncatingRemainder(dividingBy: 86_400_000) } == 36_000_250)
    }
  }

  @Test("a text of several lines ends with its frame")
  func lines() throws {
    let log = try read(
      .sdkText,
      Self.heads[0]
        + "{\n  \"action\": \"callMetric\",\n  \"type\": \"callRestSent\",\n  \"callId\": \"7E\",\n  \"time\": \"1455701052999\"\n}"
        + source + "\n")
    #expect(log.records.map(\.timeMs) == [1_455_701_052_999])
  }

  @Test("strings of JavaScript: ChromeDriver's browser log, Firefox's output")
  func strings() throws {
    let escaped = "\"" + json.replacing("\"", with: "\\\"") + "\""
    for line in [
      "https://app.example/call.js 4:120 \(escaped)", "console-api 4:120 \"[rtc]\" \(escaped)",
      "console.log: \(escaped)", "2026-11-20 10:00:00.000 [t:1] '\(json)'",
    ] {
      #expect(try recognise(line + "\n") == .sdkText, "\(line)")
      #expect(try read(.sdkText, line + "\n").names == [.callCreated], "\(line)")
    }
    let message = "https://app.example/call.js 4:120 \(escaped)".replacing("\\", with: "\\\\").replacing(
      "\"", with: "\\\"")
    let wrapped =
      #"{"level":"INFO","source":"console-api","timestamp":1795226100000,"message":"\#(message)"}"#
    for text in [wrapped + "\n", "[\(wrapped),\(wrapped)]"] {
      #expect(try recognise(text) == .sdkText)
      #expect(try read(.sdkText, text).names.allSatisfy { $0 == .callCreated })
    }
    let words = try read(.sdkText, "https://app.example/call.js 4:120 \"onStatusChanged: RINGING\"\n")
    #expect(words.names == [.callRinging])
  }

  @Test("Safari's place in the source is none of the text")
  func safari() throws {
    let log = try read(
      .sdkText,
      """
      [Log] 2026-11-26T09:00:00.000Z call.dial sip:help@rem.example (main.js, line 11)
      [Log] 2026-11-26T09:00:01.500Z call.onRinging (main.js, line 20)
      [Log] 2026-11-26T09:00:06.000Z call.onInCall (main.js, line 22)
      [Log] 2026-11-26T09:00:11.000Z call.onConnectionQualityChanged 77 (main.js, line 30)
      [Error] 2026-11-26T09:00:20.000Z call.onCallFailed 503 (main.js, line 33)

      """)
    #expect(
      log.names == [
        .callDialing, .callRinging, .callEstablished, .mediaQualityReported, .callFailed,
      ])
    #expect(log.records.allSatisfy { !$0.args.contains("line") && !$0.args.contains("main.js") })
    #expect(log.records.last?.argument("code") == "503")
    let kept = try read(.sdkText, "[Log] 2026-11-26T09:00:01.500Z onCallFailed 503 (line 7 is busy)\n")
    #expect(kept.records.last?.args.contains("busy") == true)
  }
}
