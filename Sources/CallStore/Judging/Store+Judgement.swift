import CallModel
import SQLite
import Timeline

/// Judgements replace earlier ones; judge a call inside `transaction`.
extension Store {
  /// Replaces all windows of an end, of any model and source, by those of each kind of source.
  ///
  /// - Parameter judging: the kind of source that judges this end.
  public func replaceWindows(
    _ windows: [(source: StreamSource, windows: some Sequence<Window>)], ofEndpoint endpoint: Int64,
    model: String, judging: StreamSource?
  ) throws {
    try transaction {
      try connection.run("DELETE FROM windows WHERE endpoint_key = ?", endpoint)
      for (source, windows) in windows {
        try insert(windows, ofEndpoint: endpoint, source: source, model: model, chosen: source == judging)
      }
    }
  }

  /// Replaces the setup attempts of an end, with their phases.
  public func replaceSetupAttempts(_ attempts: [SetupAttempt], ofEndpoint endpoint: Int64) throws {
    try transaction {
      try replace(.setups(attempts), ofEndpoint: endpoint)
      try insert(.phases(attempts), [("endpoint_key", endpoint.cell)])
    }
  }

  /// Replaces the rows of an end in one table.
  public func replace(_ judged: JudgedRows, ofEndpoint endpoint: Int64) throws {
    try transaction {
      try connection.run("DELETE FROM \(judged.table) WHERE endpoint_key = ?", endpoint)
      try insert(judged, [("endpoint_key", endpoint.cell)])
    }
  }

  /// What became of the media at an end, sound before picture, in order of time.
  ///
  /// - Parameter ofFarEnd: at the other end instead, which has no record.
  public func fates(ofEndpoint endpoint: Int64, ofFarEnd: Bool = false) throws -> [(
    medium: MediaKind, fate: Fate
  )] {
    try exclusive {
      try connection.rows(
        """
        SELECT medium, start_ms, end_ms, proof, rule, witnesses, place
        FROM fates WHERE endpoint_key = ? AND far_end = ? ORDER BY medium, start_ms
        """, endpoint, ofFarEnd ? 1 : 0
      ) { row -> (medium: MediaKind, fate: Fate)? in
        guard let medium = MediaKind(rawValue: row.text(0)), let start = row.optionalDouble(1),
          let end = row.optionalDouble(2), let rule = FateRule(rawValue: row.text(4))
        else { return nil }
        let proof = row.optionalText(3).flatMap(MediaSpan.Proof.init) ?? .none
        var fate = Fate(rule, from: start, to: end, proof: proof, witnesses: Fate.witnesses(in: row.text(5)))
        fate.place = row.optionalText(6).flatMap(Place.init)
        return (medium, fate)
      }.compactMap { $0 }
    }
  }

  /// Replaces the findings of an end, or with nil those of the whole call.
  public func replaceFindings(_ findings: [Finding], ofCall call: Int64, endpoint: Int64?) throws {
    try transaction {
      try connection.run("DELETE FROM findings WHERE call_key = ? AND endpoint_key IS ?", call, endpoint)
      try insert(.findings(findings), [("call_key", call.cell), ("endpoint_key", endpoint.cell)])
    }
  }

  /// Stores the judgement of a call, which is then no longer stale.
  public func updateCall(_ call: Int64, _ summary: CallSummary) throws {
    let cells = summary.cells.map(\.cell) + [call.cell]
    try exclusive {
      let statement = try connection.cached(Self.updateCall)
      for (index, cell) in cells.enumerated() { statement.bind(Int32(index + 1), cell) }
      try statement.run()
      try noteClock(ofCall: call, startedMs: summary.startedMs)
      try takeLabels(ofCall: call)
    }
  }

  /// Sets which streams of an end judge it, with the score of each alone, 0–100; the others do not.
  ///
  /// - Parameter were: the streams that did so far.
  public func setChosen(_ streams: [StoredStream], scores: [Int64: Double] = [:], were: [StoredStream]) throws
  {
    try transaction {
      let chosen = Set(streams.map(\.key))
      for stream in were where !chosen.contains(stream.key) {
        try connection.run("UPDATE streams SET chosen = 0, score = NULL WHERE stream_key = ?", stream.key)
      }
      for key in chosen.sorted() {
        try connection.run(
          "UPDATE streams SET chosen = 1, score = ? WHERE stream_key = ? AND (NOT chosen OR score IS NOT ?1)",
          scores[key], key)
      }
    }
  }

  /// What was wrong with the media that arrived at an end, in order of time.
  public func impairments(ofEndpoint endpoint: Int64) throws -> [Impairment] {
    try exclusive {
      try connection.rows(
        """
        SELECT what, medium, start_ms, end_ms, figure, points, share, place
        FROM impairments WHERE endpoint_key = ? ORDER BY start_ms, impairment_key
        """, endpoint
      ) { row -> Impairment? in
        guard let cause = Cause(rawValue: row.text(0)), let medium = MediaKind(rawValue: row.text(1)),
          let start = row.optionalDouble(2), let end = row.optionalDouble(3)
        else { return nil }
        var one = Impairment(
          cause, of: medium, from: start, to: end, figure: row.optionalDouble(4),
          points: row.optionalDouble(5) ?? 0, share: row.optionalDouble(6) ?? 0)
        one.place = row.optionalText(7).flatMap(Place.init)
        return one
      }.compactMap { $0 }
    }
  }

  /// Sets the verdict on an end, nil if it was not judged, and the codecs that it received, by the streams that judge it.
  public func setVerdict(_ verdict: Verdict?, by chosen: [StoredStream], ofEndpoint endpoint: Int64) throws {
    let set =
      JudgedRows.verdict(verdict).rows.joined() + [
        ("audio_codec", Self.codec(.audio, of: chosen).cell),
        ("video_codec", Self.codec(.video, of: chosen).cell),
      ]
    try exclusive {
      let statement = try connection.cached(
        named: "set the verdict on an end",
        {
          "UPDATE endpoints SET \(set.map { "\($0.column) = ?" }.joined(separator: ", ")) WHERE endpoint_key = ?"
        })
      try statement.run { row in
        for value in set { row.add(value.cell) }
        row.add(endpoint)
      }
    }
  }

  /// The codec of most packets received. It is stored in the end's row for lists and comparisons.
  private static func codec(_ kind: MediaKind, of chosen: [StoredStream]) -> String? {
    func packets(_ stream: StoredStream) -> Int { stream.totals.packets ?? -1 }
    return chosen.filter { $0.facts.kind == kind && $0.facts.direction == .inbound }.min {
      (-packets($0), $0.facts.codec ?? "") < (-packets($1), $1.facts.codec ?? "")
    }?.facts.codec
  }

  /// Marks sources of a call whose clock differs from that of the others, with its offset, ms (positive if ahead).
  ///
  /// A source that covers several calls keeps the greatest offset found in any of them.
  public func setSkews(_ skewsMs: [Int64: Double], ofCall call: Int64) throws {
    try transaction {
      try connection.run(
        """
        UPDATE sources SET skew_ms = NULL
        WHERE source_id IN (SELECT source_id FROM source_views WHERE call_key = ?1) AND skew_ms IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM source_views AS c WHERE c.source_id = sources.source_id AND c.call_key <> ?1)
        """, call)
      for (source, ms) in skewsMs.sorted(by: { $0.key < $1.key }) {
        try connection.run(
          "UPDATE sources SET skew_ms = ?1 WHERE source_id = ?2 AND abs(coalesce(skew_ms, 0)) < abs(?1)", ms,
          source)
      }
    }
  }

  private static let lost = Cause.allCases.map { "lost_\($0.rawValue)" }

  private static let windowColumns =
    [
      "endpoint_key", "model", "source", "window_index", "start_ms", "end_ms", "state", "score", "audio_cq",
      "audio_lq", "video",
    ] + lost + [
      "loss_share", "concealed_share", "delay_ms", "rtt_ms", "freeze_share", "frame_rate", "height",
      "bitrate_bps", "mouth_to_ear_ms", "glass_to_glass_ms", "audio_minus_video_ms", "delay_source",
      "frame_quality", "client_score", "confidence", "changed", "chosen",
    ]

  /// Windows per statement.
  private static let windowsTogether = 8

  private func insert(
    _ windows: some Sequence<Window>, ofEndpoint endpoint: Int64, source: StreamSource, model: String,
    chosen: Bool
  ) throws {
    func add(_ window: Window, to row: inout Bindings) {
      row.add(endpoint)
      row.add(model)
      row.add(source.rawValue)
      row.add(window.index)
      row.add(window.startMs)
      row.add(window.endMs)
      row.add(window.state.rawValue)
      row.add(window.score)
      row.add(window.audioCQ)
      row.add(window.audioLQ)
      row.add(window.video)
      for cause in Cause.inOrder { row.add(window.pointsLost?[cause]) }
      row.add(window.inputs.lossShare)
      row.add(window.inputs.concealedShare)
      row.add(window.inputs.delayMs)
      row.add(window.inputs.rttMs)
      row.add(window.inputs.freezeShare)
      row.add(window.inputs.frameRate)
      row.add(window.inputs.height)
      row.add(window.inputs.bitrateBps)
      row.add(window.inputs.mouthToEarMs)
      row.add(window.inputs.glassToGlassMs)
      row.add(window.inputs.audioMinusVideoMs)
      row.add(window.inputs.delaySource?.rawValue)
      row.add(window.inputs.frameQuality)
      row.add(window.clientScore)
      row.add(window.confidence)
      row.add(window.changed)
      row.add(chosen)
    }
    var few: [Window] = []
    for window in windows {
      few.append(window)
      guard few.count == Self.windowsTogether else { continue }
      try insertion(ofWindows: few.count).run { row in for window in few { add(window, to: &row) } }
      few.removeAll(keepingCapacity: true)
    }
    for window in few { try insertion(ofWindows: 1).run { add(window, to: &$0) } }
  }

  private func insertion(ofWindows count: Int) throws -> Statement {
    try connection.cached(named: "insert \(count) windows") {
      let marks = "(\(Self.windowColumns.map { _ in "?" }.joined(separator: ", ")))"
      return
        "INSERT INTO windows (\(Self.windowColumns.joined(separator: ", "))) VALUES \(Array(repeating: marks, count: count).joined(separator: ", "))"
    }
  }

  /// Inserts the rows, each with the cells that say whose they are.
  private func insert(_ judged: JudgedRows, _ owner: [JudgedCell]) throws {
    for cells in judged.rows {
      let statement = try connection.cached(
        named: "insert into " + judged.table,
        {
          let columns = (owner + cells).map(\.column)
          return
            "INSERT INTO \(judged.table) (\(columns.joined(separator: ", "))) VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))"
        })
      try statement.run { row in
        for value in owner { row.add(value.cell) }
        for value in cells { row.add(value.cell) }
      }
    }
  }

  private static let updateCall =
    "UPDATE calls SET \(CallSummary.columns.map { "\($0) = ?" }.joined(separator: ", ")), stale = 0 WHERE call_key = ?"
}
