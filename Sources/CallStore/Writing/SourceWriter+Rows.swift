import CallModel

/// Rows written once: those of connections, streams and paths, and at the end of a source its own.
extension SourceWriter {
  func storeRows(_ status: SourceStatus) throws -> StoredSource {
    try database.begin()
    try storeRowsOfEnds()
    noteIdle()
    if let run = header.run {
      try database.connection.run("INSERT OR IGNORE INTO runs (run_id) VALUES (?)", run)
    }
    try storeLedger()
    return try storeSource(status)
  }

  /// Stores what is known of connections, their streams and paths.
  func storeRowsOfEnds() throws {
    try storeParts()
    for stream in streams { try store(stream) }
    for (index, path) in paths.enumerated() { try store(path, index) }
    settled.streams += streams.count
    settled.samples += streams.reduce(0) { $0 + $1.stored }
  }

  private func storeParts() throws {
    for stream in streams {
      let part = resolved(stream.part)
      stream.part = part
      parts[part].span.add(stream.span)
    }
    let idle = idleParts()
    settled.idle += idle.count
    settled.ends += parts.count { $0.mergedInto == nil }
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
        INSERT INTO source_views (connection_key, source_id, whole, name, endpoint, call, sdk, sdk_version, direction,
          person, user_agent, system, first_ms, last_ms, idle) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, key, database.sourceID, part.whole, facts.name, facts.endpoint, facts.call, facts.sdk,
        facts.sdkVersion,
        facts.direction?.rawValue, facts.person, facts.userAgent, facts.system, part.span.first,
        part.span.last, idle.contains(index))
      // Sorted, so that the same source always gives the same rows in the same order.
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
        relay_protocol, network_type, ice_state, dtls_state, sample_checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """)
    statement.bind(1, database.key(ofPath: index))
    statement.bind(2, database.key(ofPart: resolved(path.part)))
    for (index, column) in path.columns.enumerated() { statement.bind(Int32(3 + index), column.cell) }
    statement.bind(13, (path.checksum?.stored).cell)
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
    try database.connection.run(
      """
      INSERT INTO sources (source_id, sha256, path, ending, format, bytes, status, reason_code, reason, byte, line, run_id,
        given_call, labels, imported_ms, first_ms, last_ms, streams, samples, events, packets, rejected)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, database.sourceID, database.digest, header.path, Self.ending(of: header.path),
      header.format?.rawValue, header.bytes, status.value.rawValue,
      status.code?.rawValue, status.reason, status.byte, status.line, header.run, header.call, header.labels,
      header.importedMs, span.first, span.last, settled.streams, settled.samples, eventCount, packetCount,
      ledger.rejected)
    return StoredSource(
      id: database.sourceID, path: header.path, sha256: header.sha256, format: header.format, status: status,
      run: header.run, call: header.call, firstMs: span.first, lastMs: span.last,
      streams: settled.streams, samples: settled.samples, events: eventCount, packets: packetCount,
      rejected: ledger.rejected, unchanged: false)
  }

  /// The suffix of a file's name, without compression: distinguishes recordings of calls from other files.
  private static func ending(of path: String) -> String? {
    var name = path.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
    func ending(of name: Substring.UTF8View) -> Substring.UTF8View? {
      name.lastIndex(of: UInt8(ascii: ".")).map { name[name.index(after: $0)...] }
    }
    if let packed = ending(of: name), ["gz", "br", "zst"].contains(Substring(packed).lowercased()) {
      name = name.dropLast(packed.count + 1)
    }
    guard let last = ending(of: name), !last.isEmpty else { return nil }
    return String(Substring(last).lowercased().prefix(16))
  }
}

/// A log of one application may have the events of an end and its statistics as separate connections. If neither or
/// only one of them is named, they are matched by time.
extension SourceWriter {
  private typealias Pair = (logged: Int, measured: Int)

  /// Joins connections with events only and connections with statistics only, if there is one of each at the time.
  func joinEventsAndStatistics() {
    guard let format = header.format, Self.logs.contains(format) else { return }
    for stream in streams { parts[resolved(stream.part)].span.add(stream.span) }
    let media = Set((streams.map(\.part) + paths.map(\.part)).map(resolved))
    let ends = parts.indices.filter { !parts[$0].whole && parts[$0].mergedInto == nil }
    let logged = ends.filter { parts[$0].hasEvents && !media.contains($0) }
    // A log with this many connections has names for them.
    guard !logged.isEmpty, logged.count <= Self.maxUnnamed, media.count <= Self.maxUnnamed else { return }
    let pairs = logged.flatMap { end -> [Pair] in
      let measured = media.filter { parts[end].mayBelongTogether(with: parts[$0]) }
      return named(measured, by: end).map { (logged: end, measured: $0) }
    }
    let met = pairs.filter { pair in
      pairs.allSatisfy { other in
        other.logged != pair.logged && other.measured != pair.measured || other == pair
          || other.logged == pair.logged && parts[other.measured].isReplacement(of: parts[pair.measured])
      }
    }
    met.forEach(join)
    let alone = logged.filter { end in
      parts[end].isEvidenceOfCall == true && !met.contains { $0.logged == end }
    }
    let silent = media.filter { parts[$0].mergedInto == nil && !parts[$0].hasEvents }
    joinNeighbours(alone, Array(silent))
  }

  /// Joins events with statistics shortly after or before them: polls that begin after the last event of the
  /// connection. Not if the log has others at that time.
  private func joinNeighbours(_ logged: [Int], _ measured: [Int]) {
    let slackMs = LoggedEnd.silenceMs
    let pairs = logged.compactMap { end -> Pair? in
      let near = named(
        measured.filter { parts[end].mayBelongTogether(with: parts[$0], slackMs: slackMs) }.sorted(), by: end)
      let later = near.filter { parts[end].span.isBefore(parts[$0].span) }
      return nearest(later.isEmpty ? near : later, to: end).map { (logged: end, measured: $0) }
    }
    for measured in Set(pairs.map(\.measured)).sorted() {
      let candidates = pairs.filter { $0.measured == measured }.map(\.logged)
      if let logged = nearest(candidates, to: measured) { join((logged, measured)) }
    }
  }

  /// Of several, those whose names occur in the events, if there are any.
  private func named<Parts: Collection<Int>>(_ measured: Parts, by logged: Int) -> [Int] {
    let names = parts[logged].facts.connectionNames
    let named = measured.filter { LoggedCall(name: parts[$0].facts.name).end.map(names.contains) ?? false }
    return named.isEmpty ? Array(measured) : named
  }

  /// The nearest in time; nil if another one was at the same time.
  private func nearest(_ others: [Int], to one: Int) -> Int? {
    let span = parts[one].span
    guard let first = others.min(by: { parts[$0].span.gapMs(to: span) < parts[$1].span.gapMs(to: span) })
    else { return nil }
    let isOnly = others.allSatisfy { $0 == first || parts[$0].span.gapMs(to: parts[first].span) > 0 }
    return isOnly ? first : nil
  }

  private func join(_ pair: Pair) {
    add(parts[pair.measured].facts, to: pair.logged)
    parts[pair.logged].span.add(parts[pair.measured].span)
    parts[pair.measured].mergedInto = pair.logged
  }

  private static let logs: Set<SourceFormat> = [.runLog, .getstatsLines, .getstatsJSON, .sdkText, .googText]
  private static let maxUnnamed = 64
}

extension PartRow {
  /// Whether one of the two replaced the other at one end of one call.
  fileprivate func isReplacement(of other: PartRow) -> Bool {
    let (one, another) = (LoggedCall(name: facts.name), LoggedCall(name: other.facts.name))
    return one.call == another.call && one.connection != another.connection
      && facts.endpoint == other.facts.endpoint && facts.call == other.facts.call
  }

  /// Whether events and statistics may belong together: at (nearly) the same time, and not with different names, ends
  /// or calls.
  fileprivate func mayBelongTogether(with other: PartRow, slackMs: Double = 0) -> Bool {
    guard span.gapMs(to: other.span) <= slackMs else { return false }
    func agree(_ one: String?, _ another: String?) -> Bool { one == nil || another == nil || one == another }
    return agree(LoggedCall(name: facts.name).end, LoggedCall(name: other.facts.name).end)
      && agree(facts.endpoint, other.facts.endpoint) && agree(facts.call, other.facts.call)
  }
}
