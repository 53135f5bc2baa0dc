import Glibc
import Testing

@testable import CallStore
@testable import SQLite

@Suite("Checking the database")
struct CheckTests {
  @Test("a valid one has no problems")
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
      ("INSERT INTO aliases VALUES (1, 'call', 'x', 7)", "an id can be looked up"),
      (
        "INSERT INTO aliases VALUES (1, 'call', 'x', alias_hash('x')); DELETE FROM recent_alias_hashes",
        "an id can be looked up"
      ),
      ("UPDATE streams SET endpoint_key = 2 WHERE stream_key = 1", "a stream is at the end"),
      ("PRAGMA foreign_keys = OFF; DELETE FROM endpoints WHERE endpoint_key = 1", "rows refer to rows"),
      ("UPDATE events SET args = '{' WHERE event_key = 1", "figures lie"),
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
    try Fleet.make().save(to: path)
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
