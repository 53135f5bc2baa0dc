import CallModel

/// Writes into an end's row what its connections say of it. As one statement, with a query for each column, it took ten times as
/// long.
struct EndpointRefresh {
  let connection: Connection

  /// What the sources say of an end, in the order of their digests so that it does not depend on who came first; of its way, what
  /// `EndpointTraits` says.
  func refresh(_ endpoint: Int64, direction: CallDirection) throws {
    let said = try connection.rows(
      """
      SELECT c.person, c.user_agent, c.sdk, c.sdk_version, c.system FROM connections AS c JOIN sources AS s USING (source_id)
      WHERE c.endpoint_key = ? ORDER BY s.sha256, c.connection_key
      """, endpoint
    ) { row in (0..<5).map { row.optionalText($0) } }
    func first(_ column: Int) -> String? { said.lazy.compactMap { $0[column] }.first }
    let userAgent = first(1)
    let ways = try connection.rows(
      """
      SELECT p.network_type, p.local_type, p.relay_protocol FROM connections AS c JOIN paths AS p USING (connection_key)
      WHERE c.endpoint_key = ?
      ORDER BY (SELECT max(t_ms) FROM path_samples AS s WHERE s.path_key = p.path_key) DESC, c.last_ms DESC, p.path_key DESC
      """, endpoint
    ) { row in (network: row.optionalText(0), local: row.optionalText(1), relay: row.optionalText(2)) }
    try connection.run(
      """
      UPDATE endpoints SET direction = ?2, person = ?3, user_agent = ?4, sdk = ?5, sdk_version = ?6, os = ?7, network_type = ?8,
        candidate_type = ?9, relay_protocol = ?10
      WHERE endpoint_key = ?1
      """, endpoint, direction == .unknown ? nil : direction.rawValue, first(0), userAgent, first(2),
      first(3),
      first(4) ?? userAgent.flatMap(OperatingSystem.named), ways.lazy.compactMap(\.network).first,
      ways.lazy.compactMap(\.local).first, ways.first { $0.local != nil }?.relay)
  }
}
