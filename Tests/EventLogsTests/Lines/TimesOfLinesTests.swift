import CallModel
import Testing

@Suite("Times of lines, wherever they stand")
struct TimesOfLinesTests {
  private static let start = 1_795_168_800_000.0  // 2026-11-20T10:00:00Z

  // A call of 35 s that is set up in 4.8 s, each line with the stamp that a log of this kind has.
  private static func log(_ line: (_ second: String, _ message: String) -> String) -> String {
    [("00", "onSessionStarted"), ("05", "createCall callId=c1"), ("09", "onInCall"), ("40", "onEnded")]
      .map { line($0.0, $0.1) + "\n" }.joined()
  }

  @Test(
    "in text",
    arguments: [
      log { "[INFO] 2026-11-20T10:00:\($0).000Z \($1)" },
      log { "INFO  2026-11-20 10:00:\($0),000 [main] \($1)" },
      log { "\u{1B}[90m2026-11-20T10:00:\($0).000Z\u{1B}[39m \u{1B}[32minfo\u{1B}[39m \($1)" },
      log { "app.js:40 2026-11-20T10:00:\($0).000Z \($1)" },
      log { "app.js:40 [INFO] [2026-11-20T10:00:\($0).000Z] \($1)" },
      log { "web-1  | 2026-11-20T10:00:\($0).000Z \($1)" },
      log { "<134>1 2026-11-20T10:00:\($0).000Z host app 12 - - \($1)" },
      log { "Nov 20 10:00:\($0) host app[12]: \($1)" }, log { "<134>Nov 20 10:00:\($0) host app[12]: \($1)" },
      log { "17951688\($0)000,\"\($1)\"" },
      log { #"{"id":"A","content":{"timestamp":"2026-11-20T10:00:\#($0).000Z","message":"\#($1)"}}"# },
      log { #"{"type":"log","attributes":{"timestamp":"2026-11-20T10:00:\#($0).000Z","message":"\#($1)"}}"# },
      log { "(10:00:\($0).000) \($1)" },
      log { "INFO 10:00:\($0).000 \($1)" },
      log { "time=\"2026-11-20T10:00:\($0).000Z\" level=info msg=\"\($1)\"" },
      log { "11/20/2026, 10:00:\($0) AM \($1)" },
      log { "20/11/2026 10:00:\($0).000 \($1)" }, log { "20.11.2026 10:00:\($0).000 \($1)" },
      log { "Fri Nov 20 2026 11:00:\($0) GMT+0100 (CET) \($1)" },
      log { "[20/Nov/2026:10:00:\($0) +0000] \($1)" },
      log { #"{"level":"info","message":"\#($1)","timestamp":"2026-11-20T10:00:\#($0).000Z"}"# },
      log { #"{"name":"app","pid":1,"msg":"\#($1)","time":"2026-11-20T10:00:\#($0).000Z","v":0}"# },
      log { #"{"log":"\#($1)\n","stream":"stdout","time":"2026-11-20T10:00:\#($0).000Z"}"# },
      log {
        #"{"instant":{"epochSecond":17951688\#($0),"nanoOfSecond":0},"level":"INFO","message":"\#($1)"}"#
      },
      log { #"{"asctime":"2026-11-20 10:00:\#($0),000","levelname":"INFO","message":"\#($1)"}"# },
      log { "ts=17951688\($0)000 level=info msg=\"\($1)\"" },
      log { "default\t10:00:\($0).000000+0000\tPhone\t\($1)" },
      "\u{FEFF}" + log { "2026-11-20T10:00:\($0).000Z \($1)" },
    ])
  func text(_ text: String) throws {
    #expect(try recognise(text) == .sdkText)
    let log = try read(.sdkText, text)
    #expect(log.names == [.sessionRegistered, .callCreated, .callEstablished, .callEnded])
    let times = log.records.map(\.timeMs)
    let first = try #require(times.first ?? nil)
    #expect(times == [first, first + 5000, first + 9000, first + 40_000])
    let hasDate = log.notes.allSatisfy { !$0.contains("before today") }
    if hasDate { #expect(first == Self.start) }
    #expect(!log.notes.contains { $0.contains("no time") })
  }

  @Test(
    "in run logs",
    arguments: [
      log {
        #"{"time":"2026-11-20T10:00:\#($0).000","sdk":"cisco-rem","event":"\#($1.split(separator: " ")[0])"}"#
      },
      log {
        #"{"time":"2026-11-20 10:00:\#($0).000","sdk":"cisco-rem","event":"\#($1.split(separator: " ")[0])"}"#
      },
      log {
        #"{"@timestamp":"2026-11-20T10:00:\#($0).000Z","sdk":"cisco-rem","event":"\#($1.split(separator: " ")[0])"}"#
      },
      log {
        #"{"Timestamp":"2026-11-20T10:00:\#($0).000Z","sdk":"cisco-rem","Event":"\#($1.split(separator: " ")[0])"}"#
      },
      "[\n"
        + log {
          "  {\n  \"ts\": \"2026-11-20T10:00:\($0)Z\",\n \"sdk\": \"cisco-rem\", \"event\": \"\($1.split(separator: " ")[0])\"\n },"
        }
        .dropLast(2) + "\n]\n",
    ])
  func runLogs(_ text: String) throws {
    #expect(try recognise(text, name: "x.json") == .runLog)
    let log = try read(.runLog, text)
    #expect(log.names == [.sessionRegistered, .callCreated, .callEstablished, .callEnded])
    #expect(log.records.map { $0.timeMs.map { $0 - Self.start } } == [0, 5000, 9000, 40_000])
    #expect(log.notes.contains { $0.contains("taken as UTC") } == !text.contains("Z\""))
  }

  @Test(
    "an event behind a collector's time has its own time and call",
    arguments: [
      "2026-11-20T10:07:00.123456Z stdout F ", "Nov 20 10:07:00 host app[12]: ", "app.js:12 ", "{\"log\":\"",
      "",
    ])
  func wrapped(prefix: String) throws {
    let lines = [(0, "createCall"), (1300, "onInCall"), (26_500, "onEnded")].map { offset, event in
      let inner =
        "{\"ts\":\(Self.start + Double(offset)),\"sdk\":\"cisco-rem\",\"call\":\"c1\",\"event\":\"\(event)\"}"
      guard prefix.hasPrefix("{") else { return prefix + inner + "\n" }
      return prefix + inner.split(separator: "\"").joined(separator: "\\\"")
        + "\\n\",\"time\":\"2026-11-20T10:07:00Z\"}\n"
    }
    let log = try read(prefix.isEmpty ? .runLog : .sdkText, lines.joined())
    #expect(try recognise(lines.joined()) == (prefix.isEmpty ? .runLog : .sdkText))
    #expect(log.records.map { $0.timeMs.map { $0 - Self.start } } == [0, 1300, 26_500])
    #expect(log.facts.values.compactMap(\.call) == ["c1"])
  }

  @Test(
    "the application's own time counts if the collector in front of it has whole seconds only",
    arguments: [
      "<134>Nov 20 10:00:S host app[7]: 2026-11-20T10:00:S.250Z ",
      "Nov 20 10:00:S iPhone App(Foundation)[7] <Notice>: 2026-11-20 10:00:S.250 ",
      "2026-11-20T11:00:S+0100 info app : [App] 2026-11-20T10:00:S.250Z ",
    ])
  func finer(prefix: String) throws {
    let log = try read(.sdkText, Self.log { "\(prefix.replacing("S", with: $0))\($1)" })
    let times = log.records.compactMap(\.timeMs)
    #expect(times == [0, 5000, 9000, 40_000].map { Self.start + 250 + $0 })
  }

  @Test("a time that a line tells of is not its own")
  func told() throws {
    let log = try read(
      .sdkText, Self.log { "Nov 20 10:00:\($0) host app[7]: \($1) since 2026-11-20T09:00:01.250Z" })
    let times = log.records.compactMap(\.timeMs)
    #expect(times.map { $0.truncatingRemainder(dividingBy: 1000) } == [0, 0, 0, 0])
  }

  @Test("which number is the day is not guessed, and nothing is timed without being so")
  func unknownTimes() throws {
    let either = try read(.sdkText, Self.log { "03/04/2026, 10:00:\($0) AM \($1)" })
    #expect(either.records.allSatisfy { $0.timeMs == nil })
    #expect(either.notes.contains { $0.contains("which number is the day") })
    #expect(either.notes.contains { $0.hasPrefix("4 events have no time that callqa can read") })
    let log = try read(
      .sdkText, Self.log { "03/04/2026, 10:00:\($0) AM \($1)" } + "03/30/2026, 1:02:03 PM onSessionStarted\n")
    #expect(log.records.first?.timeMs == 1_772_618_400_000)
    let relative = try read(.sdkText, Self.log { "[\($0).000] \($1) took 00:01:02" })
    #expect(relative.records.allSatisfy { $0.timeMs == nil })
  }

  @Test("of a thousand dates that do not say which number is the day there is one note")
  func manyUnknownDates() throws {
    let lines = (0..<1000).map { "0\(1 + $0 % 9)/1\($0 % 3)/\(2000 + $0) 10:00:00 onRinging\n" }
    let log = try read(.sdkText, lines.joined())
    #expect(log.notes.filter { $0.contains("which number is the day") }.count == 1)
  }

  @Test("a line that comes late starts no new day; midnight does")
  func lateLines() throws {
    let late = try read(
      .sdkText,
      "09:00:00.000 createCall a\n09:05:00.000 onRinging\n09:03:30.000 onPending\n09:10:00.000 onEnded\n")
    #expect(
      late.records.map { ($0.timeMs ?? 0) - (late.records[0].timeMs ?? 0) } == [0, 300_000, 210_000, 600_000])
    let night = try read(
      .sdkText,
      "23:59:58.000 createCall a\n00:00:01.000 onRinging\n23:59:59.000 onPending\n00:10:00.000 onEnded\n")
    #expect(
      night.records.map { ($0.timeMs ?? 0) - (night.records[0].timeMs ?? 0) } == [0, 3000, 1000, 602_000])
  }

  @Test(
    "a stream's lines may have a time of day, a month by its name, or a logger's name between",
    arguments: ["10:00:00.000 ", "Nov 20 10:00:00 ", "2026-11-20 10:00:00.000 INFO sse - "])
  func streams(stamp: String) throws {
    let lines = [
      "event: participant_sync_begin", "data: null", "", "event: participant_create",
      "data: {\"uuid\":\"u-1\"}", "",
    ]
    let text = lines.map { stamp + $0 + "\n" }.joined()
    #expect(try recognise(text) == .sse)
    let log = try read(.sse, text)
    #expect(log.names == [.conferenceRosterSyncing, .conferenceParticipantPresent])
    #expect(log.records.allSatisfy { $0.timeMs != nil })
  }
}
