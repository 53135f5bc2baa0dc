import CallModel
import Glibc
import Testing

@testable import CallStore

@Suite("A source is stored completely or not at all")
struct AtomicityTests {
  let store: Store

  init() throws { store = try Store.inMemory() }

  private static let tables = [
    "sources", "source_views", "aliases", "streams", "samples", "paths", "path_samples", "events", "rejects",
    "notes",
  ]

  private func rows() throws -> [Int64] { try Self.tables.map(store.count) }

  /// More than fits the queues, so that some of it is in the database before the end.
  private func tellMuch(_ writer: SourceWriter) throws {
    _ = try writeSmallSource(writer)
    for index in 0..<5000 {
      try writer.sample(Sample(Double(index) + 10_000, [.packets: Double(index)]), of: 0, extra: nil)
      try writer.event(EventRecord(timeMs: Double(index), event: .unknown, raw: "x"), of: nil)
      var transport = TransportSample(timeMs: Double(index))
      transport.iceState = index % 2 == 0 ? "connected" : "checking"
      try writer.transport(transport, of: 0)
    }
    try writer.reject(Reject("not a report", line: 4, excerpt: "x"))
    try writer.note("a guess")
  }

  @Test("an error in the middle leaves no trace")
  func throwing() throws {
    let before = try rows()
    #expect(throws: TestFailure.self) {
      try store.write(.named("a")) { writer in
        try tellMuch(writer)
        throw TestFailure("the disk was pulled")
      }
    }
    #expect(try rows() == before)
    try store.write(.named("a"), writeSmallSource)
    #expect(try store.count("samples") == 3)
    #expect(try store.query("PRAGMA foreign_key_check").rows.isEmpty)
  }

  @Test("a rejected source keeps its reason, rejects and notes, and nothing else")
  func refused() throws {
    let source = try store.write(.named("a")) { writer in
      try tellMuch(writer)
      return SourceStatus(.refused, code: .notJSON, reason: "bad", byte: 7, line: 1)
    }
    #expect(source.samples == 0)
    #expect(try rows() == [1, 0, 0, 0, 0, 0, 0, 0, 1, 1])
    let stored = try #require(try store.source(sha256: "sha-of-a"))
    #expect(stored.status == SourceStatus(.refused, code: .notJSON, reason: "bad", byte: 7, line: 1))
    #expect(try store.taken(sha256: "sha-of-a") == nil)
  }

  @Test("a rejected source is tried again, an imported one is unchanged")
  func again() throws {
    try store.write(.named("a")) { _ in SourceStatus(.refused, code: .empty, reason: "empty") }
    let first = try store.write(.named("a"), writeSmallSource)
    #expect(!first.unchanged)
    #expect(try store.count("sources") == 1)
    let before = try rows()
    let second = try store.write(.named("a")) { _ in throw TestFailure("must not be read") }
    #expect(second.unchanged)
    #expect(second.id == first.id)
    #expect(try rows() == before)
  }

  @Test("a missing file is listed once, however often it is imported")
  func missingFile() throws {
    let header = SourceHeader(path: "gone.json", importedMs: 0)
    for _ in 0..<3 {
      try store.write(header) { _ in SourceStatus(.refused, code: .missing, reason: "no such file") }
    }
    #expect(try store.count("sources") == 1)
    // Once it can be read, the complaint is gone.
    try store.write(.named("gone.json"), writeSmallSource)
    #expect(try store.count("sources") == 1)
  }

  @Test("a million rejects take a bounded number of rows and are all counted")
  func manyRejects() throws {
    let source = try store.write(.named("a")) { writer in
      for line in 0..<100_000 {
        try writer.reject(Reject(line % 2 == 0 ? "even" : "reason \(line)", line: line))
      }
      return .imported
    }
    #expect(source.rejected == 100_000)
    #expect(try store.count("rejects") <= Int64(RejectCounter.rows) + 1)
    #expect(try store.value("SELECT sum(count) FROM rejects") == .integer(100_000))
  }

  @Test("several threads write at once without duplicates or losses")
  func threads() throws {
    let folder = try TemporaryFolder()
    let shared = try Store(path: folder.file("calls.sqlite"), access: .write)
    let group = Threads()
    group.run(4) { worker in
      for index in 0..<25 {
        // Every source is offered by two threads.
        try shared.write(.named("\(worker / 2)-\(index)"), writeSmallSource)
      }
    }
    #expect(group.failures == 0)
    #expect(try shared.count("sources") == 50)
    #expect(try shared.count("samples") == 150)
    #expect(try shared.query("PRAGMA foreign_key_check").rows.isEmpty)
  }
}

/// Runs a body on several threads and waits for all of them.
final class Threads: @unchecked Sendable {
  private let lock = RecursiveLock()
  private(set) var failures = 0
  private var body: (@Sendable (Int) throws -> Void)?

  private final class Start {
    let group: Threads
    let index: Int
    init(_ group: Threads, _ index: Int) {
      self.group = group
      self.index = index
    }
  }

  func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) {
    self.body = body
    var threads: [pthread_t] = []
    for index in 0..<count {
      var thread = pthread_t()
      let start = Unmanaged.passRetained(Start(self, index)).toOpaque()
      pthread_create(
        &thread, nil,
        { context in
          guard let context else { return nil }
          let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
          start.group.work(start.index)
          return nil
        }, start)
      threads.append(thread)
    }
    for thread in threads { pthread_join(thread, nil) }
  }

  private func work(_ index: Int) {
    do { try body?(index) } catch {
      lock.lock()
      failures += 1
      lock.unlock()
    }
  }
}
