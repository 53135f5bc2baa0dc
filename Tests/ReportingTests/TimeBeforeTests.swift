import CallModel
import CallStore
import Foundation
import Testing

@testable import Reporting
@testable import Rendering

@Suite("What a time is compared with where no run was named")
struct TimeBeforeTests {
  private static let berlin = Zone(named: "Europe/Berlin")

  private static func choice(_ zone: Zone, _ calls: [String]) throws -> SliceChoice {
    let store = try Store(path: ":memory:", access: .memory)
    for (index, when) in calls.enumerated() {
      try store.insert(
        into: "calls", columns: ["call_id", "sdk", "started_ms", "outcome", "stale"],
        rows: [
          [.text("c\(index)"), .text("web"), .real(try ms(when, zone)), .text("completed"), .integer(0)]
        ])
    }
    return SliceChoice(rows: StoreRows(store), zone: zone)
  }

  private static func ms(_ text: String, _ zone: Zone) throws -> Double {
    try #require(MomentText.parse(text, zone: zone, nowMs: 0))
  }

  /// Beginning, end and name of what `since` to `until` is compared with.
  private static func before(_ since: String, _ until: String?, _ zone: Zone, calls: [String]) throws
    -> String?
  {
    let slice = Slice(
      run: nil, sinceMs: try ms(since, zone), untilMs: try until.map { try ms($0, zone) }, name: "now")
    let choice = try choice(zone, calls)
    return try choice.time(before: slice).map { found in
      let ends = [found.sinceMs, found.untilMs].map { $0.flatMap { zone.text($0)?.prefix(16) } ?? "?" }
      return "\(ends[0]) / \(ends[1]) / \(found.name)"
    }
  }

  @Test("it ends where the time begins, so that no call is compared with itself")
  func apart() throws {
    let calls = ["2026-11-20T20:00", "2026-11-21T06:00"]
    let day = "2026-11-20 00:00 / 2026-11-21 00:00 / 2026-11-20 00:00 to 2026-11-21 00:00"
    #expect(try Self.before("2026-11-21", "2026-11-22", .utc, calls: calls) == day)
    #expect(try Self.before("2026-11-21", nil, .utc, calls: calls) == day)
  }

  @Test("the same hours of the day before are as long, of days as many days")
  func asLong() throws {
    let calls = ["2026-11-18T07:00", "2026-11-20T09:30", "2026-11-21T09:30"]
    #expect(
      try Self.before("2026-11-21T09:00", "2026-11-21T10:00", .utc, calls: calls)
        == "2026-11-20 09:00 / 2026-11-20 10:00 / 2026-11-20 09:00 to 2026-11-20 10:00")
    #expect(
      try Self.before("2026-11-19", "2026-11-22", .utc, calls: calls)
        == "2026-11-16 00:00 / 2026-11-19 00:00 / 2026-11-16 00:00 to 2026-11-19 00:00")
    #expect(
      try Self.before("2026-11-20T12:00", "2026-11-21T12:00", .utc, calls: calls)
        == "2026-11-19 12:00 / 2026-11-20 12:00 / night of 2026-11-19")
  }

  @Test("where nobody called then, it is the night of the last call before, and no longer than to the time")
  func lastNight() throws {
    let calls = ["2026-11-14T20:00", "2026-11-16T08:00"]
    #expect(
      try Self.before("2026-11-16", nil, .utc, calls: calls)
        == "2026-11-14 12:00 / 2026-11-15 12:00 / night of 2026-11-14")
    #expect(
      try Self.before("2026-11-15T06:00", "2026-11-15T07:00", .utc, calls: calls)
        == "2026-11-14 12:00 / 2026-11-15 06:00 / night of 2026-11-14")
    #expect(try Self.before("2026-11-14", nil, .utc, calls: calls) == nil)
  }

  @Test(
    "a day is one of the calendar, also where clocks change", .enabled(if: berlin != nil, "no tz database"))
  func clockChange() throws {
    let berlin = try #require(Self.berlin)
    let calls = ["2026-10-24T20:00", "2026-10-25T11:30", "2026-10-25T20:00", "2026-10-26T08:00"]
    #expect(
      try Self.before("2026-10-25T12:00", "2026-10-26T12:00", berlin, calls: calls)
        == "2026-10-24 12:00 / 2026-10-25 12:00 / night of 2026-10-24")
    #expect(
      try Self.before("2026-10-26", nil, berlin, calls: calls)
        == "2026-10-25 00:00 / 2026-10-26 00:00 / 2026-10-25 00:00 to 2026-10-26 00:00")
    let night = try #require(try Self.choice(berlin, ["2026-10-24T20:00", "2026-10-25T11:30"]).latest())
    #expect(night.name == "night of 2026-10-24")
    #expect(try night.untilMs == Self.ms("2026-10-25T12:00", berlin))
  }
}
