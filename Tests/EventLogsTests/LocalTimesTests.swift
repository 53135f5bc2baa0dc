import Bytes
import CallModel
import EventLogs
import Testing

@Suite("Times as locales write them")
struct LocalTimesTests {
  private static let afternoon = 1_794_668_990_000.0  // 2026-11-14T15:09:50Z

  private func times(_ stamp: String, behind: String = "] ") throws -> Collector {
    try read(.sdkText, "[\(stamp)\(behind)createCall sip:agent1@example.com\n")
  }

  @Test(
    "a date in digits, whatever its separators and wherever its year and its time stand",
    arguments: [
      "14-11-2026, 15:09:50", "2026-11-14, 3:09:50 p.m.", "2026/11/14, 15:09:50", "14. 11. 2026 15:09:50",
      "14. 11. 2026. 15:09:50", "2026. 11. 14. 15:09:50", "14.11.2026 \u{433}., 15:09:50 \u{447}.",
      "2026. 11. 14. PM 3:09:50", "2026. 11. 14. \u{C624}\u{D6C4} 3:09:50", "15:09:50 14/11/2026",
      "2026/11/14 \u{4E0B}\u{5348}3:09:50", "2026/11/14\u{2009}\u{4E0B}\u{5348}3:09:50",
      "14/11/2026, 3:09:50 p.m.", "14/11/2026, 3:09:50 p.\u{A0}m.",
      "14/11/2026, 3:09:50\u{202F}p. m.", "14/11/2026, 3:09:50 \u{3BC}.\u{3BC}.", "14/11/2569 15:09:50",
      "14/11/2026, 3:09:50 PTG", "14/11/2026, 3:09:50 \u{645}", "11/14/2026, 3:09:50 PM",
      "14.11.2026 klo 15:09:50",
    ])
  func dates(stamp: String) throws {
    let log = try times(stamp)
    #expect(log.records.map(\.timeMs) == [Self.afternoon])
    #expect(!log.notes.contains { $0.contains("no date") || $0.contains("half of the day") })
    #expect(log.notes.contains { $0.contains("Buddhist") } == stamp.contains("2569"))
  }

  @Test(
    "a colon, a bracket, a comma or a hyphen may follow the half of the day",
    arguments: [": ", "] ", ", ", " - "])
  func behindTheHalf(behind: String) throws {
    #expect(try times("11/14/2026, 3:09:50.000 PM", behind: behind).records.map(\.timeMs) == [Self.afternoon])
    #expect(
      try times("11/14/2026, 12:00:28 AM", behind: behind).records.map(\.timeMs) == [
        Self.afternoon - 54_562_000
      ])
  }

  @Test("where hyphens do not say which number is the day, nothing is guessed")
  func either() throws {
    let log = try times("03-04-2026, 15:09:50")
    #expect(log.records.map(\.timeMs) == [nil])
    #expect(log.notes.contains { $0.contains("which number is the day") })
    #expect(try times("04/05/2569, 15:09:50").records.map(\.timeMs) == [1_777_907_390_000])
  }

  @Test(
    "a word behind the hour that may be a half of the day is said not to be understood, unless other hours show that it is none"
  )
  func unknownHalf() throws {
    let word = "\u{92E}.\u{928}."
    let line = { (time: String) in "[14/11/2026, \(time) \(word)] createCall sip:a@example.com\n" }
    #expect(try read(.sdkText, line("3:09:50")).notes.contains { $0.contains("half of the day") })
    let whole = try read(.sdkText, line("9:09:50") + line("15:09:50"))
    #expect(!whole.notes.contains { $0.contains("half of the day") })
  }

  @Test("numbers behind a time of day that are no date leave the time as it is")
  func noDate() throws {
    for number in ["12-34-5678", "123-45-6789", "1.2.3", "2026", "14/11/20261"] {
      let log = try read(.sdkText, "10:00:00.000 \(number) createCall a\n10:00:09.000 onInCall\n")
      #expect(log.records.compactMap(\.timeMs).count == 2, "\(number)")
    }
  }

  @Test("a time of day alone is never one that is still to come")
  func notInTheFuture() throws {
    let now = 1_795_399_860_000.0  // 2026-11-23T02:11:00Z
    let sink = Collector()
    var options = ReaderOptions(fileName: "a.log")
    options.writtenMs = now
    try EventLogReader.read(
      .sdkText, from: MemoryBytes("14:03:22.120 createCall sip:a@example.com\n"), into: sink,
      options: options)
    #expect(sink.records.map(\.timeMs) == [1_795_356_202_120])
  }

  @Test("at the end of summer time the order of lines goes on", arguments: ["2026-10-25 ", ""])
  func endOfSummer(date: String) throws {
    let log = try read(
      .sdkText,
      [
        ("02:59:50", "createCall a"), ("02:59:56", "onInCall"), ("02:00:30", "onEnded"),
        ("02:10:00", "createCall b"),
      ]
      .map { "\(date)\($0.0).000 \($0.1)\n" }.joined())
    let first = try #require(log.records.first?.timeMs ?? nil)
    #expect(log.records.map { ($0.timeMs ?? 0) - first } == [0, 6000, 40_000, 610_000])
    #expect(log.notes.contains { $0.contains("from 02:59:56 to 02:00:30: taken as the end of summer time") })
  }

  @Test("a clock that goes back by day is said to")
  func clockSetBack() throws {
    let lines = [("14:59:50", "createCall a"), ("14:59:56", "onInCall"), ("14:20:30", "onEnded")]
    let dated = try read(.sdkText, lines.map { "2026-10-25 \($0.0).000 \($0.1)\n" }.joined())
    #expect(dated.notes.contains { $0.contains("goes back from 14:59:56 to 14:20:30") })
    let alone = try read(.sdkText, lines.map { "\($0.0).000 \($0.1)\n" }.joined())
    #expect(alone.notes.contains { $0.contains("from 14:59:56 to 14:20:30: taken as the next day") })
    let night = try read(.sdkText, "23:59:58.000 createCall a\n00:00:01.000 onInCall\n")
    #expect(!night.notes.contains { $0.contains("goes back") })
  }

  @Test("of events below one line with a time, all but the first are said to borrow it")
  func borrowed() throws {
    let log = try read(
      .sdkText,
      "10:00:00.000 client connect\nPOST https://p.example.com/api/client/v2/conferences/meet.a/request_token\n"
        + "POST https://p.example.com/api/client/v2/conferences/meet.a/participants/u1/calls/c1/ack\n"
        + "10:00:09.000 POST https://p.example.com/api/client/v2/conferences/meet.a/release_token\n")
    // The token that is given back ends the call: two events of one line.
    #expect(log.records.map { $0.ownTimeMs == nil } == [false, true, false, false])
    #expect(log.records.allSatisfy { $0.timeMs != nil })
    #expect(log.notes.contains { $0.hasPrefix("1 events stand on lines without a time") })
  }
}
