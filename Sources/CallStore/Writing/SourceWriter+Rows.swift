import CallModel

/// What is written once, at the end of a source: its parts, streams, paths, and the row of the source itself.
extension SourceWriter {
  func storeRows(_ status: SourceStatus) throws -> StoredSource {
    try database.begin()
    try storeParts()
    for stream in streams { try store(stream) }
    for (index, path) in paths.enumerated() { try store(path, index) }
    if let run = header.run {
      try database.connection.run("INSERT OR IGNORE INTO runs (run_id) VALUES (?)", run)
    }
    try storeLedger()
    return try storeSource(status)
  }

  private func storeParts() throws {
    for stream in streams {
      let part = resolved(stream.part)
      stream.part = part
      parts[part].span.add(stream.span)
    }
    let idle = idleParts()
    for (index, part) in parts.enumerated() {
      let key = database.key(ofPart: index)
      if part.mergedInto != nil {
        try database.connection.run(
          "UPDATE events SET connection_key = ? WHERE connection_key = ? AND event_key >= ?",
          database.key(ofPart: resolved(index)), key, database.firstEvent)
        continue
      }
      span.add(part.span)
      let facts = part.facts
      try database.connection.run(
        """
        INSERT INTO connections (connection_key, source_id, whole, name, endpoint, call, sdk, sdk_version, direction,
          person, user_agent, system, first_ms, last_ms, idle) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, key, database.sourceID, part.whole, facts.name, facts.endpoint, facts.call, facts.sdk,
        facts.sdkVersion,
        facts.direction?.rawValue, facts.person, facts.userAgent, facts.system, part.span.first,
        part.span.last, idle.contains(index))
      // In order, so that the same source always gives the same rows in the same places.
      let identities = facts.identities.union(facts.call.map { [Identity(.call, $0)] } ?? [])
      for identity in identities.sorted(by: {
        ($0.kind.rawValue, $0.value) < ($1.kind.rawValue, $1.value)
      }) {
        try Aliases(connection: database.connection).add(identity.kind.rawValue, identity.value, of: key)
      }
    }
  }

  private func store(_ stream: StreamRow) throws {
    let columns = stream.columns(
      key: database.key(ofStream: stream.index), part: database.key(ofPart: stream.part))
    let statement = try database.connection.cached(named: "insert a stream") {
      let marks = columns.map { _ in "?" }.joined(separator: ", ")
      return "INSERT INTO streams (\(columns.map(\.name).joined(separator: ", "))) VALUES (\(marks))"
    }
    for (index, column) in columns.enumerated() { statement.bind(Int32(index + 1), column.value) }
    try statement.run()
  }

  private func store(_ path: PathRow, _ index: Int) throws {
    let statement = try database.connection.cached(
      """
      INSERT INTO paths (path_key, connection_key, pair, local, remote, local_type, remote_type, protocol,
        relay_protocol, network_type, ice_state, dtls_state) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    statement.bind(1, database.key(ofPath: index))
    statement.bind(2, database.key(ofPart: resolved(path.part)))
    for (index, column) in path.columns.enumerated() { statement.bind(Int32(3 + index), column.cell) }
    try statement.run()
  }

  private func storeLedger() throws {
    for (index, row) in ledger.rejects.enumerated() {
      let reject = row.reject
      try database.connection.run(
        """
        INSERT INTO rejects (source_id, reject_index, line, frame, byte, reason, count, excerpt)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """, database.sourceID, index, reject.line, reject.frame, reject.byte, reject.reason, row.count,
        reject.excerpt)
    }
    for (note, count) in ledger.notes {
      try database.connection.run(
        "INSERT INTO notes (source_id, note, count) VALUES (?, ?, ?)", database.sourceID, note, count)
    }
  }

  private func storeSource(_ status: SourceStatus) throws -> StoredSource {
    let samples = streams.reduce(0) { $0 + $1.stored }
    try database.connection.run(
      """
      INSERT INTO sources (source_id, sha256, path, format, bytes, status, reason_code, reason, byte, line, run_id,
        given_call, labels, imported_ms, first_ms, last_ms, streams, samples, events, packets, rejected)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, database.sourceID, database.digest, header.path, header.format?.rawValue, header.bytes,
      status.word.rawValue,
      status.code?.rawValue, status.reason, status.byte, status.line, header.run, header.call, header.labels,
      header.importedMs, span.first, span.last, streams.count, samples, eventCount, packetCount,
      ledger.rejected)
    return StoredSource(
      id: database.sourceID, path: header.path, sha256: header.sha256, format: header.format, status: status,
      run: header.run, call: header.call, firstMs: span.first, lastMs: span.last, streams: streams.count,
      samples: samples, events: eventCount, packets: packetCount, rejected: ledger.rejected, unchanged: false)
  }
}
