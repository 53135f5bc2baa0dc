import CSQLite
import CallModel
import Glibc
import Testing

@testable import CallStore

@Suite("Copying calls into a database of their own")
struct CopyTests {
  @Test("takes all they rest on and nothing else, and the copy is sound")
  func copy() throws {
    let folder = try TemporaryFolder()
    let store = try Fleet.make()
    let key = try #require(
      try store.value("SELECT call_key FROM calls WHERE run_id = 'night-2' AND call_id = 'call-9'").integer)
    let path = folder.file("ticket.sqlite")
    #expect(try store.copy(calls: [key, 99_999], to: path) == 1)
    let ticket = try Store(path: path, access: .read)
    #expect(try ticket.check() == [])
    for listing in [Listing.calls, .streams, .score, .setup, .events, .findings] {
      #expect(
        try ticket.list(listing).rows == store.list(listing, CallScope(call: key)).rows, "\(listing.name)")
    }
    #expect(try ticket.count("samples") == 10)
    #expect(try ticket.count("sources") == 1)
  }

  @Test("a source that held other calls too says so in the copy")
  func sharedSource() throws {
    let folder = try TemporaryFolder()
    let store = try Store.inMemory()
    try store.write(.named("a")) { writer in
      for index in 0..<2 {
        var facts = end("x\(index)")
        facts.call = "call-\(index)"
        try writer.connection(index, facts)
        try writer.event(EventRecord(timeMs: 1, event: "call.created", raw: "r"), of: index)
      }
      return .imported
    }
    let call = try #require(try store.staleCalls().first)
    let path = folder.file("ticket.sqlite")
    _ = try store.copy(calls: [call], to: path)
    let ticket = try Store(path: path, access: .read)
    #expect(try ticket.value("SELECT events FROM sources") == .integer(1))
    #expect(
      try ticket.value("SELECT note FROM notes") == .text("copied without the other calls of this source"))
  }

  @Test("a file that is there is not touched")
  func exists() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("ticket.sqlite")
    _ = try Store(path: path, access: .write)
    #expect(throws: StoreError.self) { try Fleet.make().copy(calls: [1], to: path) }
  }
}

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

@Suite("Forgetting a person")
struct ForgetTests {
  @Test("leaves no spelling where two come to the same words")
  func spellings() throws {
    let store = try Store(path: ":memory:", access: .memory)
    for (name, given) in [("a.jsonl", "call of bob"), ("b.jsonl", "call of Bob")] {
      var header = SourceHeader(path: name, sha256: name, importedMs: 0)
      header.call = given
      try store.write(header) { writer in
        var facts = end("caller", Identity(.person, "bob"), Identity(.person, "Bob"))
        facts.person = given.hasSuffix("bob") ? "bob" : "Bob"
        try writer.connection(0, facts)
        try writer.note("said by bob")
        try writer.note("said by Bob")
        return .imported
      }
    }
    _ = try store.forget(person: "Bob")
    for table in ["calls", "aliases", "notes", "connections", "endpoints"] {
      var left = ""
      try store.query("SELECT * FROM \(table)", columns: { _ in }) { cells in
        left += "\(cells) "
      }
      #expect(!left.lowercased().contains("bob"), "\(table): \(left)")
    }
  }

  @Test("leaves neither name nor address in the file, and the figures as they are")
  func forget() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("calls.sqlite")
    let store = try Store(path: path, access: .write)
    try store.write(.named("erika.jsonl")) { writer in
      var caller = end(
        "caller", Identity(.person, "Erika.Mustermann@example.org"),
        Identity(.addressLocal, "192.0.2.7:50000"),
        Identity(.ufragLocal, "aaaa"), Identity(.ufragRemote, "bbbb"))
      caller.person = "Erika.Mustermann@example.org"
      caller.userAgent = "PhoneOfErika/1.0"
      try writer.connection(0, caller)
      let callee = end(
        "callee", Identity(.addressRemote, "192.0.2.7:50000"), Identity(.ufragLocal, "bbbb"),
        Identity(.ufragRemote, "aaaa"))
      try writer.connection(1, callee)
      var stream = audio()
      stream.local = "192.0.2.7:50000"
      try writer.stream(0, of: 0, stream)
      var other = audio(ssrc: 8)
      other.remote = "192.0.2.7:50000"
      try writer.stream(1, of: 1, other)
      try writer.sample(Sample(1, [.packets: 5]), of: 0, extra: nil)
      var path = TransportSample(timeMs: 1)
      path.local = "192.0.2.7:50000"
      try writer.transport(path, of: 0)
      try writer.event(
        EventRecord(
          timeMs: 1, event: "call.incoming", raw: "x",
          args: #"{"from":"erika.mustermann@example.org","at":"192.0.2.7:50000"}"#), of: 1)
      try writer.reject(Reject("odd", excerpt: "Erika.Mustermann@example.org said"))
      return .imported
    }
    let forgotten = try store.forget(person: "erika.mustermann@example.org")
    #expect(forgotten.calls == 1)
    #expect(try store.value("SELECT packets FROM streams WHERE stream_key = 1") == .integer(5))
    #expect(try store.check().map(\.rule) == [])
    for name in folder.names {
      let bytes = try contents(folder.file(name))
      for word in ["Mustermann", "mustermann", "192.0.2.7", "PhoneOfErika"] {
        #expect(!bytes.contains(word), "\(word) in \(name)")
      }
    }
  }

  @Test("of whom nothing is known changes nothing")
  func nobody() throws {
    let store = try Fleet.make()
    let before = try store.list(.events).rows
    #expect(try store.forget(person: "nobody-here") == Forgotten())
    #expect(try store.list(.events).rows == before)
  }

  private func contents(_ path: String) throws -> String {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: bytes.map { $0 < 128 ? $0 : 63 }, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}

@Suite("Checking the database")
struct CheckTests {
  @Test("a sound one has no problems")
  func sound() throws {
    #expect(try Fleet.make().check() == [])
  }

  @Test(
    "what is broken is named",
    arguments: [
      ("UPDATE windows SET lost_loss = 7 WHERE window_index = 1", "points lost add up"),
      ("UPDATE windows SET score = 120, lost_loss = -20 WHERE window_index = 0", "a score lies between"),
      ("UPDATE windows SET start_ms = start_ms + 1 WHERE window_index = 1", "windows follow each other"),
      ("UPDATE windows SET window_index = 5 WHERE window_index = 1", "windows follow each other"),
      ("UPDATE calls SET score_mean = 1 WHERE call_id = 'call-3'", "a call's scores are"),
      ("UPDATE calls SET lost_delay = 3 WHERE call_id = 'call-3'", "a call's points lost"),
      ("UPDATE sources SET samples = 3 WHERE source_id = 1", "a source counts"),
      ("DELETE FROM events WHERE event_key = 2", "a source counts"),
      ("DELETE FROM samples WHERE t_ms = (SELECT max(t_ms) FROM samples)", "a stream's totals"),
      ("UPDATE streams SET lost = 3 WHERE stream_key = 1", "a stream's totals"),
      ("UPDATE streams SET endpoint_key = 2 WHERE stream_key = 1", "a stream is at the end"),
      ("PRAGMA foreign_keys = OFF; DELETE FROM endpoints WHERE endpoint_key = 1", "rows refer to rows"),
      ("UPDATE events SET args = '{' WHERE event_key = 1", "arguments, labels"),
      ("UPDATE calls SET duration_ms = -20000 WHERE call_id = 'call-3'", "a call lasts as long as"),
      ("UPDATE setups SET setup_ms = -1 WHERE endpoint_key = 1", "setup without ringing"),
      ("INSERT INTO calls (call_id, stale) VALUES ('x', 0)", "a call rests on a source"),
    ])
  func broken(damage: String, rule: String) throws {
    let store = try Fleet.make()
    try store.connection.execute(damage)
    let problems = try store.check()
    #expect(problems.contains { $0.rule.hasPrefix(rule) }, "\(problems)")
    #expect(problems.allSatisfy { $0.count > 0 && !$0.example.isEmpty })
  }

  @Test("windows may begin later than the media: what came before was not recorded")
  func laterThanMedia() throws {
    let store = try Fleet.make()
    try store.connection.execute("UPDATE windows SET window_index = window_index + 23")
    #expect(try store.check() == [])
  }

  @Test("a call that is not judged yet breaks no rule")
  func unjudged() throws {
    let store = try Fleet.make()
    try store.connection.execute(
      """
      UPDATE calls SET stale = 1 WHERE call_id = 'call-3';
      UPDATE windows SET score = score - 4, lost_loss = lost_loss + 4 WHERE endpoint_key IN (
        SELECT endpoint_key FROM endpoints JOIN calls USING (call_key) WHERE call_id = 'call-3');
      UPDATE calls SET lost_delay = 3 WHERE call_id = 'call-3';
      """)
    #expect(try store.check() == [])
    #expect(try !store.staleCalls().isEmpty)
  }

  @Test("a file whose bytes were overwritten")
  func damaged() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("fleet.sqlite")
    try Fleet.make().connection.run("VACUUM INTO ?", path)
    let descriptor = open(path, O_WRONLY)
    let junk = [UInt8](repeating: 0x5A, count: 3 * 4096)
    pwrite(descriptor, junk, junk.count, 40 * 4096)
    close(descriptor)
    let store = try Store(path: path, access: .read)
    do {
      let problems = try store.check()
      #expect(!problems.isEmpty)
    } catch let error as StoreError {
      #expect(error.kind == .damaged)
    }
  }
}

@Suite("What people say of runs and calls")
struct MarksTests {
  let store: Store

  init() throws { store = try Fleet.make() }

  @Test("a run is accepted for the SDKs it has, or some of them")
  func accept() throws {
    #expect(try store.accept(run: "night-2", atMs: 5) == ["pexip", "rebtel"])
    #expect(try store.accept(run: "night-1", sdks: ["pexip", "kandy-link"], atMs: 6) == ["pexip"])
    #expect(try store.accept(run: "no such run", atMs: 7) == [])
    #expect(try store.value("SELECT accepted_ms FROM runs WHERE run_id = 'night-2'") == .real(5))
    try store.unaccept(run: "night-1")
    #expect(try store.value("SELECT count(*) FROM baselines WHERE run_id = 'night-1'") == .integer(0))
  }

  @Test("a call that is excluded does not count, one that is known does not block")
  func marks() throws {
    let key = try #require(
      try store.value("SELECT call_key FROM calls WHERE run_id = 'night-2' AND call_id = 'call-1'").integer)
    try store.markKnown(call: key, ticket: "T-1")
    #expect(try store.value("SELECT broken FROM judged_calls WHERE call_key = \(key)") == .integer(0))
    try store.exclude(call: key, reason: "cable")
    #expect(try store.value("SELECT counted FROM judged_calls WHERE call_key = \(key)") == .integer(0))
    try store.exclude(call: key, reason: nil)
    #expect(try store.value("SELECT counted FROM judged_calls WHERE call_key = \(key)") == .integer(1))
  }

  @Test("two calls that a person links are one, and stay one when more comes in")
  func link() throws {
    let store = try Store.inMemory()
    for name in ["a", "b"] { try store.write(.named(name)) { try tellEnd($0, name) } }
    let calls = try store.staleCalls()
    #expect(calls.count == 2)
    let linked = try store.link(calls[0], calls[1], atMs: 1)
    #expect(linked != nil)
    #expect(try !store.staleCalls().isEmpty)
    #expect(try store.endpoints(ofCall: linked ?? 0).count == 2)
    try store.write(.named("c")) { try tellEnd($0, "c") }
    #expect(try store.staleCalls().count == 2)
  }

  @Test("calls of two runs stay two, and nothing is noted")
  func linkAcrossRuns() throws {
    let store = try Store.inMemory()
    for run in ["n1", "n2"] {
      var header = SourceHeader.named(run)
      (header.run, header.call) = (run, "x")
      try store.write(header) { try tellEnd($0, run) }
    }
    let calls = try store.staleCalls()
    #expect(throws: StoreError.self) { try store.link(calls[0], calls[1], atMs: 1) }
    #expect(try store.count("corrections") == 0)
    #expect(try store.count("calls") == 2)
  }

  @Test("a missing call that is put aside is missing no more")
  func missingAside() throws {
    let sql = "SELECT call_key FROM calls WHERE run_id = 'night-2' AND outcome = 'missing'"
    let key = try #require(try store.value(sql).integer)
    func missing() throws -> [Cell] {
      let runs = try store.list(.runs)
      let column = try #require(runs.columns.firstIndex(of: "missing"))
      return runs.rows.map { $0[column] }
    }
    #expect(try missing() == [.integer(0), .integer(1)])
    try store.exclude(call: key, reason: "typo")
    #expect(try missing() == [.integer(0), .integer(0)])
  }

  @Test("an end that a person splits off is a call of its own")
  func split() throws {
    let store = try Store.inMemory()
    try store.write(.named("a")) { writer in
      for name in ["caller", "callee"] {
        var facts = end(name)
        facts.call = "one"
        try writer.connection(name == "caller" ? 0 : 1, facts)
      }
      return .imported
    }
    let call = try #require(try store.staleCalls().first)
    #expect(try store.split(call, endpoint: "callee", atMs: 1).count == 2)
    #expect(try store.staleCalls().count == 2)
    // And back.
    let calls = try store.staleCalls()
    #expect(try store.link(calls[0], calls[1], atMs: 2) != nil)
    #expect(try !store.staleCalls().isEmpty)
  }

  private func tellEnd(_ writer: SourceWriter, _ name: String) throws -> SourceStatus {
    try writer.connection(0, end("end-\(name)"))
    try writer.event(EventRecord(timeMs: 1, event: "call.created", raw: "r"), of: 0)
    return .imported
  }
}
