import CallModel
import Testing

@testable import CallStore
@testable import SQLite

@Suite("Who took part, and who hears whom, as views")
struct EndViewsTests {
  let folder: TemporaryFolder
  let store: Store

  init() throws {
    folder = try TemporaryFolder()
    store = try Store(path: folder.file("calls.sqlite"), access: .write)
  }

  /// A room of `ends`, the last of them not on record; each sends sound and, with `video`, a picture. `forwarded`: whose
  /// sound which end hears, under which SSRC and track.
  private func room(
    _ ends: [String], recorded: Int, hears: [(to: Int, from: Int?, ssrc: Int64, track: String?)]
  ) throws {
    let connection = store.connection
    try connection.run(
      "INSERT INTO calls (call_key, call_id, verdict_judged, verdict_end, verdict_medium, verdict_cause) VALUES (1, 'c', 'silent', ?, 'audio', 'lost-on-path')",
      ends[0])
    try connection.run(
      "INSERT INTO sources (source_id, path, status, imported_ms) VALUES (1, 'a', 'imported', 0)")
    for (index, end) in ends.enumerated() {
      let key = Int64(index + 1)
      try connection.run(
        "INSERT INTO endpoints (endpoint_key, call_key, endpoint) VALUES (?, 1, ?)", key, end)
      guard index < recorded else { continue }
      try connection.run(
        "INSERT INTO source_views (connection_key, source_id, call_key, endpoint_key, name, endpoint, first_ms, last_ms) VALUES (?, 1, 1, ?, 'send', ?, 10, 20)",
        key, key, end)
      try connection.run(
        "INSERT INTO source_views (connection_key, source_id, call_key, endpoint_key, name, endpoint, first_ms, last_ms) VALUES (?, 1, 1, ?, 'send', ?, 5, 15)",
        key + 100, key, end)
      try connection.run(
        "INSERT INTO streams (connection_key, endpoint_key, source, chosen, direction, kind, ssrc, track_identifier) VALUES (?, ?, 'stats', 1, 'outbound', 'audio', ?, ?)",
        key, key, key * 10, "track-\(end)")
    }
    for (to, _, ssrc, track) in hears {
      try connection.run(
        "INSERT INTO streams (connection_key, endpoint_key, source, chosen, direction, kind, ssrc, track_identifier) VALUES (?, ?, 'stats', 1, 'inbound', 'audio', ?, ?)",
        Int64(to + 1), Int64(to + 1), ssrc, track)
    }
  }

  private func rows(_ sql: String) throws -> [[String?]] {
    try store.query(sql).rows.map {
      $0.map { cell in
        cell.isNull ? nil : cell.string ?? cell.integer.map(String.init) ?? cell.number.map { "\($0)" }
      }
    }
  }

  @Test("an SSRC that another end sends tells whose a stream is, then a track; else nobody knows")
  func whose() throws {
    try room(
      ["ada", "ben", "cleo"], recorded: 3,
      hears: [(0, 1, 20, nil), (0, 2, 77, "track-cleo"), (1, nil, 78, "janus0"), (2, 0, 10, "track-ben")])
    #expect(
      try rows("SELECT from_end, to_end, medium, stream FROM hears ORDER BY stream") == [
        ["ada", "cleo", "audio", "10"], ["ben", "ada", "audio", "20"], ["cleo", "ada", "audio", "77"],
        [nil, "ben", "audio", "78"],
      ])
  }

  @Test(
    "of two ends one hears the other, and the only stream has the end's verdict and the score of the windows"
  )
  func two() throws {
    try room(["ada", "caller"], recorded: 1, hears: [(0, 1, 99, nil)])
    try store.connection.run(
      "INSERT INTO windows (endpoint_key, model, source, window_index, start_ms, end_ms, state, score, audio_cq) VALUES (1, 'm', 'stats', 0, 0, 5000, 'active', 80, 70.5)"
    )
    try store.connection.run(
      "UPDATE endpoints SET verdict = 'silent', verdict_medium = 'audio', verdict_cause = 'lost-on-path' WHERE endpoint = 'ada'"
    )
    #expect(
      try rows("SELECT from_end, to_end, verdict, score FROM hears") == [["caller", "ada", "silent", "70.5"]])
    #expect(
      try rows(
        "SELECT \"end\", name, verdict, verdict_medium, verdict_cause, score_mean, on_record FROM ends") == [
          ["ada", "ada", "silent", "audio", "lost-on-path", "80", "1"],
          ["caller", nil, nil, nil, nil, nil, "0"],
        ])
  }

  @Test("what judges a stream by itself goes first, repairs and second sources are not heard")
  func streams() throws {
    try room(
      ["ada", "ben"], recorded: 2,
      hears: [(0, 1, 20, nil), (0, 1, 21, nil), (0, 1, 22, nil), (0, 1, 23, nil)])
    let connection = store.connection
    try connection.run(
      "UPDATE endpoints SET verdict = 'poor', verdict_medium = 'audio' WHERE endpoint = 'ada'")
    try connection.run(
      "UPDATE streams SET score = 40, rtx_ssrc = 21 WHERE ssrc = 20 AND direction = 'inbound'")
    try connection.run("UPDATE streams SET codec = 'flexfec-03' WHERE ssrc = 22")
    try connection.run("UPDATE streams SET chosen = 0 WHERE ssrc = 23")
    #expect(try rows("SELECT stream, verdict, score FROM hears") == [["20", "poor", "40"]])
    let listed = try store.list(.streams)
    let place = try #require(listed.columns.firstIndex(of: "role"))
    #expect(listed.rows.compactMap { $0[place].string } == ["rtx", "fec"])
  }

  @Test("a connection is one row, whatever its sources say of it")
  func connections() throws {
    try room(["ada", "ben", "cleo"], recorded: 2, hears: [])
    #expect(
      try rows("SELECT \"end\", connection, sources, first_ms, last_ms FROM connections ORDER BY 1") == [
        ["ada", "send", #"["a"]"#, "5", "20"], ["ben", "send", #"["a"]"#, "5", "20"],
      ])
    let calls = try store.list(.calls)
    #expect(calls.columns.suffix(2) == ["ends", "ends_on_record"])
    #expect(calls.rows.first?.suffix(2) == [.integer(3), .integer(2)])
  }
}
