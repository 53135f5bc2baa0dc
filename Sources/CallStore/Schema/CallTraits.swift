/// What calls can have in common beside their scenario: columns of view `attributed_calls`, in which a comparison looks for a
/// change, and which lists filter by. One place, so that what explains a night can also be listed.
///
/// They are those of the end that was heard worst, or of the only one.
public enum CallTrait: String, CaseIterable, Sendable {
  case videoCodec = "video_codec"
  case audioCodec = "audio_codec"
  case candidateType = "candidate_type"
  case networkType = "network_type"
  case relayProtocol = "relay_protocol"
  case relay
  case farNetwork = "far_network"
  case userAgent = "user_agent"
  case os

  /// The end whose traits they are.
  private static let end = """
    (SELECT e.endpoint_key FROM endpoints AS e WHERE e.call_key = k.call_key AND e.endpoint = coalesce(k.score_endpoint,
      (SELECT CASE WHEN count(*) = 1 THEN min(o.endpoint) END FROM endpoints AS o WHERE o.call_key = k.call_key)))
    """

  /// SQL for the trait of the call `k`.
  var sql: String {
    switch self {
    case .videoCodec: Self.codec("video")
    case .audioCodec: Self.codec("audio")
    case .candidateType, .networkType, .relayProtocol, .userAgent, .os:
      "(SELECT n.\(rawValue) FROM endpoints AS n WHERE n.endpoint_key = \(Self.end))"
    // The port is another one in each call.
    case .relay:
      "(SELECT \(Self.host("p.local")) FROM \(Self.paths) AND p.local_type = 'relay' ORDER BY p.path_key DESC LIMIT 1)"
    // An IPv4 network of 256 addresses: a media server, a gateway, a site.
    case .farNetwork:
      """
      (SELECT CASE WHEN \(Self.host("p.remote")) GLOB '*.*.*.*' THEN rtrim(\(Self.host("p.remote")), '0123456789') || '0/24'
        ELSE \(Self.host("p.remote")) END
        FROM \(Self.paths) AND p.remote_type IS NOT 'relay' AND p.remote <> '' ORDER BY p.path_key DESC LIMIT 1)
      """
    }
  }

  private static let paths = """
    connections AS c JOIN paths AS p USING (connection_key) WHERE c.endpoint_key = \(end)
    """

  private static func codec(_ kind: String) -> String {
    """
    (SELECT s.codec FROM streams AS s WHERE s.endpoint_key = \(end) AND s.kind = '\(kind)' AND s.direction = 'inbound'
      AND s.chosen ORDER BY s.packets DESC LIMIT 1)
    """
  }

  /// An address without its port.
  private static func host(_ address: String) -> String { "rtrim(rtrim(\(address), '0123456789'), ':')" }

  /// The columns, as a view selects them.
  static var columns: String {
    allCases.map { "\($0.sql) AS \($0.rawValue)" }.joined(separator: ",\n           ")
  }
}
