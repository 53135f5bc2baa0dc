import CallModel
import Synchronization
import Testing

@testable import CallStore
@testable import SQLite

@Suite("Small sources are stored in batches")
struct SourceQueueTests {
  let store: Store
  let queue: SourceQueue

  init() throws {
    store = try Store.inMemory()
    queue = SourceQueue(store)
  }

  /// The stored sources, in order.
  final class Messages: Sendable {
    private let sources = Mutex<[StoredSource]>([])
    var all: [StoredSource] { sources.withLock { $0 } }
    var paths: [String] { all.map(\.path) }
    func add(_ source: StoredSource) { sources.withLock { $0.append(source) } }
  }

  /// One end of a call of its own.
  private func writeCall(_ name: String) -> (SourceWriter) throws -> SourceStatus {
    { writer in
      try writer.connection(0, end("caller", Identity(.ufragLocal, "ufrag-\(name)")))
      try writer.stream(0, of: 0, audio())
      try writer.sample(Sample(1000, [.packets: 50]), of: 0, extra: nil)
      return .imported
    }
  }

  @Test("each waiting source is reported once stored, in order")
  func order() throws {
    let messages = Messages()
    for name in ["c", "a", "b"] { try queue.write(.named(name), stored: messages.add, writeCall(name)) }
    #expect(messages.paths.isEmpty)
    #expect(try store.count("sources") == 0)
    try queue.flush()
    #expect(messages.paths == ["c", "a", "b"])
    #expect(messages.all.map(\.id) == [1, 2, 3])
    #expect(try store.count("calls") == 3)
    #expect(try store.query("PRAGMA foreign_key_check").rows.isEmpty)
  }

  @Test("a random five-digit SSRC relates two ends, in one import or in two", arguments: [false, true])
  func smallestRandomSSRC(isApart: Bool) throws {
    for (name, heard, sent) in [("a", "77001", "77002"), ("b", "77002", "77001")] {
      try queue.write(.named(name), stored: { _ in }) { writer in
        try writer.connection(0, end(name, Identity(.ssrcIn, heard), Identity(.ssrcOut, sent)))
        try writer.stream(0, of: 0, audio())
        try writer.sample(Sample(1000, [.packets: 50]), of: 0, extra: nil)
        return .imported
      }
      if isApart { try queue.flush() }
    }
    try queue.flush()
    #expect(try store.count("calls") == 1)
  }

  @Test("connections that take each other's names late are merged, without a cycle")
  func names() throws {
    try queue.write(.named("a"), stored: { _ in }) { writer in
      for (connection, name) in [
        (0, "x"), (1, "y"), (0, "y"), (1, "x"), (0, "x"), (2, "z"), (2, "x"), (0, "z"),
      ] {
        try writer.connection(connection, end(name))
      }
      for connection in 0...2 {
        try writer.event(EventRecord(timeMs: 1, event: .callCreated, raw: "created"), of: connection)
      }
      return .imported
    }
    try queue.flush()
    #expect(try store.count("source_views") == 1)
    #expect(try store.count("events") == 3)
    #expect(try store.query("PRAGMA foreign_key_check").rows.isEmpty)
  }

  @Test("a full queue is stored without being asked")
  func full() throws {
    let messages = Messages()
    for number in 0..<SourceQueue.maxSources + 1 {
      try queue.write(.named("\(number)"), stored: messages.add, writeCall("\(number)"))
    }
    #expect(messages.all.count >= SourceQueue.maxSources)
  }

  @Test("an abandoned queue retains nothing")
  func givenUp() throws {
    weak var gone: SourceQueue?
    do {
      let queue = SourceQueue(store)
      gone = queue
      try queue.write(.named("a"), stored: { _ in }, writeCall("a"))
    }
    #expect(gone == nil)
  }

  @Test("a large source is stored alone, after the waiting ones")
  func large() throws {
    let messages = Messages()
    try queue.write(.named("small"), stored: messages.add, writeCall("small"))
    try queue.write(.named("large"), stored: messages.add) { writer in
      _ = try writeCall("large")(writer)
      for second in 2...SourceWriter.maxQueuedSamples + 2 {
        try writer.sample(Sample(Double(second) * 1000, [.packets: 50]), of: 0, extra: nil)
      }
      #expect(messages.paths == ["small"])
      return .imported
    }
    #expect(messages.paths == ["small", "large"])
    #expect(messages.all.map(\.id) == [1, 2])
  }

  @Test("a rejected or throwing source does not affect the rest of its batch")
  func refused() throws {
    let messages = Messages()
    try queue.write(.named("a"), stored: messages.add, writeCall("a"))
    try queue.write(.named("bad"), stored: messages.add) { writer in
      _ = try writeCall("bad")(writer)
      return SourceStatus(.refused, code: .notJSON, reason: "bad")
    }
    #expect(throws: TestFailure.self) {
      try queue.write(.named("worse"), stored: messages.add) { writer in
        _ = try writeCall("worse")(writer)
        throw TestFailure("the disk was pulled")
      }
    }
    try queue.write(.named("b"), stored: messages.add, writeCall("b"))
    try queue.flush()
    #expect(messages.all.map(\.status.value) == [.imported, .refused, .imported])
    #expect(try store.count("calls") == 2)
    #expect(try store.count("samples") == 2)
    #expect(try store.count("sources") == 3)
  }

  @Test("the same content twice in a batch is stored once")
  func twice() throws {
    let messages = Messages()
    var copy = SourceHeader.named("a")
    copy.path = "copy of a"
    try queue.write(.named("a"), stored: messages.add, writeCall("a"))
    try queue.write(copy, stored: messages.add, writeCall("a"))
    try queue.write(.named("b"), stored: messages.add, writeCall("b"))
    try queue.flush()
    #expect(messages.all.map(\.unchanged) == [false, true, false])
    #expect(messages.all.map(\.id) == [1, 1, 2])
    #expect(try store.count("samples") == 2)
  }

  @Test("a full disk in the middle of a batch: nothing of it, everything before it is stored")
  func fullDisk() throws {
    let messages = Messages()
    try queue.write(.named("before"), stored: messages.add, writeCall("before"))
    try queue.flush()
    let pages = try #require(try store.value("PRAGMA page_count").integer)
    try store.connection.execute("PRAGMA max_page_count = \(pages + 2)")
    for name in ["a", "b", "c"] {
      try queue.write(.named(name), stored: messages.add) { writer in
        _ = try writeCall(name)(writer)
        for second in 2..<400 {
          try writer.sample(Sample(Double(second) * 1000, [.packets: 50]), of: 0, extra: nil)
        }
        return .imported
      }
    }
    #expect { try queue.flush() } throws: { ($0 as? StoreError)?.kind == .diskFull }
    #expect(messages.paths == ["before"])
    #expect(try store.count("sources") == 1)
    #expect(try store.count("samples") == 1)
    // With room again the same files are taken.
    try store.connection.execute("PRAGMA max_page_count = 100000")
    for name in ["a", "b", "c"] { try queue.write(.named(name), stored: messages.add, writeCall(name)) }
    try queue.flush()
    #expect(messages.paths == ["before", "a", "b", "c"])
    #expect(try store.query("PRAGMA integrity_check").rows == [[.text("ok")]])
  }

  @Test("a killed import leaves what was stored, and nothing of what waited")
  func death() throws {
    let folder = try TemporaryFolder()
    do {
      let dying = try Store(path: folder.file("calls.sqlite"), access: .write)
      let queue = SourceQueue(dying)
      try queue.write(.named("a"), stored: { _ in }, writeCall("a"))
      try queue.flush()
      try queue.write(.named("b"), stored: { _ in }, writeCall("b"))
    }
    let after = try Store(path: folder.file("calls.sqlite"), access: .write)
    #expect(try after.query("SELECT path FROM sources").rows == [[.text("a")]])
    #expect(try after.count("source_views") == 1)
  }

  @Test("two concurrent imports with several threads finish without duplicates or losses")
  func crowd() throws {
    let folder = try TemporaryFolder()
    let stores = try (0..<2).map { _ in
      try Store(path: folder.file("calls.sqlite"), access: .write)
    }
    let queues = stores.map { SourceQueue($0) }
    let group = Threads()
    group.run(4) { worker in
      for index in 0..<100 {
        // Every source is offered by both imports.
        let name = "\(worker / 2)-\(index)"
        try queues[worker % 2].write(.named(name), stored: { _ in }, writeCall(name))
      }
      try queues[worker % 2].flush()
    }
    #expect(group.failures == 0)
    #expect(try stores[0].count("sources") == 200)
    #expect(try stores[0].count("calls") == 200)
    #expect(try stores[0].count("samples") == 200)
    #expect(try stores[0].query("PRAGMA foreign_key_check").rows.isEmpty)
  }

  @Test("sources of one call are grouped in a batch as one by one", arguments: [true, false])
  func grouping(together: Bool) throws {
    for (path, name) in [
      ("/calls/x/caller", "caller"), ("/calls/x/callee", "callee"), ("/calls/y/caller", "caller"),
    ] {
      var header = SourceHeader.named(path)
      header.call = path.hasPrefix("/calls/x") ? "x" : nil
      try queue.write(header, stored: { _ in }) { writer in
        try writer.connection(0, end(name, Identity(.ufragLocal, path)))
        try writer.stream(0, of: 0, audio())
        try writer.sample(Sample(1000, [.packets: 50]), of: 0, extra: nil)
        return .imported
      }
      if !together { try queue.flush() }
    }
    try queue.flush()
    let ends = try store.query(
      "SELECT call_id, endpoint FROM endpoints JOIN calls USING (call_key) ORDER BY call_key, endpoint"
    ).rows
    #expect(
      ends == [
        [.text("x"), .text("callee")], [.text("x"), .text("caller")], [.text("y"), .text("caller")],
      ])
  }

  /// A file of one poll of a call that has many.
  private func tellPoll(_ number: Int) -> (SourceWriter) throws -> SourceStatus {
    { writer in
      try writer.connection(0, end("PC_0", Identity(.ufragLocal, "u1"), Identity(.ufragRemote, "u2")))
      try writer.stream(0, of: 0, audio())
      try writer.sample(Sample(Double(number) * 1000, [.packets: 50]), of: 0, extra: nil)
      return .imported
    }
  }

  @Test("a call of hundreds of files is not read again for each batch")
  func manyFilesOfOneCall() throws {
    let count = 24 * SourceQueue.maxSources
    var waited = 0
    for number in 0..<count {
      try queue.write(.named("\(number)"), stored: { _ in }, tellPoll(number))
      if number % SourceQueue.maxSources == 0 {
        waited +=
          try store.value("SELECT count(*) > 0 FROM source_views WHERE call_key IS NULL").integer == 1 ? 1 : 0
      }
    }
    #expect(waited > 8)
    try queue.flush()
    #expect(try store.value("SELECT count(*) FROM source_views WHERE call_key IS NULL") == .integer(0))
    #expect(try store.count("calls") == 1)
    #expect(try store.count("endpoints") == 1)
  }

  @Test("the next import groups what a killed one left")
  func diedBeforeSorting() throws {
    let folder = try TemporaryFolder()
    let count = 12 * SourceQueue.maxSources
    var left: Int64 = 0
    // Wherever it dies.
    for stop in 1...count / SourceQueue.maxSources where left == 0 {
      let file = folder.file("\(stop).sqlite")
      do {
        let dying = SourceQueue(try Store(path: file, access: .write))
        for number in 0..<stop * SourceQueue.maxSources {
          try dying.write(.named("\(number)"), stored: { _ in }, tellPoll(number))
        }
      }
      let after = try Store(path: file, access: .write)
      left = try after.value("SELECT count(*) FROM source_views WHERE call_key IS NULL").integer ?? 0
      let next = SourceQueue(after)
      try next.write(.named("other"), stored: { _ in }, writeCall("other"))
      try next.flush()
      #expect(try after.value("SELECT count(*) FROM source_views WHERE call_key IS NULL") == .integer(0))
      #expect(try after.count("calls") == 2)
    }
    #expect(left > 0)
  }

  @Test("nameless ends of a call that a person named stay two ends", arguments: [true, false])
  func namedCall(together: Bool) throws {
    for name in ["a", "b"] {
      var header = SourceHeader.named(name)
      header.call = "demo"
      try queue.write(header, stored: { _ in }) { writer in
        try writer.connection(0, end("PC", Identity(.ufragLocal, name)))
        return .imported
      }
      if !together { try queue.flush() }
    }
    try queue.flush()
    #expect(
      try store.query("SELECT endpoint FROM endpoints ORDER BY 1").rows == [[.text("PC")], [.text("PC-2")]])
  }
}
