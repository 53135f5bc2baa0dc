import CallModel
import Glibc
import Testing

@testable import CallStore

@Suite("Pruning")
struct PruneTests {
  private func samples(before instantMs: Double, keepWorst: Double = 0) -> PruneRequest {
    var request = PruneRequest()
    (request.samplesBefore, request.keepWorst) = (instantMs, keepWorst)
    return request
  }

  @Test("removes old samples, keeps those of the worst calls, and every figure")
  func prune() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("fleet.sqlite")
    try Fleet.make().save(to: path)
    let store = try Store(path: path, access: .write)
    let calls = try store.list(.calls).rows
    let streams = try store.list(.streams).rows
    let pruned = try store.prune(samples(before: 1.7952e12 + 43_200_000, keepWorst: 0.25))
    #expect(pruned.calls == 9)
    #expect(pruned.samples == 90)
    #expect(try store.count("samples") == 240 - 90)
    #expect(try store.list(.calls).rows == calls)
    #expect(try store.list(.streams).rows == streams)
    #expect(try store.check() == [])
    // Once more changes nothing: the same worst calls are kept.
    #expect(try store.prune(samples(before: 1.7952e12 + 43_200_000, keepWorst: 0.25)) == PruneResult())
    // A pruned call keeps the judgement it has, whatever comes in for it.
    try store.connection.run("UPDATE calls SET stale = 1")
    #expect(try store.staleCalls().count == 15 + 1)
  }

  @Test("the calls that keep samples are a constant share, night after night")
  func logsAlone() throws {
    let store = try Store.inMemory()
    func add(_ id: String, at startMs: Double, samples: Int, broken: Bool) throws {
      var header = SourceHeader.named(id)
      header.call = id
      try store.write(header) { writer in
        try writer.connection(0, end("caller"))
        try writer.event(EventRecord(timeMs: startMs, event: .callCreated, raw: ""), of: 0)
        if samples > 0 { try writer.stream(0, of: 0, audio()) }
        for index in 0..<samples {
          try writer.sample(
            Sample(startMs + Double(index) * 1000, [.packets: Double(index)]), of: 0, extra: nil)
        }
        return .imported
      }
      let key = try #require(
        try store.query("SELECT call_key FROM calls WHERE call_id = '\(id)'").rows.first?.first?.integer)
      var summary = CallSummary(outcome: broken ? .failed : .completed)
      summary.startedMs = startMs
      summary.poorShare = samples > 0 ? Double(samples) / 100 : nil
      try store.updateCall(key, summary)
    }
    for call in 0..<20 {
      try add("failed \(call)", at: 1.7952e12 + Double(call), samples: 0, broken: true)
    }
    for call in 1...10 { try add("\(call)", at: 1.7952e12, samples: call, broken: false) }
    let left =
      "SELECT call_id FROM calls JOIN source_views USING (call_key) JOIN streams USING (connection_key) WHERE "
      + "EXISTS (SELECT 1 FROM samples WHERE samples.stream_key = streams.stream_key) ORDER BY call_key"
    for night in [1.7952e12 + 86_400_000, 1.7952e12 + 172_800_000] {
      _ = try store.prune(samples(before: night, keepWorst: 0.2))
      #expect(try store.query(left).rows.map { $0[0].string } == ["9", "10"])
    }
  }

  @Test("gives the space back")
  func space() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("big.sqlite")
    let store = try Store(path: path, access: .write)
    try store.write(.named("a")) { writer in
      try writer.connection(0, end("caller"))
      try writer.stream(0, of: 0, audio())
      for index in 0..<20_000 {
        try writer.sample(Sample(Double(index), [.packets: Double(index), .bytes: 1e6]), of: 0, extra: nil)
      }
      return .imported
    }
    let (call, _) = try store.onlyCall()
    var summary = CallSummary(outcome: .completed)
    summary.startedMs = 1.7952e12
    try store.updateCall(call, summary)
    let pruned = try store.prune(samples(before: 1.7953e12))
    #expect(pruned.samples == 20_000)
    #expect(pruned.bytes > 1_000_000)
    var status = stat()
    stat(path, &status)
    #expect(status.st_size < 700_000, "the tables and views of an empty file are 600,000 bytes")
  }

  /// A call of two minutes with a sample a second, poor from 60 s to 65 s, in a run of its own.
  private static func add(_ id: String, _ store: Store, run: String, startMs: Double) throws -> Int64 {
    var header = SourceHeader.named(id)
    (header.call, header.run) = (id, run)
    try store.write(header) { writer in
      try writer.connection(0, end("caller"))
      for (name, at) in [(EventName.callCreated, 0.0), (.iceChecking, 100), (.callEstablished, 500)] {
        try writer.event(EventRecord(timeMs: startMs + at, event: name, raw: ""), of: 0)
      }
      try writer.stream(0, of: 0, audio())
      for index in 0..<120 {
        try writer.sample(
          Sample(startMs + Double(index) * 1000, [.packets: Double(index) * 50]), of: 0, extra: nil)
      }
      return .imported
    }
    let key = try #require(
      try store.query("SELECT call_key FROM calls WHERE call_id = '\(id)'").rows.first?.first?.integer)
    var summary = CallSummary(outcome: .completed)
    summary.startedMs = startMs
    try store.updateCall(key, summary)
    let window = "endpoint_key, model, source, window_index, start_ms, end_ms, state, score, chosen"
    try store.connection.run(
      """
      INSERT INTO windows (\(window)) SELECT endpoint_key, 'm', 'stats', 0, ?2 + 60000, ?2 + 65000, 'active', 30, 1
      FROM endpoints WHERE call_key = ?1
      """, key, startMs)
    return key
  }

  @Test(
    "thinned: one sample every 10 s, all around a poor window, and the totals; pruned later like any other")
  func thin() throws {
    let store = try Store.inMemory()
    let startMs = 1.7952e12
    _ = try Self.add("a", store, run: "n1", startMs: startMs)
    let known = try store.check()
    var request = PruneRequest()
    request.thinBefore = startMs + 86_400_000
    let pruned = try store.prune(request)
    // 12 slots and the first sample, of which 25 s around the poor window are whole.
    let left = try store.query("SELECT (t_ms - \(startMs)) / 1000 FROM samples ORDER BY t_ms").rows.compactMap
    {
      $0[0].number
    }
    #expect(left.first == 0 && left.last == 119)
    #expect((50...75).allSatisfy { left.contains(Double($0)) })
    #expect(left.count == 1 + 12 - 2 + 26 && pruned.samples == 120 - left.count, "\(left)")
    #expect(try store.check().count <= known.count)
    #expect(try store.prune(request) == PruneResult())
    request.samplesBefore = request.thinBefore
    #expect(try store.prune(request).samples == left.count)
    #expect(try store.count("samples") == 0)
    #expect(try store.check().count <= known.count)
  }

  @Test("of old events the milestones stay; old runs go with their sources, but baselines")
  func eventsAndRuns() throws {
    let store = try Store.inMemory()
    for (place, run) in ["n1", "n2", "n3"].enumerated() {
      _ = try Self.add("call \(run)", store, run: run, startMs: 1.7952e12 + Double(place) * 86_400_000)
    }
    let known = try store.check()
    var request = PruneRequest()
    request.eventsBefore = 1.7952e12 + 86_400_000
    #expect(try store.prune(request).events == 1)
    #expect(
      try store.query("SELECT event FROM events WHERE t_ms < 1795286000000 ORDER BY t_ms").rows.map {
        $0[0].string
      } == ["call.created", "call.established"])
    #expect(try store.check().count <= known.count)
    try store.connection.run("INSERT INTO baselines VALUES ('n1', '', 0)")
    request.eventsBefore = nil
    request.runsBefore = 1.7952e12 + 2 * 86_400_000
    #expect(try store.prune(request).runs == 1)
    #expect(
      try store.query("SELECT run_id FROM runs ORDER BY run_id").rows.map { $0[0].string } == ["n1", "n3"])
    for table in ["sources", "calls", "streams"] { #expect(try store.count(table) == 2) }
    #expect(try store.check().count <= known.count)
  }
}
