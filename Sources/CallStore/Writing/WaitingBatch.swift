import CallModel

/// Samples of one stream on their way into the database, in the order of time.
typealias SampleRun = (row: StreamRow, samples: [WaitingSample])

/// What leaves the queues of a source together.
struct WaitingBatch {
  var runs: [SampleRun]
  var events: [(part: Int, record: EventRecord)]
  var paths: [WaitingPath]

  /// Puts all of it into the database.
  func store(in database: SourceTransaction) throws {
    for run in runs { try database.store(run.samples, of: run.row) }
    for event in events { try database.store(event.record, part: event.part) }
    for path in paths { try database.store(path.sample, path: path.path) }
  }
}
