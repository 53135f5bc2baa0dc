import CSQLite
import Glibc

/// An error of the SQLite file: which file, what is wrong, what to do about it.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// Kinds of failure that callers distinguish.
  public enum Kind: String, Sendable {
    /// The file does not exist and was not to be created.
    case missing
    /// The file is not an SQLite database, or belongs to another program.
    case notADatabase
    /// The file was made by a newer callqa.
    case newer
    /// The file was made by an older callqa and cannot be upgraded, or not by this command.
    case older
    /// Another process held the lock for longer than the time limit.
    case busy
    /// The disk, a quota or a file size limit is full.
    case diskFull
    /// The file or its folder is read-only.
    case readOnly
    /// The file cannot be opened: permissions, a folder, a missing parent.
    case cannotOpen
    /// The file is damaged, or the device failed.
    case damaged
    /// The work was interrupted.
    case interrupted
    /// The SQL given by the user is wrong.
    case sql
    /// A row breaks a rule of the schema.
    case rule
    /// The source is already in the database (only inside `Store.write`).
    case alreadyStored
  }

  public var kind: Kind
  /// The database file.
  public var path: String
  /// What is wrong, as a sentence without the path.
  public var what: String
  /// What to do, if known.
  public var remedy: String?
  /// The failed SQL, shortened; bound values are never included.
  public var statement: String?
  /// Line of the SQL (1-based) with the error, if known.
  public var line: Int?

  /// An error of a kind.
  public init(_ kind: Kind, path: String, _ what: String, remedy: String? = nil) {
    self.kind = kind
    self.path = path
    self.what = what
    self.remedy = remedy
  }

  /// `calls.sqlite: the disk is full; free some space and import again`.
  public var description: String {
    "\(path): \(what)" + (statement.map { " while doing: \($0)" } ?? "") + (remedy.map { "; \($0)" } ?? "")
  }
}

extension StoreError {
  /// Whether it comes from what some rows hold, so that work with other rows can go on.
  public var isOfRows: Bool { kind == .sql || kind == .rule }

  /// Translates a result code of SQLite for users; `doing` is the SQL, without bound values.
  package static func of(_ code: Int32, path: String, handle: OpaquePointer?, doing: String? = nil)
    -> StoreError
  {
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

  /// Whether there is a limit on file sizes (`ulimit -f`): SQLite often no longer has the error code of the failed
  /// write.
  private static var isLimited: Bool {
    var limit = rlimit()
    return getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 && limit.rlim_cur != rlim_t.max
  }

  package static func full(_ path: String) -> StoreError {
    StoreError(
      .diskFull, path: path, "no room left on the disk",
      remedy: "the database is as it was before the files in hand; free some space and run again")
  }

  package static func notADatabase(_ path: String) -> StoreError {
    StoreError(
      .notADatabase, path: path, "this is not a callqa database", remedy: "name another file with --db")
  }

  private static func shortened(_ sql: String) -> String {
    let line = sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return line.count > 160 ? line.prefix(157) + "…" : line
  }
}

/// Locates an error in SQL text.
public enum SQLPlace {
  /// The 1-based line of a byte; without a byte (-1, as for missing tables), the line of the last word in SQLite's
  /// message.
  package static func line(ofByte byte: Int, message: String, in sql: String) -> Int? {
    if byte >= 0 { return 1 + sql.utf8.prefix(byte).count { $0 == UInt8(ascii: "\n") } }
    guard let colon = message.lastIndex(of: ":") else { return nil }
    let word = message[message.index(after: colon)...].drop { $0 == " " }
    return word.isEmpty ? nil : line(of: String(word), in: sql)
  }

  /// The 1-based line where a word first occurs outside comments; parameters are given without their colon.
  public static func line(of word: String, in sql: String) -> Int? {
    let lines = sql.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    return lines.firstIndex { holds($0, word[...]) }.map { $0 + 1 }
  }

  /// Whether a line contains the word as a whole word, not in a comment.
  private static func holds(_ line: Substring, _ word: Substring) -> Bool {
    let code = line.firstRange(of: "--").map { line[..<$0.lowerBound] } ?? line
    return code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains(word)
  }
}
