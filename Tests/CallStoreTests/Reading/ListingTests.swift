import CallModel
import Testing

@testable import CallStore
@testable import SQLite

@Suite("Lists")
struct ListingTests {
  let store: Store
  let call: Int64

  init() throws {
    store = try Store.inMemory()
    call = try store.grouped()
  }

  /// The members that other programs read; more may follow, none may go.
  private static let promised: [String: String] = [
    "streams": """
    call_id endpoint pc source chosen? direction kind ssrc mid codec clock_rate clock_rate_guessed? payload_type first_ms
    last_ms packets bytes expected lost duplicates reordered late restarts fec rtx probes capture_duplicates
    jitter_mean_ms jitter_max_ms max_delta_ms wireshark_packets wireshark_lost wireshark_jitter_mean_ms
    wireshark_jitter_max_ms rtt_ms bitrate_mean_bps concealed_samples silent_concealed_samples total_samples
    concealed_share freeze_count freeze_ms pause_count pause_ms frame_rate_mean width height nack pli fir local remote
    """,
    "score": """
    call_id endpoint source window_index start_ms end_ms state score audio_cq audio_lq video points_lost.loss
    points_lost.jitter points_lost.delay points_lost.freeze points_lost.framerate points_lost.resolution
    points_lost.bitrate inputs.loss_share inputs.concealed_share inputs.delay_ms inputs.rtt_ms inputs.freeze_share
    inputs.frame_rate inputs.height inputs.bitrate_bps client_score confidence changed? model
    """,
    "setup":
      "call_id endpoint attempt direction outcome setup_ms setup_wall_ms post_dial_delay_ms start_ms from_event phases[]",
    "events": "call_id endpoint t_ms until_ms event raw sdk args{} source line anomaly",
    "sessions": "kind outcome started_ms duration_ms code reason call_id",
    "findings": "call_id endpoint code severity start_ms end_ms evidence{} text",
    "calls": """
    call_id run labels{} scenario sdk sdk_version started_ms duration_ms outcome expected_outcome end_code end_reason
    score_endpoint score_mean score_p10 score_min mos mos_scale poor_share unscored_share points_lost.loss
    points_lost.jitter points_lost.delay points_lost.freeze points_lost.framerate points_lost.resolution
    points_lost.bitrate top_cause findings[] setup_ms ringing_ms excluded sources[]
    """,
    "sources":
      "path sha256 format status calls[] streams samples events packets rejected notes[] reason reason_code byte line",
    "rejects": "source line frame byte reason count excerpt",
    "runs": "run labels{} started_ms ended_ms expected_calls accepted_ms gate_result gate_reason",
  ]

  @Test("have the documented members in any scope", arguments: Listing.all.map(\.name))
  func promised(name: String) throws {
    let listing = try #require(Listing.all.first { $0.name == name })
    var scope = CallScope()
    scope.run = "r"
    scope.sinceMs = 0
    scope.untilMs = 1e15
    scope.sdk = "w3c"
    scope.outcome = .completed
    scope.sql = "score_mean < 50 -- not good"
    scope.worst = 3
    scope.limit = 10
    scope.changes = true
    scope.model = "m"
    scope.source = .stats
    for scope in [CallScope(), CallScope(call: call), scope] {
      let columns = try store.list(listing, scope).columns
      for member in Self.promised[name, default: "?"].split(whereSeparator: \.isWhitespace) {
        #expect(columns.contains(String(member)))
      }
    }
  }

  @Test(
    "say what the call was",
    arguments: ["streams", "setup", "events", "findings", "calls", "score", "sources"])
  func rows(name: String) throws {
    let listing = try #require(Listing.all.first { $0.name == name })
    #expect(try store.list(listing).rows.count == 1)
    #expect(try store.list(listing, CallScope(call: call)).rows.count == 1)
    #expect(try store.list(listing, CallScope(call: 99)).rows.isEmpty)
  }

  @Test("phases keep their order, and none differs from unknown")
  func phases() throws {
    let rows = try store.list(.setup).rows
    #expect(
      rows.first?.last
        == .text(
          #"[{"phase":"ice","state":"measured","start_ms":1795226145199.250,"duration_ms":12.000,"waited_ms":null,"from_event":null,"to_event":null,"cause":null},{"phase":"dtls","state":"unknown","start_ms":null,"duration_ms":null,"waited_ms":null,"from_event":null,"to_event":null,"cause":null}]"#
        ))
  }

  @Test("an invalid user condition is explained")
  func wrongCondition() throws {
    var scope = CallScope()
    scope.sql = "no_such_column = 1"
    let error = #expect(throws: StoreError.self) { try store.list(.calls, scope) }
    #expect(error?.description.contains("no such column: no_such_column") == true)
  }
}

@Suite("SQL queries")
struct QueryTests {
  let store: Store

  init() throws { store = try Store.inMemory() }

  @Test("parameters are bound by name, and one that is not given is NULL")
  func parameters() throws {
    let result = try store.query("SELECT :a AS a, :b IS NULL AS b, 1.5 AS c", ["a": .text("x")])
    #expect(result.columns == ["a", "b", "c"])
    #expect(result.rows == [[.text("x"), .integer(1), .real(1.5)]])
  }

  @Test(
    "what is not one question is refused",
    arguments: [
      "SELECT 1; SELECT 2", "DELETE FROM calls", "", "-- nothing", "SELEKT", "PRAGMA user_version = 9",
      "ATTACH 'x' AS y",
    ])
  func refused(sql: String) {
    let error = #expect(throws: StoreError.self) { try store.query(sql) }
    #expect(error?.kind == .sql)
  }

  @Test("a comment or semicolon after the query is allowed")
  func tail() throws {
    #expect(try store.query("SELECT 1; -- done\n").rows == [[.integer(1)]])
  }

  @Test("an unknown parameter is named in the error")
  func unknownParameter() {
    let error = #expect(throws: StoreError.self) { try store.query("SELECT :run", ["rum": .null]) }
    #expect(error?.remedy == "it has: run")
  }
}
