import CSQLite
import Glibc

/// Why the SQLite file could not do what was asked: which file, what is wrong, what to do about it.
public struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure that a caller may want to tell apart.
  public enum Kind: String, Sendable {
    /// There is no such file, and it was not to be created.
    case missing
    /// The file is no SQLite database, or one of another program.
    case notADatabase
    /// The file was made by a newer callqa.
    case newer
    /// The file was made by an older callqa and cannot be upgraded, or not here.
    case older
    /// Another process held the database for longer than we wait.
    case busy
    /// The disk, a quota or a file size limit is full.
    case diskFull
    /// The file or its folder must not be written.
    case readOnly
    /// The file cannot be opened: permissions, a folder, a missing parent.
    case cannotOpen
    /// The file is damaged, or the device failed.
    case damaged
    /// The work was interrupted.
    case interrupted
    /// The SQL that a person wrote is wrong.
    case sql
    /// A row breaks a rule of the schema.
    case rule
    /// The source is already in the database (only inside `Store.write`).
    case alreadyStored
  }

  public var kind: Kind
  /// The database file.
  public var path: String
  /// What is wrong, in one sentence without the path.
  public var what: String
  /// What to do, if that is known.
  public var remedy: String?
  /// The SQL that failed, shortened; its values are never part of it.
  public var statement: String?
  /// Line of the SQL (1-based) where a mistake in it stands, where that can be told.
  public var line: Int?

  /// A failure of the given kind.
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
  /// Puts a result code of SQLite into the user's terms; `doing` is the SQL, whose values are never part of it.
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

  /// Whether files must not grow beyond a size (`ulimit -f`): SQLite has often forgotten that this is why a write failed.
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

/// Where in a text of SQL a mistake stands.
public enum SQLPlace {
  /// The 1-based line of a byte; where SQLite gives none (-1, as for tables that are not there), of the word that its message ends with.
  package static func line(ofByte byte: Int, message: String, in sql: String) -> Int? {
    if byte >= 0 { return 1 + sql.utf8.prefix(byte).count { $0 == UInt8(ascii: "\n") } }
    guard let colon = message.lastIndex(of: ":") else { return nil }
    let word = message[message.index(after: colon)...].drop { $0 == " " }
    return word.isEmpty ? nil : line(of: String(word), in: sql)
  }

  /// The 1-based line of the first place, outside comments, where a word stands; a parameter is named without its colon.
  public static func line(of word: String, in sql: String) -> Int? {
    let lines = sql.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    return lines.firstIndex { holds($0, word[...]) }.map { $0 + 1 }
  }

  /// Whether a line has the word, by itself and not in a comment.
  private static func holds(_ line: Substring, _ word: Substring) -> Bool {
    let code = line.firstRange(of: "--").map { line[..<$0.lowerBound] } ?? line
    return code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains(word)
  }
}
