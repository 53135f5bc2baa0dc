import Concurrency
import CSQLite

/// Checkpoints the write-ahead log of a connection on another thread. The syncs of one checkpoint take as long as
/// storing a hundred calls, and SQLite would run it on the writer's thread, at a commit.
///
/// The log restarts only after a checkpoint of all its pages. That never happens while it grows, so the writer
/// checkpoints the last pages itself.
package final class Checkpointer {
  private struct State {
    var isMoving = false
    /// Pages of the log that are checkpointed.
    package var moved = 0
  }

  private unowned let writer: Connection
  /// Size of the log, in pages, above which it is emptied.
  private let enough: Int
  /// So few pages are checkpointed by the writer itself.
  private var few: Int { enough / 8 }
  /// Above this size the writer waits for the thread, or the log could fill the disk.
  private var most: Int { 4 * enough }
  private let open: () throws -> Connection
  private var other: Connection?
  private let beside = BackgroundWork(ofItsOwn: true)
  private let state = Locked(State())

  /// Takes over the checkpoints of a connection; `open` opens another connection to the same file. With 8000 pages of 8
  /// KiB the log is 64 MiB long.
  package init(of writer: Connection, pages: Int = 8000, open: @escaping () throws -> Connection) {
    self.writer = writer
    enough = pages
    self.open = open
    sqlite3_wal_hook(
      writer.handle,
      { context, _, _, pages in
        if let context {
          Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue().committed(Int(pages))
        }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    sqlite3_wal_hook(writer.handle, nil, nil)
    beside.close()
  }

  /// Called after each commit on the writer's thread, with the number of pages in the log.
  private func committed(_ pages: Int) {
    let now = state.withLock { state in
      // The log has restarted since.
      if !state.isMoving, pages < state.moved { state.moved = 0 }
      return state
    }
    guard pages >= enough else { return }
    if pages > most { try? beside.wait() }
    if now.isMoving { return }
    guard pages - now.moved > few, let other = try? other ?? open() else {
      return Self.move(by: writer, state)
    }
    self.other = other
    state.withLock { $0.isMoving = true }
    try? beside.begin { [state] in Self.move(by: other, state) }
  }

  /// Checkpoints as many pages as possible. Pages that another connection still reads, or that do not fit on the disk,
  /// are tried again later.
  private static func move(by connection: Connection, _ state: Locked<State>) {
    var (all, moved): (Int32, Int32) = (0, 0)
    sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_PASSIVE, &all, &moved)
    state.withLock { $0 = State(isMoving: false, moved: max(0, Int(moved))) }
  }
}
