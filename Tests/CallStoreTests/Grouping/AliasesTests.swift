import CallModel
import Testing

@testable import CallStore
@testable import SQLite

@Suite("Ids of connections are found by their hashes")
struct AliasesTests {
  let store: Store
  var connection: Connection { store.connection }

  init() throws { store = try Store.inMemory() }

  /// Connections 1, 2 … of a source, each with a number of its own, two at a time with one SSRC, and a name that all share.
  private func fill(_ aliases: Aliases, _ keys: ClosedRange<Int64>) throws {
    if keys.lowerBound == 1 {
      try connection.execute(
        "INSERT INTO sources (source_id, path, status, imported_ms) VALUES (1, 'a', 'imported', 0)")
    }
    for key in keys {
      try connection.run("INSERT INTO source_views (connection_key, source_id) VALUES (?, 1)", key)
      try aliases.add("call", "call-\(key)", of: key)
      try aliases.add("ssrc-in", "\(key / 2)", of: key)
      try aliases.add("connection", "caller", of: key)
    }
  }

  private func holders(_ kind: IdentityKind, _ value: String) throws -> [Int64] {
    try Neighbourhood(connection: connection, run: nil).holders(of: value, as: [kind]).sorted()
  }

  @Test("before, while and after they are moved to the large table")
  func settling() throws {
    let aliases = Aliases(connection: connection, maxRecent: 100)
    var recent: [Int64] = []
    for last in stride(from: 10 as Int64, through: 100, by: 10) {
      try fill(aliases, (last - 9)...last)
      try aliases.settle()
      recent.append(try store.count("recent_alias_hashes"))
      for key in [1, last / 2, last] {
        #expect(try holders(.call, "call-\(key)") == [key])
        #expect(try holders(.ssrcIn, "\(key / 2)") == (1...last).filter { $0 / 2 == key / 2 })
      }
      #expect(try holders(.connection, "caller").count == Int(last))
      #expect(try holders(.session, "caller").isEmpty)
    }
    #expect(recent.contains(0) && recent.allSatisfy { $0 <= 100 } && recent.contains { $0 > 60 })
    #expect(try store.count("alias_hashes") == 300)
    // Another one who opens the file counts what is there.
    let other = Aliases(connection: connection, maxRecent: 10)
    try other.settle()
    #expect(try store.count("recent_alias_hashes") == 0 && store.count("alias_hashes") == 300)
    #expect(try holders(.call, "call-100") == [100])
  }

  @Test("adding an id twice stores it once")
  func twice() throws {
    let aliases = Aliases(connection: connection, maxRecent: 2)
    for _ in 1...3 {
      if try store.count("sources") == 0 {
        try fill(aliases, 1...1)
      } else {
        try aliases.add("call", "call-1", of: 1)
      }
      try aliases.settle()
    }
    #expect(try store.count("aliases") == 3)
    #expect(try Set(holders(.call, "call-1")) == [1])
  }

  @Test("deleting an id deletes its hash, unless the connection has another with the same")
  func removal() throws {
    try fill(Aliases(connection: connection), 1...4)
    try Aliases(connection: connection).add("session", "call-2", of: 2)
    try connection.run("DELETE FROM aliases WHERE kind = 'call' AND connection_key IN (1, 2)")
    #expect(try holders(.call, "call-2").isEmpty && holders(.session, "call-2") == [2])
    #expect(try store.count("alias_hashes") == 11)
    try connection.execute("DELETE FROM aliases")
    #expect(try store.count("alias_hashes") == 0)
  }

  @Test("texts with the same hash are found separately")
  func collision() throws {
    try fill(Aliases(connection: connection), 1...2)
    // As if both had one.
    try connection.execute(
      """
      UPDATE aliases SET hash = alias_hash('call-1') WHERE value = 'call-2';
      INSERT INTO recent_alias_hashes VALUES (alias_hash('call-1'), 2)
      """)
    #expect(try holders(.call, "call-1") == [1])
    try connection.run("DELETE FROM aliases WHERE value = 'call-2'")
    #expect(try holders(.call, "call-1") == [1])
  }

  @Test("a forgotten person cannot be found by the hash of a name")
  func forgotten() throws {
    try store.write(.named("a")) { writer in
      try writer.connection(
        0, end("caller", Identity(.person, "erika@example.org"), Identity(.call, "call of Erika@example.org"))
      )
      return .imported
    }
    _ = try store.forget(person: "erika@example.org")
    let texts = try connection.rows("SELECT value FROM aliases", body: { $0.text(0) })
    #expect(!texts.isEmpty && texts.allSatisfy { !$0.lowercased().contains("erika") })
    #expect(
      try store.value("SELECT count(*) FROM alias_hashes WHERE hash = alias_hash('erika@example.org')")
        == .integer(0))
    #expect(try store.check().filter { $0.rule.contains("looked up") }.isEmpty)
    for text in texts {
      #expect(
        try store.value("SELECT count(*) FROM alias_hashes WHERE hash = alias_hash('\(text)')") != .integer(0)
      )
    }
  }

  @Test("the hash is the start of the text's SHA-256, on every machine")
  func function() throws {
    // printf abc | sha256sum: ba7816bf…
    #expect(try store.value("SELECT alias_hash('abc')") == .integer(Int64(Int32(bitPattern: 0xba78_16bf))))
    #expect(try store.value("SELECT alias_hash('')") == .integer(Int64(Int32(bitPattern: 0xe3b0_c442))))
    #expect(try store.value("SELECT alias_hash(NULL)") == .null)
  }
}
