import CallModel
import Testing

@testable import CallStore
@testable import SQLite

@Suite("Copying calls into a database of their own")
struct CopyTests {
  @Test("copies all of their data and nothing else, and the copy passes checks")
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
        try writer.event(EventRecord(timeMs: 1, event: .callCreated, raw: "r"), of: index)
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

  @Test("an existing file is not changed")
  func exists() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("ticket.sqlite")
    _ = try Store(path: path, access: .write)
    #expect(throws: StoreError.self) { try Fleet.make().copy(calls: [1], to: path) }
  }
}
