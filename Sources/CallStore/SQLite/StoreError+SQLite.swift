import CSQLite
import Glibc

extension StoreError {
  /// Puts a result code of SQLite into the user's terms; `doing` is the SQL, whose values are never part of it.
  static func of(_ code: Int32, path: String, handle: OpaquePointer?, doing: String? = nil) -> StoreError {
    let message = handle.flatMap { sqlite3_errmsg($0) }.map { String(cString: $0) } ?? "unknown error"
    let system = handle.map { sqlite3_system_errno($0) } ?? 0
    switch code & 0xff {
    case SQLITE_FULL: return full(path)
    case SQLITE_IOERR where [ENOSPC, EDQUOT, EFBIG].contains(system) || isLimited && system == 0:
      return full(path)
    case SQLITE_IOERR:
      let reason = system == 0 ? message : String(cString: strerror(system))
      return StoreError(
        .damaged, path: path, "reading or writing the file failed (\(reason))", remedy: "check the disk")
    case SQLITE_BUSY, SQLITE_LOCKED:
      return StoreError(
        .busy, path: path, "another process keeps the database locked", remedy: "wait for it and run again")
    case SQLITE_READONLY, SQLITE_PERM:
      return StoreError(
        .readOnly, path: path, "the database must not be written here",
        remedy: "check the permissions of the file and its folder")
    case SQLITE_NOTADB: return notADatabase(path)
    case SQLITE_CORRUPT:
      return StoreError(
        .damaged, path: path, "the database is damaged (\(message))",
        remedy: "restore it, or import the sources into a new one")
    case SQLITE_CANTOPEN:
      let reason = system == 0 ? message : String(cString: strerror(system))
      return StoreError(.cannotOpen, path: path, "cannot open the database (\(reason))")
    case SQLITE_INTERRUPT: return StoreError(.interrupted, path: path, "interrupted")
    case SQLITE_NOMEM: return StoreError(.damaged, path: path, "out of memory")
    case SQLITE_CONSTRAINT:
      var error = StoreError(
        .rule, path: path, message, remedy: "this is a mistake in callqa: please report it")
      error.statement = doing.map(shortened)
      return error
    default:
      var error = StoreError(.sql, path: path, message)
      error.statement = doing.map(shortened)
      error.line = handle.flatMap { handle in
        doing.flatMap { SQLPlace.line(ofByte: Int(cqa_error_offset(handle)), message: message, in: $0) }
      }
      return error
    }
  }

  /// Whether files must not grow beyond a size (`ulimit -f`): SQLite has often forgotten that this is why a write failed.
  private static var isLimited: Bool {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 && limit.rlim_cur != rlim_t.max
  }

  static func full(_ path: String) -> StoreError {
    StoreError(
      .diskFull, path: path, "no room left on the disk",
      remedy: "the database is as it was before the files in hand; free some space and run again")
  }

  static func notADatabase(_ path: String) -> StoreError {
    StoreError(
      .notADatabase, path: path, "this is not a callqa database", remedy: "name another file with --db")
  }

  private static func shortened(_ sql: String) -> String {
    let line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count > 160 ? line.prefix(157) + "…" : line
  }
}
