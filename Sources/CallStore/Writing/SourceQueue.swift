import Bytes
import CallModel

/// Stores sources a handful at a time, for a commit and sorting views into calls cost as much as storing a small source.
///
/// What was read waits in memory, so that the database is taken for the moment of writing only. A source of more than
/// waits in memory goes into the database by itself, after those that came before it. May be shared by threads.
public final class SourceQueue: Sendable {
  /// Most sources that are stored together, most records (samples, events, views) of them that wait, and most bytes of events.
  static let mostSources = 128
  static let mostRecords = 8192
  static let mostEventBytes = SourceWriter.eventBytesWaiting
  /// How long a source waits for others; what waits is lost when the import is killed.
  static let longestWait = Duration.milliseconds(500)

  /// A source that was read. Handed by the thread that read it to the one that stores it, never used by both.
  private struct Waiting: @unchecked Sendable {
    let writer: SourceWriter
    let status: SourceStatus
    let stored: (StoredSource) -> Void
  }

  private struct State {
    var sources: [Waiting] = []
    var records = 0
    var eventBytes = 0
    var since = ContinuousClock.now
  }

  private let store: Store
  private let watch: @Sendable () -> (any SampleWatch)?
  private let state = Locked(State())

  /// A queue before a store; `watch` gives each source the one who looks at its samples as they pass.
  public init(_ store: Store, watch: @escaping @Sendable () -> (any SampleWatch)? = { nil }) {
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
    writer.beforeDatabase = { [self] in try storeWaiting() }
    do {
      let status = try body(writer)
      // What waits here must not hold on to this.
      writer.beforeDatabase = nil
      try writer.finishPassing()
      try writer.settleDigest()
      guard writer.isInDatabase else {
        return try add(Waiting(writer: writer, status: status, stored: stored))
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
    try storeWaiting()
    try store.sortInWaiting()
  }

  private func storeWaiting() throws {
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

  private func add(_ source: Waiting) throws {
    let isFull = state.withLock { state in
      if state.sources.isEmpty { state.since = .now }
      state.sources.append(source)
      state.records += source.writer.recordsWaiting
      state.eventBytes += source.writer.eventBytes
      return state.sources.count >= Self.mostSources || state.records >= Self.mostRecords
        || state.eventBytes >= Self.mostEventBytes || .now - state.since >= Self.longestWait
    }
    if isFull { try storeWaiting() }
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
