import CallModel
import CallStore
import Testing

@testable import Assessing

@Suite("How long a call lasted is told by one clock")
struct TwoClocksTests {
  /// A call of 25 s as its two ends log it: seconds and events, the callee's clock ahead.
  private func judge(_ caller: [(Double, EventName)], _ callee: [(Double, EventName)], aheadMs: Double) throws
    -> Store
  {
    try judge([("caller", caller), ("callee", callee.map { ($0.0 + aheadMs / 1000, $0.1) })])
  }

  private func judge(
    _ ends: [(String, [(Double, EventName)])], mediaOf media: [String: ClosedRange<Double>] = [:]
  )
    throws -> Store
  {
    let call = try EndsOfOneCall()
    for (end, events) in ends {
      try call.write(end) { try $0.addEvents(events, from: 1_000_000_000) }
    }
    for (end, span) in media {
      try call.write(end, path: end + " stats") { writer in
        var stream = StreamFacts()
        (stream.direction, stream.kind, stream.ssrc) = (.inbound, .audio, 7)
        try writer.stream(0, of: 0, stream)
        var totals = StreamTotals()
        (totals.firstMs, totals.lastMs) = (
          1_000_000_000 + span.lowerBound * 1000, 1_000_000_000 + span.upperBound * 1000
        )
        try writer.totals(totals, of: 0)
        for second in stride(from: span.lowerBound, through: span.upperBound, by: 1) {
          var sample = Sample(timeMs: 1_000_000_000 + second * 1000)
          sample[.packets] = 50 * (second - span.lowerBound)
          sample[.lost] = 0
          try writer.sample(sample, of: 0, extra: nil)
        }
      }
    }
    let store = try call.finished()
    try Assessor(store: store).assessStale()
    return store
  }

  private let caller: [(Double, EventName)] = [
    (0, .callCreated), (0.5, .callRinging), (4, .callAnswered), (4.8, .callEstablished),
    (30, .callEnded),
  ]
  private let callee: [(Double, EventName)] = [
    (0.45, .callIncoming), (3.9, .callAnswered), (4.7, .callEstablished), (30.1, .callEnded),
  ]

  @Test(
    "the difference of the clocks is told where beginning and end bear witness",
    arguments: [7000.0, 3_600_000])
  func skew(aheadMs: Double) throws {
    let store = try judge(caller, callee, aheadMs: aheadMs)
    let call = try store.query("SELECT duration_ms, setup_ms FROM calls").rows.first
    #expect(call?.map(\.number) == [25_400, 1300])
    let said = try store.query("SELECT text FROM findings WHERE code = 'clock-skew'").rows.first?.first?
      .string
    #expect(said?.contains("when both ends say that the call was established and over") == true)
    #expect(said?.contains("suggest a time zone") == (aheadMs == 3_600_000))
    // By half a second less or more, as beginning and end bear witness.
    let skews = try store.query("SELECT path, skew_ms FROM sources ORDER BY path").rows
    #expect(skews.map { $0[0].string } == ["callee", "caller"] && skews[1][1] == .null)
    #expect(abs(try #require(skews[0][1].number) - aheadMs) <= 500)
  }

  @Test("what was said of a source's clock goes when nothing says it any more")
  func skewGone() throws {
    let store = try judge(caller, callee, aheadMs: 7000)
    try store.setSkews([1: 5000], ofCall: 1)
    #expect(
      try store.query("SELECT skew_ms FROM sources ORDER BY source_id").rows == [[.real(5000)], [.null]])
    try store.setSkews([:], ofCall: 1)
    #expect(try store.query("SELECT skew_ms FROM sources").rows == [[.null], [.null]])
  }

  @Test("clocks that agree are left alone")
  func noSkew() throws {
    let store = try judge(caller, callee, aheadMs: 300)
    #expect(try store.query("SELECT 1 FROM findings").rows.isEmpty)
    #expect(try store.query("SELECT duration_ms FROM calls").rows.first?.first?.number == 25_400)
  }

  @Test("where nothing bears witness, a contradiction is told and nothing is computed across")
  func contradiction() throws {
    // The callee was cut off later: beginning and end do not agree on one difference.
    let late = callee.dropLast() + [(48, .callEnded)]
    let store = try judge(caller, Array(late), aheadMs: 3_600_000)
    #expect(try store.query("SELECT duration_ms FROM calls").rows.first?.first?.number == 43_300)
    let said = try store.query("SELECT text FROM findings WHERE code = 'clock-skew'").rows.first?.first?
      .string
    #expect(said?.contains("by how much is unknown") == true)
  }

  @Test("of three ends the odd one is named, whoever tells most")
  func majority() throws {
    let shown: (Double) -> [(Double, EventName)] = { shift in
      [(10, EventName.conferencePresentationStarted), (20, .conferencePresentationStopped)].map {
        ($0.0 + shift, $0.1)
      }
    }
    let store = try judge(
      [
        ("odd", [(7.0, .callCreated), (8, .callRinging), (9, .callEstablished)] + shown(7)),
        ("a", shown(0)), ("b", shown(0)),
      ])
    let found = try store.query(
      "SELECT e.endpoint FROM findings AS f JOIN endpoints AS e USING (endpoint_key) WHERE f.code = 'clock-skew'"
    )
    #expect(found.rows.map { $0.first?.string } == ["odd"])
  }

  @Test("a log that is whole hours off the media of its own end was read in the wrong zone")
  func mistakenZone() throws {
    let log = caller.map { ($0.0 + 3600, $0.1) }
    let store = try judge([("caller", log), ("callee", callee)], mediaOf: ["caller": 5...30.0])
    let found = try store.query(
      "SELECT e.endpoint, f.text FROM findings AS f JOIN endpoints AS e USING (endpoint_key) WHERE f.code = 'clock-skew'"
    )
    #expect(found.rows.count == 1 && found.rows.first?.first?.string == "caller")
    #expect(found.rows.first?.last?.string?.contains("1 h ahead of what else was recorded here") == true)
    #expect(try store.query("SELECT duration_ms FROM calls").rows.first?.first?.number == 25_400)
    #expect(try store.query("SELECT 1 FROM sources WHERE skew_ms IS NOT NULL").rows.isEmpty)
    #expect(try store.query("SELECT 1 FROM windows WHERE state = 'active'").rows.count >= 4)
    #expect(try Recheck(store: store).problems() == [], "a check reads the log in the right zone as well")
  }

  private func said(of store: Store) throws -> [String] {
    try store.query("SELECT text FROM findings WHERE code = 'clock-skew'").rows.compactMap {
      $0.first?.string
    }
  }

  @Test(
    "a log whose media began and ended by the same later is on a clock that is behind",
    arguments: [90.0, -20])
  func wrongClock(behind: Double) throws {
    let log = caller.map { ($0.0 - behind, $0.1) }
    let store = try judge([("caller", log)], mediaOf: ["caller": 5.3...30.5])
    let texts = try said(of: store)
    #expect(texts.count == 1)
    #expect(
      texts.first?.contains(behind > 0 ? "90.5 s behind what else" : "19.5 s ahead of what else") == true,
      "\(texts)")
    #expect(try store.query("SELECT duration_ms FROM calls").rows.first?.first?.number == 25_200)
  }

  @Test("what is left beside a mistaken zone is told")
  func zoneAndClock() throws {
    let log = caller.map { ($0.0 + 18_002.5, $0.1) }
    let texts = try said(of: judge([("caller", log)], mediaOf: ["caller": 5...30.0]))
    #expect(texts.first?.contains("5 h ahead of") == true)
    #expect(texts.first?.contains("besides, its clock is 2.4 s ahead") == true, "\(texts)")
  }

  @Test("media that a recording missed at its ends say nothing of a clock; a call at another time does")
  func partialMedia() throws {
    for span in [20...30.0, 5...12, 0.5...30, 5...75] {
      #expect(try said(of: judge([("caller", caller)], mediaOf: ["caller": span])).isEmpty)
    }
    let texts = try said(of: judge([("caller", caller)], mediaOf: ["caller": 60...70]))
    #expect(texts.first?.contains("30 s off what else was recorded here at least") == true, "\(texts)")
  }

  /// A stream of 25 s as statistics of an end tell it, so many hours ahead.
  private func addStatistics(
    _ file: String, _ end: String, _ direction: StreamDirection, aheadHours: Double, hasZone: Bool,
    to queue: SourceQueue
  ) throws {
    var header = SourceHeader(path: file, sha256: file, format: .getstatsLines, importedMs: 1)
    header.call = "one"
    try queue.write(header, stored: { _ in }) { writer in
      if !hasZone { try writer.note(SourceNote.noZone) }
      var facts = ConnectionFacts()
      (facts.endpoint, facts.name) = (end, end)
      try writer.connection(0, facts)
      var stream = StreamFacts()
      (stream.direction, stream.kind, stream.ssrc) = (direction, .audio, 77_777_777)
      try writer.stream(0, of: 0, stream)
      for second in 0...25 {
        var sample = Sample(timeMs: 1_000_000_000 + (aheadHours * 3600 + Double(second)) * 1000 + 0.4)
        sample[.packets] = Double(50 * second)
        try writer.sample(sample, of: 0, extra: nil)
      }
      return SourceStatus(.imported)
    }
  }

  @Test("statistics without a zone are told by others of the same streams", arguments: ["caller", "callee"])
  func withoutZone(other: String) throws {
    let store = try Store(path: "memory", access: .memory)
    let queue = SourceQueue(store)
    try addStatistics("naive", "caller", .outbound, aheadHours: 5.5, hasZone: false, to: queue)
    try addStatistics(
      "sure", other, other == "caller" ? .outbound : .inbound, aheadHours: 0, hasZone: true, to: queue)
    try queue.flush()
    try Assessor(store: store).assessStale()
    #expect(
      try store.query("SELECT started_ms, duration_ms FROM calls").rows.map { $0.map(\.number) } == [
        [1_000_000_000.4, 25_000]
      ])
    let texts = try said(of: store)
    #expect(texts.first?.contains(" ahead of ") == true, "\(texts)")
  }

  @Test("two statistics that both have their zones are not brought together by it")
  func withZones() throws {
    let store = try Store(path: "memory", access: .memory)
    let queue = SourceQueue(store)
    try addStatistics("one", "caller", .outbound, aheadHours: 5.5, hasZone: true, to: queue)
    try addStatistics("two", "caller", .outbound, aheadHours: 0, hasZone: true, to: queue)
    try queue.flush()
    try Assessor(store: store).assessStale()
    #expect(try said(of: store).isEmpty)
  }

  /// The verdict on a call of a minute captured at both ends, the callee's clock ahead; the callee's sound comes to the
  /// caller up to a second.
  private func captured(aheadMs: Double, upTo last: Double) throws -> String {
    let call = try EndsOfOneCall()
    for (place, clockMs) in [("caller", 0), ("callee", aheadMs)] {
      for end in ["caller", "callee"] {
        try call.write(end, path: "\(end) at the \(place)", format: .pcap) { writer in
          let start = 1_000_000_000 + clockMs
          try writer.addEvents(
            [(0, .callCreated), (1, .callRinging), (3, .callEstablished), (63, .callEnded)],
            from: start)
          let seconds = end == "caller" && place == "caller" ? last : 60
          var facts = StreamFacts()
          (facts.source, facts.direction, facts.kind) = (.capture, .inbound, .audio)
          (facts.ssrc, facts.codec, facts.clockRate) = (
            end == "caller" ? 2_000_000_001 : 2_000_000_002, "PCMU", 8000
          )
          try writer.stream(0, of: 0, facts)
          for second in stride(from: 1, through: seconds, by: 1) {
            var sample = Sample(timeMs: start + 3000 + second * 1000)
            (sample[.packets], sample[.expected], sample[.lost]) = (second * 50, second * 50, 0)
            sample[.lastPacketMs] = sample.timeMs
            sample[.totalSamples] = second * 8000
            sample[.concealedSamples] = 0
            try writer.sample(sample, of: 0, extra: nil)
          }
          var totals = StreamTotals()
          (totals.firstMs, totals.lastMs) = (start + 3000, start + 3000 + seconds * 1000)
          (totals.packets, totals.expected) = (Int(seconds * 50), Int(seconds * 50))
          try writer.totals(totals, of: 0)
        }
      }
    }
    let store = try call.finished()
    try Assessor(store: store).assessStale()
    return try store.query("SELECT verdict, verdict_end, verdict_cause, verdict_rule FROM calls").rows[0]
      .compactMap(\.string).joined(separator: " ")
  }

  @Test(
    "captures at both ends on any two clocks: what one has and the other lacks was lost in between",
    arguments: [0.0, 2500, 30_000, 60_000, -60_000, 600_000])
  func captures(aheadMs: Double) throws {
    #expect(try captured(aheadMs: aheadMs, upTo: 22) == "silent caller lost-on-path sound-to-end")
    #expect(try captured(aheadMs: aheadMs, upTo: 60).hasPrefix("good"))
  }
}
