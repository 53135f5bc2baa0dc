import Testing

@testable import IO
@testable import Rendering

@Suite("Times are shown on the clock of a zone, with its offset")
struct ZoneTests {
  static let known = Zone(named: "Europe/Berlin") != nil

  @Test(
    "offsets are zones too",
    arguments: [("+02:00", 7200), ("-0530", nil), ("-05:30", -19_800), ("+1", 3600), ("UTC", 0)])
  func offsets(_ name: String, _ seconds: Int?) {
    #expect(Zone(named: name)?.offset(atMs: 0) == seconds)
  }

  @Test(
    "a name that is no zone is none",
    arguments: ["Mars/Olympus", "", "../../etc/passwd", "/etc/passwd", "+99:00"])
  func unknown(_ name: String) {
    #expect(Zone(named: name) == nil)
  }

  @Test(
    "Berlin changes its clocks, in the past and far in the future",
    .enabled(if: known, "no tz database here"),
    arguments: [
      (1_774_745_999_000.0, "2026-03-29 01:59:59.000+01:00"),
      (1_774_746_000_000.0, "2026-03-29 03:00:00.000+02:00"),
      (4_089_913_200_000.0, "2099-08-09 01:00:00.000+02:00"), (-3_600_000.0, "1970-01-01 00:00:00.000+01:00"),
    ])
  func berlin(_ timeMs: Double, _ text: String) {
    #expect(Zone(named: "Europe/Berlin")?.text(timeMs) == text)
  }

  @Test(
    "a time that clocks show twice, or never, is named; one with an offset is clear",
    .enabled(if: known, "no tz database here"),
    arguments: [
      (
        "2026-10-25T02:30",
        "comes twice in Europe/Berlin: 2026-10-25 02:30:00.000+01:00 is taken, not 2026-10-25 02:30:00.000+02:00"
      ),
      (
        "2026-03-29T02:30",
        "is no time of Europe/Berlin, where clocks are put on: 2026-03-29 03:30:00.000+02:00 is taken"
      ),
      ("2026-10-25T02:30+02:00", nil), ("2026-10-25T04:30", nil), ("2026-10-25", nil), ("yesterday", nil),
    ])
  func doubt(_ text: String, _ words: String?) throws {
    let berlin = try #require(Zone(named: "Europe/Berlin"))
    #expect(MomentText.doubt(text, zone: berlin) == words.map { "\(text) \($0)" })
  }

  @Test("a POSIX rule is read, on the southern half as well")
  func rules() throws {
    let sydney = try #require(ZoneRule("AEST-10AEDT,M10.1.0,M4.1.0/3"))
    #expect(sydney.offset(at: 1_767_225_600) == 11 * 3600)
    #expect(sydney.offset(at: 1_782_864_000) == 10 * 3600)
    #expect(try #require(ZoneRule("<+0330>-3:30")).offset(at: 0) == 12_600)
    #expect(ZoneRule("nonsense") == nil)
  }

  @Test("a span over the change of clocks has two offsets, the second from the second of the change on")
  func periods() throws {
    let berlin = try #require(Zone(named: "Europe/Berlin"))
    let change = 1_792_890_000_000.0
    let span = berlin.periods(fromMs: change - 10_500, toMs: change + 86_400_000 * 3)
    #expect(
      span == [
        Zone.Period(fromMs: change - 10_500, offset: 7200), Zone.Period(fromMs: change, offset: 3600),
      ])
    #expect(berlin.periods(fromMs: change, toMs: change).map(\.offset) == [3600])
    #expect(berlin.periods(fromMs: change - 86_400_000 * 400, toMs: change).count == 4)
    #expect(Zone.utc.periods(fromMs: 0, toMs: 1e15).count == 1)
  }

  @Test("a time outside the calendar has no text", arguments: [Double.nan, .infinity, 1e18])
  func outside(_ timeMs: Double) {
    #expect(Zone.utc.text(timeMs) == nil)
  }
}
