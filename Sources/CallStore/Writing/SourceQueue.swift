import CallModel
import Concurrency
import IO
import SQLite

/// Stores sources a handful at a time, for a commit and sorting views into calls cost as much as storing a small source.
///
/// What was read waits in memory, so that the database is taken for the moment of writing only. A source of more than
/// waits in memory goes into the database by itself, after those that came before it. May be shared by threads.
public final class SourceQueue: Sendable {
  /// Most sources that are stored together, most records (samples, events, views) of them that wait, and most bytes of events.
  static let maxSources = 128
  static let maxRecords = 8192
  static let maxEventBytes = SourceWriter.maxQueuedEventBytes
  /// How long a source waits for others; what waits is lost when the import is killed.
  static let longestWait = Duration.milliseconds(500)

  /// A source that was read. Handed by the thread that read it to the one that stores it, never used by both.
  private struct QueuedSource: @unchecked Sendable {
    let writer: SourceWriter
    let status: SourceStatus
    let stored: (StoredSource) -> Void
  }

  private struct State {
    var sources: [QueuedSource] = []
    var records = 0
    var eventBytes = 0
    var since = ContinuousClock.now
  }

  private let store: Store
  private let watch: @Sendable () -> (any SampleObserver)?
  private let state = Locked(State())

  /// A queue before a store; `watch` gives each source the one who looks at its samples as they pass.
  public init(_ store: Store, watch: @escaping @Sendable () -> (any SampleObserver)? = { nil }) {
    self.store = store
    self.watch = watch
  }

  /// Takes a source: whatever the body tells the writer will be stored, and nothing if it throws.
  ///
  /// `stored` is told, from any thread, once the source is in the database, or that it was there before (`unchanged`).
  public func write(
    _ header: SourceHeader, stored: @escaping @Sendable (StoredSource) -> Void,
    _ body: (SourceWriter) throws -> SourceStatus
  ) throws {
    let writer = SourceWriter(store: store, header: header, watch: watch())
    writer.beforeDatabase = { [self] in try storeQueued() }
    do {
      let status = try body(writer)
      // What waits here must not hold on to this.
      writer.beforeDatabase = nil
      try writer.finishPassing()
      try writer.settleDigest()
      guard writer.isInDatabase else {
        return try add(QueuedSource(writer: writer, status: status, stored: stored))
      }
      let result = try writer.finish(status, sortingAtOnce: false)
      writer.tellKeys()
      stored(result)
    } catch {
      stored(try store.known(insteadOf: error, writer))
    }
  }

  /// Stores what waits and sorts all of it into calls; call it when there are no more sources.
  public func flush() throws {
    try storeQueued()
    try store.groupQueued()
  }

  private func storeQueued() throws {
    let sources = state.withLock { state in
      defer { state = State() }
      return state.sources
    }
    guard !sources.isEmpty else { return }
    let stored = try store.storeTogether(sources.map { ($0.writer, $0.status) })
    for (source, result) in zip(sources, stored) {
      if !result.unchanged { source.writer.tellKeys() }
      source.stored(result)
    }
  }

  private func add(_ source: QueuedSource) throws {
    let isFull = state.withLock { state in
      if state.sources.isEmpty { state.since = .now }
      state.sources.append(source)
      state.records += source.writer.queuedRecords
      state.eventBytes += source.writer.eventBytes
      return state.sources.count >= Self.maxSources || state.records >= Self.maxRecords
        || state.eventBytes >= Self.maxEventBytes || .now - state.since >= Self.longestWait
    }
    if isFull { try storeQueued() }
  }
}

extension Store {
  /// Stores sources that were read, in one transaction. One that is already there is given back as it is.
  func storeTogether(_ sources: [(writer: SourceWriter, status: SourceStatus)]) throws -> [StoredSource] {
    try exclusive {
      try checkForeignKeys(false)
      return try connection.transaction {
        let stored = try sources.map { source in
          do {
            return try source.writer.storePart(source.status)
          } catch {
            return try known(insteadOf: error, source.writer)
          }
        }
        let new = zip(stored, sources).filter { !$0.0.unchanged }
        try sortIn(
          new.map { (id: $0.id, views: $1.writer.parts.count) },
          atOnce: new.contains { $0.1.writer.hasSuperseded })
        return stored
      }
    }
  }

  /// Gives up a source; where another import was quicker, what that one stored stands for it.
  func known(insteadOf error: any Error, _ writer: SourceWriter) throws -> StoredSource {
    writer.abandon()
    if let error = error as? StoreError, error.kind == .alreadyStored, let digest = writer.header.sha256,
      let source = try taken(sha256: digest)
    {
      return source
    }
    throw error
  }
}

/// What is known of a source before it is read.
public struct SourceHeader: Sendable {
  /// Where it lies.
  public var path: String
  /// SHA-256 of the file as it lies there, lower-case hex; nil if it could not be read.
  public var sha256: String?
  /// Gives the digest of a source that is digested while it is read; asked once, when it was read to its end.
  public var lateDigest: (@Sendable () throws -> String?)?
  /// What it was recognised as.
  public var format: SourceFormat?
  /// Size of the file.
  public var bytes: Int?
  /// The run it belongs to (`--run`, `run.json`); the run is made if it is new.
  public var run: String?
  /// The call it belongs to, where a person or a manifest said so.
  public var call: String?
  /// Digests of what lay at the same path before and is the beginning of this source: once it is taken, it stands for them.
  public var supersedes: [String] = []
  /// Digests of such beginnings that stay beside it.
  public var continues: [String] = []
  /// Whether nothing of it is taken: only that it was met, and why it was left, is kept.
  public var isLeft = false
  /// `--label` and the labels of its manifest, as a JSON object.
  public var labels = "{}"
  /// When it is imported, milliseconds since the epoch.
  public var importedMs: Double

  /// A source at a path.
  public init(path: String, sha256: String? = nil, format: SourceFormat? = nil, importedMs: Double) {
    self.path = path
    self.sha256 = sha256
    self.format = format
    self.importedMs = importedMs
  }
}

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
