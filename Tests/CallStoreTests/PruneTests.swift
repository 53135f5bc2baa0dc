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
    try Fleet.make().connection.run("VACUUM INTO ?", path)
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
    #expect(try store.prune(samplesBefore: 1.7952e12 + 43_200_000, keepWorst: 0.25) == Pruned())
    // A pruned call keeps the judgement it has, whatever comes in for it.
    try store.connection.run("UPDATE calls SET stale = 1")
    #expect(try store.staleCalls().count == 15 + 1)
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
    #expect(status.st_size < 500_000)
  }
}
