import CallModel

/// Whether the totals of streams follow from their samples.
extension Store {
  static let totalsRule = "a stream's totals are what its counters came to"

  /// The first total that does not follow, and how many there are; nil where all do.
  ///
  /// Most totals are the last counter. Where they are not, the counter may have begun anew: only then are the samples gone through.
  func totalsProblem() throws -> Problem? {
    let columns: [(name: String, metric: Metric)] = [
      ("packets", .packets), ("bytes", .bytes), ("lost", .lost), ("concealed_samples", .concealedSamples),
      ("freeze_count", .freezeCount),
    ]
    var totals: [Int64: StreamTally] = [:]
    var count = 0
    var example = ""
    for (name, metric) in columns {
      let odd = try connection.rows(
        """
        SELECT stream_key, total, last FROM (
          SELECT s.stream_key, s.\(name) AS total, (SELECT p.\(name) FROM samples AS p
            WHERE p.stream_key = s.stream_key AND p.\(name) IS NOT NULL ORDER BY p.t_ms DESC LIMIT 1) AS last
          FROM streams AS s JOIN connections AS c USING (connection_key) JOIN sources AS o USING (source_id)
          WHERE s.source = 'stats' AND o.pruned_ms IS NULL)
        WHERE total IS NOT last
        """
      ) { row in (stream: row.int64(0), total: row.optionalDouble(1), last: row.optionalDouble(2)) }
      for (stream, total, last) in odd {
        let tally = try totals[stream] ?? tally(ofStream: stream)
        if totals.count < 1000 { totals[stream] = tally }
        guard tally.total(metric) != total else { continue }
        count += 1
        if example.isEmpty {
          func text(_ value: Double?) -> String {
            value.map { Int64(exactly: $0).map(String.init) ?? "\($0)" } ?? "unknown"
          }
          example = "stream \(stream): \(name) \(text(total)), last sample \(text(last))"
        }
      }
    }
    return count == 0 ? nil : Problem(rule: Self.totalsRule, count: count, example: example)
  }

  private func tally(ofStream stream: Int64) throws -> StreamTally {
    let cursor = try samples(ofStream: stream)
    var tally = StreamTally()
    var sample = Sample(timeMs: 0)
    while try cursor.next(into: &sample) { tally.add(sample) }
    return tally
  }
}
