import Concurrency
import CSQLite

/// Moves what a connection wrote into its log on to the file, in a thread beside it: the syncs of one checkpoint take as
/// long as storing a hundred calls, and SQLite would have the writer wait for them at a commit.
///
/// The log begins anew only when all of it was moved. While it grows that never is, so the writer moves the last of it.
package final class Checkpointer {
  private struct State {
    var isMoving = false
    /// Pages of the log that were moved.
    package var moved = 0
  }

  private unowned let writer: Connection
  /// Pages in the log from which on it is emptied.
  private let enough: Int
  /// So few the writer moves by itself.
  private var few: Int { enough / 8 }
  /// From here on the writer waits for the thread, or the log could outgrow the disk.
  private var most: Int { 4 * enough }
  private let open: () throws -> Connection
  private var other: Connection?
  private let beside = BackgroundWork(ofItsOwn: true)
  private let state = Locked(State())

  /// Takes over the checkpoints of a connection; `open` gives another one to the same file. Of 8000 pages of 8 KiB the log is
  /// 64 MiB long.
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

  /// After a commit, by the thread that writes: so many pages are in the log.
  private func committed(_ pages: Int) {
    let now = state.withLock { state in
      // It began anew since.
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

  /// Moves what can be; what cannot, for somebody still reads it, or for want of room on the disk, is tried again later.
  private static func move(by connection: Connection, _ state: Locked<State>) {
    var (all, moved): (Int32, Int32) = (0, 0)
    sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_PASSIVE, &all, &moved)
    state.withLock { $0 = State(isMoving: false, moved: max(0, Int(moved))) }
  }
}
