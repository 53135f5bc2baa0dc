import CallModel
import Glibc
import Testing

@testable import CallStore

@Suite("Pruning")
struct PruneTests {
  @Test("removes old samples, keeps those of the worst calls, and every figure")
  func prune() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("fleet.sqlite")
    try Fleet.make().save(to: path)
    let store = try Store(path: path, access: .write)
    let calls = try store.list(.calls).rows
    let streams = try store.list(.streams).rows
    let pruned = try store.prune(samplesBefore: 1.7952e12 + 43_200_000, keepWorst: 0.25)
    #expect(pruned.calls == 9)
    #expect(pruned.samples == 90)
    #expect(try store.count("samples") == 240 - 90)
    #expect(try store.list(.calls).rows == calls)
    #expect(try store.list(.streams).rows == streams)
    #expect(try store.check() == [])
    // Once more changes nothing: the same worst calls are kept.
    #expect(try store.prune(samplesBefore: 1.7952e12 + 43_200_000, keepWorst: 0.25) == PruneResult())
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
      _ = try store.prune(samplesBefore: night, keepWorst: 0.2)
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
    let pruned = try store.prune(samplesBefore: 1.7953e12)
    #expect(pruned.samples == 20_000)
    #expect(pruned.bytes > 1_000_000)
    var status = stat()
    stat(path, &status)
    #expect(status.st_size < 600_000)
  }
}
