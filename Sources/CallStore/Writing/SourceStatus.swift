import CallModel

/// How it went with a source.
public struct SourceStatus: Sendable, Equatable {
  /// The words of `import --json`, less `unchanged`, which leaves nothing to store.
  public enum Word: String, Sendable {
    case imported, partial
    /// Not taken: of what the reader gave only rejects and notes are kept.
    case refused, skipped
  }

  public var word: Word
  public var code: ReasonCode?
  /// Why not whole, for people.
  public var reason: String?
  /// 0-based byte of the decompressed source and 1-based line of the trouble.
  public var byte: Int?
  public var line: Int?

  /// A status, with its reason where it is not `imported`.
  public init(
    _ word: Word, code: ReasonCode? = nil, reason: String? = nil, byte: Int? = nil, line: Int? = nil
  ) {
    self.word = word
    self.code = code
    self.reason = reason
    self.byte = byte
    self.line = line
  }

  /// What a reader's error makes of a source of which something, or nothing, was taken.
  public init(_ error: SourceError, tookSome: Bool) {
    self.init(
      tookSome ? .partial : .refused, code: error.code, reason: error.reason, byte: error.byte,
      line: error.line)
  }

  /// Taken whole.
  public static let imported = SourceStatus(.imported)

  /// Whether records of it are kept.
  var isTaken: Bool { word == .imported || word == .partial }
}

/// A source as the database has it: a row of table `sources`.
public struct StoredSource: Sendable {
  public var id: Int64
  public var path: String
  public var sha256: String?
  public var format: SourceFormat?
  public var status: SourceStatus
  public var run: String?
  public var call: String?
  public var firstMs: Double?
  public var lastMs: Double?
  public var streams: Int
  public var samples: Int
  public var events: Int
  public var packets: Int
  public var rejected: Int
  /// Whether it was there before: nothing was changed.
  public var unchanged: Bool
  /// What is to be said of an import that met other content at its path; its notes have that too.
  public var remark: String?
}
