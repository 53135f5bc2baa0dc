import CallModel
import Concurrency
import SQLite

/// Stores sources in batches, as a commit, and grouping views into calls, cost as much as storing a small source.
///
/// Records wait in memory, so that the database is locked only while writing. A source with more records than fit in
/// memory is stored by itself, after those before it. Thread-safe.
public final class SourceQueue: Sendable {
  /// The most sources stored together, the most of their records (samples, events, views) in memory, and the most bytes
  /// of events.
  static let maxSources = Limit.filesTogether.value
  static let maxRecords = Limit.recordsTogether.value
  static let maxEventBytes = SourceWriter.maxQueuedEventBytes
  /// How long a source waits for others; waiting sources are lost if the import is killed.
  static let longestWait = Duration.milliseconds(500)

  /// A source that was read. Passed from the thread that read it to the one that stores it, never used by both.
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

  /// A queue for a store; `watch` returns the observer of each source's samples.
  public init(_ store: Store, watch: @escaping @Sendable () -> (any SampleObserver)? = { nil }) {
    self.store = store
    self.watch = watch
  }

  /// Imports a source: everything that the body gives to the writer is stored, and nothing if it throws.
  ///
  /// `stored` is called on any thread, once the source is in the database, or if it was there before (`unchanged`).
  public func write(
    _ header: SourceHeader, stored: @escaping @Sendable (StoredSource) -> Void,
    _ body: (SourceWriter) throws -> SourceStatus
  ) throws {
    let writer = SourceWriter(store: store, header: header, watch: watch())
    writer.beforeDatabase = { [self] in try storeQueued() }
    do {
      let status = try body(writer)
      // A queued writer must not retain this closure.
      writer.beforeDatabase = nil
      try writer.finishPassing()
      try writer.settleDigest()
      guard writer.isInDatabase else {
        return try add(QueuedSource(writer: writer, status: status, stored: stored))
      }
      let result = try writer.finish(status, sortingAtOnce: false)
      writer.passKeys()
      stored(result)
    } catch {
      stored(try store.known(insteadOf: error, writer))
    }
  }

  /// Stores waiting sources and groups all of them into calls; call it at the end.
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
      if !result.unchanged { source.writer.passKeys() }
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
  /// Stores sources in one transaction. A source that is already there is returned unchanged.
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
          new.flatMap { stored, source in
            ([stored.id] + source.writer.continued).map { (id: $0, views: source.writer.settled.ends) }
          },
          atOnce: new.contains { $0.1.writer.hasSuperseded })
        return stored
      }
    }
  }

  /// Drops a source; if another import stored it first, that one is returned.
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
  /// Its path.
  public var path: String
  /// SHA-256 of the file on disk, lower-case hex; nil if it could not be read.
  public var sha256: String?
  /// Returns the digest of a source that is hashed while it is read; called once, at its end.
  public var lateDigest: (@Sendable () throws -> String?)?
  /// The recognised format.
  public var format: SourceFormat?
  /// Size of the file.
  public var bytes: Int?
  /// Its run (`--run`, `run.json`); created if it is new.
  public var run: String?
  /// Its call, if assigned by a person or a manifest.
  public var call: String?
  /// Digests of earlier versions at the same path that are a prefix of this source, which replaces them.
  public var supersedes: [String] = []
  /// Digests of such prefixes that are kept.
  public var continues: [String] = []
  /// Whether only its path and status are stored, as it was left out.
  public var isLeft = false
  /// `--label` and the labels of its manifest, as a JSON object.
  public var labels = "{}"
  /// Time of import, milliseconds since the epoch.
  public var importedMs: Double

  /// A source with a path.
  public init(path: String, sha256: String? = nil, format: SourceFormat? = nil, importedMs: Double) {
    self.path = path
    self.sha256 = sha256
    self.format = format
    self.importedMs = importedMs
  }
}

/// The status of a source.
public struct SourceStatus: Sendable, Equatable {
  /// The values of `import --json` except `unchanged`, which stores nothing.
  public enum Value: String, Sendable {
    case imported, partial
    /// Rejected: only rejects and notes of the reader are stored.
    case refused, skipped
  }

  public var value: Value
  public var code: ReasonCode?
  /// Why it was not imported completely, for users.
  public var reason: String?
  /// 0-based byte of the decompressed source and 1-based line of the problem.
  public var byte: Int?
  public var line: Int?

  /// A status, with its reason unless it is `imported`.
  public init(
    _ value: Value, code: ReasonCode? = nil, reason: String? = nil, byte: Int? = nil, line: Int? = nil
  ) {
    self.value = value
    self.code = code
    self.reason = reason
    self.byte = byte
    self.line = line
  }

  /// The status of a source with a reader's error, depending on whether it has any records.
  public init(_ error: SourceError, tookSome: Bool) {
    self.init(
      tookSome ? .partial : .refused, code: error.code, reason: error.reason, byte: error.byte,
      line: error.line)
  }

  /// Imported completely.
  public static let imported = SourceStatus(.imported)

  /// Whether its records are stored.
  var isTaken: Bool { value == .imported || value == .partial }
}

/// A stored source: a row of table `sources`.
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
  /// Whether it was already stored, so that nothing changed.
  public var unchanged: Bool
  /// A remark if the path had other content before; also one of its notes.
  public var remark: String?
}
