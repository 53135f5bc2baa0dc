import CallModel
import CallStore

/// A store in memory that gets what the ends of one call logged, end by end.
struct EndsOfOneCall {
  let store: Store
  private let queue: SourceQueue

  init() throws {
    store = try Store(path: "memory", access: .memory)
    queue = SourceQueue(store)
  }

  /// One end's file: its one connection, and what `body` writes of it. A second file of an end needs a `path` of its own.
  func write(
    _ end: String, path: String? = nil, format: SourceFormat = .runLog, _ body: (SourceWriter) throws -> Void
  ) throws {
    let path = path ?? end
    var header = SourceHeader(path: path, sha256: path, format: format, importedMs: 1)
    header.call = "one"
    try queue.write(header, stored: { _ in }) { writer in
      var facts = ConnectionFacts()
      facts.endpoint = end
      try writer.connection(0, facts)
      try body(writer)
      return SourceStatus(.imported)
    }
  }

  /// The store when everything is in it.
  func finished() throws -> Store {
    try queue.flush()
    return store
  }
}

extension SourceWriter {
  /// Events of the connection, each at a second after `startMs`.
  func addEvents(_ events: [(second: Double, name: EventName)], from startMs: Double) throws {
    for (second, name) in events {
      try event(EventRecord(timeMs: startMs + second * 1000, event: name, raw: name.rawValue), of: 0)
    }
  }
}
