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

  @Test(
    "a zone behind the time, by its name or its hours, also in front of the year",
    arguments: [
      "Sat Nov 14 15:09:50 UTC 2026", "Sat Nov 14 16:09:50 GMT+01:00 2026", "Sat Nov 14 07:09:50 PST 2026",
      "Sat Nov 14 16:09:50 CET 2026", "2026-11-14 16:09:50 GMT+1", "2026-11-14 20:39:50 UTC+5:30",
      "2026-11-14 07:09:50.000 PST", "2026-11-14 10:09:50 EST", "2026-11-14 17:09:50 CEST",
      "11/14/2026, 10:09:50 AM EST",
    ])
  func zones(stamp: String) throws {
    let log = try times(stamp)
    #expect(log.records.map(\.timeMs) == [Self.afternoon])
    #expect(log.notes.isEmpty, "\(log.notes)")
    #expect(log.records.first?.args.contains("agent1") == true)
  }

  @Test(
    "of a zone whose name stands for several it is said that it is not known which",
    arguments: ["2026-11-14 15:09:50 IST", "Sat Nov 14 15:09:50 CST 2026", "Sat Nov 14 15:09:50 XYZ 2026"])
  func unknownZone(stamp: String) throws {
    let log = try times(stamp)
    #expect(log.records.map(\.timeMs) == [Self.afternoon])
    #expect(log.notes.count == 1)
    #expect(log.notes.first?.contains("may be one of several: taken as UTC") == true)
  }

  @Test("a zone behind a time of day, or behind a date without a year")
  func zoneOfDay() throws {
    var options = ReaderOptions(fileName: "a.log")
    options.writtenMs = Self.afternoon + 3_600_000
    for (line, ms) in [
      ("default\t16:09:50.120113+0100\tPhone\tcreateCall a", 120.113),
      ("11-14 16:09:50.120 +0100 12 34 D T: createCall", 120),
      ("15:09:50Z createCall a", 0), ("Nov 14 16:09:50 CET createCall a", 0),
    ] {
      let sink = Collector()
      try EventLogReader.read(.sdkText, from: MemoryBytes(line + "\n"), into: sink, options: options)
      #expect(sink.records.map { (($0.timeMs ?? 0) - Self.afternoon - ms).rounded() } == [0], "\(line)")
      #expect(!sink.notes.contains { $0.contains("zone") }, "\(sink.notes)")
    }
    let words = try read(.sdkText, "10:00:00.000 -12 createCall a\n10:00:09.000 +5 onInCall\n")
    #expect(words.notes.contains { $0.contains("no zone") })
  }

  @Test(
    "months by their names in the languages of users, a sign between date and time, milliseconds behind a colon",
    arguments: [
      "Nov 14, 2026 @ 15:09:50.000", "Nov. 14, 2026 3:09:50 PM", "nov. 14, 2026 3:09:50 PM",
      "14. Nov. 2026 15:09:50", "2026/11/14 15:09:50:000", "nov 14, 2026 3:09:50 p. m.",
      "\u{43D}\u{43E}\u{44F}\u{431}. 14, 2026 3:09:50 PM",
    ])
  func months(stamp: String) throws {
    #expect(try times(stamp).records.map(\.timeMs) == [Self.afternoon])
  }

  @Test("every month in German, French, Spanish, Italian and Portuguese")
  func monthNames() throws {
    for names in [
      "Jan. Feb. M\u{E4}rz Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.",
      "janv. f\u{E9}vr. mars avr. mai juin juil. ao\u{FB}t sept. oct. nov. d\u{E9}c.",
      "ene feb mar abr may jun jul ago sept oct nov dic", "gen feb mar apr mag giu lug ago set ott nov dic",
      "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.",
    ] {
      let log = try read(
        .sdkText, names.split(separator: " ").map { "\($0) 05, 2026 10:00:00 AM onRinging\n" }.joined())
      let months = log.records.compactMap(\.timeMs).map { Int(($0 - 1_767_225_600_000) / 86_400_000 / 30.4) }
      #expect(months == Array(0..<12), "\(names)")
    }
  }

  @Test("milliseconds behind a colon are counted; other numbers there are none")
  func colonBeforeMilliseconds() throws {
    let log = try read(
      .sdkText, "2026/11/20 10:00:00:123  createCall a\n2026/11/20 10:00:05:323  onInCall\n")
    let times = log.records.compactMap(\.timeMs)
    #expect(times.last.map { $0 - (times.first ?? 0) } == 5200)
    let frames = try read(
      .sdkText, "2026/11/20 10:00:00:12 createCall a\n2026/11/20 10:00:05:1234 onInCall\n")
    #expect(frames.records.map { ($0.timeMs ?? 0).truncatingRemainder(dividingBy: 1000) } == [0, 0])
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
    #expect(log.notes.contains { $0.hasPrefix("1 event is on a line without a time") })
  }
}
