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
    /// The file was made by an older callqa and cannot be upgraded here.
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
