import CallModel
import Concurrency
import CSQLite
import SQLite

/// The database side of a source: a transaction that begins when there is something to store, or part of one that
/// stores several sources.
final class SourceTransaction {
  private let store: Store
  private var header: SourceHeader
  private let background = BackgroundWork(depth: SourceWriter.maxQueuedBatches)
  private(set) var begun = false
  /// Whether the transaction belongs to a batch, which ends it.
  private var isPart = false
  private(set) var sourceID: Int64 = 0
  /// Key of the first event of this source.
  private(set) var firstEvent: Int64 = 0
  private var partBase: Int64 = 0
  private var streamBase: Int64 = 0
  private var pathBase: Int64 = 0

  var connection: Connection { store.connection }
  /// The digest in the source's row.
  var digest: String? { header.sha256 }

  init(store: Store, header: SourceHeader) {
    self.store = store
    self.header = header
  }

  /// Moves on past the keys of connections, streams and paths that are stored, so that indices begin at 0 again.
  func advance(parts: Int, streams: Int, paths: Int) {
    partBase &+= Int64(parts)
    streamBase &+= Int64(streams)
    pathBase &+= Int64(paths)
  }

  func key(ofPart index: Int) -> Int64 { partBase &+ Int64(index) }
  func key(ofStream index: Int) -> Int64 { streamBase &+ Int64(index) }
  func key(ofPath index: Int) -> Int64 { pathBase &+ Int64(index) }

  /// Begins the transaction, unless it has begun, and waits for background inserts; throws `alreadyStored` if another
  /// import stored the source first.
  func begin() throws {
    guard !begun else { return try background.wait() }
    store.lockForWriter()
    do {
      // All rows are created here, parents and children alike; checking each parent would cost a seek per sample.
      // `callqa check` checks them all.
      try store.checkForeignKeys(false)
      isPart = connection.isInTransaction
      if !isPart { try connection.execute("BEGIN IMMEDIATE") }
      begun = true
      if header.lateDigest == nil { try forgetEarlierTry() }
      let next = try connection.rows(Self.nextKeys) { row in (0..<5).map { row.int64($0) } }[0]
      (sourceID, partBase, streamBase, pathBase, firstEvent) = (next[0], next[1], next[2], next[3], next[4])
    } catch {
      if begun { rollBack() } else { leave() }
      throw error
    }
  }

  /// Inserts rows in the background; the caller must continue with `begin`, `commit` or `rollBack`.
  func inBackground(_ work: @escaping (SourceTransaction) throws -> Void) throws {
    try background.begin { [self] in try work(self) }
  }

  /// Sets the digest computed while the source was read.
  func take(digest: String?) throws {
    header.sha256 = digest
    header.lateDigest = nil
    if begun {
      try background.wait()
      try forgetEarlierTry()
    }
  }

  /// Groups sources into calls, now or with others.
  func sortIn(_ sources: [Int64], views: Int, atOnce: Bool) throws {
    try store.sortIn(sources.map { (id: $0, views: views) }, atOnce: atOnce)
  }

  func commit() throws {
    try background.wait()
    if !isPart { try connection.execute("COMMIT") }
    leave()
  }

  func rollBack() {
    background.close()
    guard begun else { return }
    if !isPart { connection.rollBack() }
    leave()
  }

  private func leave() {
    background.close()
    begun = false
    store.unlockForWriter()
  }

  /// A file that was rejected before, or could not be read, is tried again.
  private func forgetEarlierTry() throws {
    if header.isLeft { return try takePlaceAmongLeft() }
    // NULL equals nothing, so a header without a digest only finds files that could not be read at that path.
    let earlier = try connection.rows(
      "SELECT source_id, status FROM sources WHERE sha256 = ?1 OR path = ?2 AND sha256 IS NULL",
      header.sha256, header.path
    ) { ($0.int64(0), $0.text(1)) }
    guard !earlier.isEmpty else { return }
    for (_, status) in earlier { try mustBeLeft(status) }
    let copies = try connection.rows(
      """
      SELECT c.source_id FROM sources AS s JOIN sources AS c
        ON c.sha256 IS NULL AND c.bytes = s.bytes AND c.status = s.status AND c.reason = s.reason
      WHERE s.sha256 = ?
      """, header.sha256
    ) { $0.int64(0) }
    try forget(earlier.map(\.0) + copies)
  }

  /// There may be a hundred copies of one error page: each has its row, and only the first of them the digest, which is
  /// unique. Found again in the same run, a file keeps its row.
  private func takePlaceAmongLeft() throws {
    // By the path alone (`+`): rows without a digest or a run may be many.
    try forget(
      connection.rows(
        """
        SELECT source_id FROM sources
        WHERE path = ?2 AND +run_id IS ?3 AND (+sha256 IS NULL OR +sha256 = ?1) AND status IN ('refused', 'skipped')
        """, header.sha256, header.path, header.run
      ) { $0.int64(0) })
    guard let status = try connection.first("SELECT status FROM sources WHERE sha256 = ?", header.sha256)
    else { return }
    try mustBeLeft(status.string ?? "")
    header.sha256 = nil
  }

  private func mustBeLeft(_ status: String) throws {
    guard SourceStatus.Value(rawValue: status).map({ !SourceStatus($0).isTaken }) ?? true else {
      throw StoreError(.alreadyStored, path: connection.path, "the source is already in the database")
    }
  }

  private func forget(_ sources: [Int64]) throws {
    for id in sources {
      for table in ["rejects", "notes", "sources"] {
        try connection.run("DELETE FROM \(table) WHERE source_id = ?", id)
      }
    }
  }

  private static let nextKeys = """
    SELECT (SELECT coalesce(max(source_id), 0) + 1 FROM sources),
      (SELECT coalesce(max(connection_key), 0) + 1 FROM source_views),
      (SELECT coalesce(max(stream_key), 0) + 1 FROM streams), (SELECT coalesce(max(path_key), 0) + 1 FROM paths),
      (SELECT coalesce(max(event_key), 0) + 1 FROM events)
    """

  private lazy var inserter = store.sampleInserter

  /// Stores samples from the queue of a stream, in order of time.
  func store(_ samples: [QueuedSample], of stream: StreamRow) throws {
    let key = key(ofStream: stream.index)
    // Samples are large; they are read in place.
    try samples.withUnsafeBufferPointer { rows in
      guard let base = rows.baseAddress, let last = rows.indices.last else { return }
      var late = 0
      while late < rows.count, (base + late).sample.timeMs <= stream.storedThrough {
        stream.hasLateSamples = true
        if try inserter.merge(rows, late, into: key) {
          stream.stored &+= 1
          stream.checksum?.add(rows, late..<late + 1)
        } else {
          stream.checksum = nil
        }
        late += 1
      }
      stream.tally.add(rows, from: late)
      stream.checksum?.add(rows, late..<rows.count)
      try inserter.insert(rows, from: late, of: key)
      stream.stored &+= rows.count - late
      if late < rows.count { stream.storedThrough = (base + last).sample.timeMs }
    }
  }

  /// Recomputes totals from the rows of the database.
  func retally(_ stream: StreamRow) throws {
    let cursor = SampleCursor(
      connection, stream: key(ofStream: stream.index), .all, from: nil, to: nil)
    var tally = StreamCounterTotals()
    var sample = Sample(timeMs: 0)
    while try cursor.next(into: &sample) { tally.add(sample) }
    stream.tally = tally
  }

  func store(_ event: EventRecord, part: Int) throws {
    try connection.run(
      """
      INSERT INTO events (connection_key, t_ms, until_ms, event, raw, sdk, args, line, anomaly)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, key(ofPart: part), event.timeMs, event.untilMs, event.name, event.raw, event.sdk,
      BoundedJSON.bounded(event.args), event.line, event.anomaly)
  }

  func store(_ sample: TransportSample, path: Int) throws {
    try store.pathInserter.insert(sample, of: key(ofPath: path))
  }
}
