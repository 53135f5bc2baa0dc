import CallModel
import Testing

@testable import GetStats

@Suite("Times in other formats")
struct WrittenTimeTests {
  /// 2026-11-24 02:14:06 UTC.
  private static let ms = 1_795_486_446_000.0

  @Test(
    "are understood whoever wrote them",
    arguments: [
      ("2026-11-24 02:14:06.123 +0000 UTC", 123.0), ("2026-11-24 03:14:06.123456789 +0100 CET", 123.456789),
      ("2026-11-23 23:14:06 -0300 -03 m=+0.012345", 0), ("2026-11-24 02:14:06.5 +0000 UTC m=+12.5", 500),
      ("Tue, 24 Nov 2026 02:14:06 GMT", 0), ("Tue, 24 Nov 2026 03:14:06 +0100", 0),
      ("24 Nov 2026 02:14:06 UTC", 0),
      ("Tue Nov 24 2026 03:14:06 GMT+0100 (Central European Standard Time)", 0),
      ("/Date(1795486446123)/", 123), ("/Date(1795486446123+0100)/", 123),
      ("2026-11-24T02:14:06,123Z", 123), ("2026/11/24 02:14:06.123 UTC", 123), ("20261124T021406.123Z", 123),
      ("20261124T021406Z", 0), ("2026-11-24T03:14:06.123+01:00[Europe/Berlin]", 123),
      ("2026-11-24T02:14:06Z[UTC]", 0), ("2026-11-24T02:14:06", 0), ("2026-11-24 02:14:06-00:00", 0),
    ])
  func understood(text: String, fraction: Double) throws {
    let ms = try #require(ReportTime.written(Array(text.utf8)), "\(text)")
    #expect(abs(ms - Self.ms - fraction) < 0.01, "\(text)")
  }

  @Test(
    "are none where something else stands there, or a part is missing",
    arguments: [
      "2026-11-24", "20261124", "2026-11/24 02:14:06", "2026-13-24T02:14:06Z", "Tue, 24 Nov 2026 02:14:06",
      "Tue, 24 Nov 2026", "24 Foo 2026 02:14:06 GMT", "/Date()/", "/Date(1)", "/Date(99999999999999999999)/",
      "/Date(1795486446123+01)/", "2026-11-24 02:14:06 +0000 UTC m=", "2026-11-24T02:14:06Z[UTC", "Nov", "T",
      "2026-11-24 02:14:06 CET", "May 1, 2026", "", "/",
    ])
  func none(text: String) {
    #expect(ReportTime.written(Array(text.utf8)) == nil, "\(text)")
  }

  @Test("place snapshots whose reports have them, and those that stand beside them")
  func snapshots() throws {
    for time in [
      "2026-11-24 02:14:06.123 +0000 UTC", "Tue, 24 Nov 2026 02:14:06 GMT", "/Date(1795486446123)/",
    ] {
      for (own, poll) in [(time, "x"), ("", time)] {
        let sink = try readSource(
          """
          {"ts":"\(poll)","pc":"one","report":{"I":{"id":"I","type":"inbound-rtp","ssrc":7,"timestamp":"\(own)","packetsReceived":5}}}

          """)
        let placed = try #require(sink.streams(.inbound).first?.times.first, "\(time)")
        #expect(abs(placed - Self.ms - 60) < 100)
      }
    }
  }
}
