/// Traits that calls may have in common beside their scenario: columns of view `attributed_calls`, in which comparisons
/// look for a change, and by which lists filter. Defined once, so that whatever explains a night can also be listed.
///
/// They are traits of the end with the worst reception, or of the only end, and are stored in its row of `endpoints`;
/// the address that its media came from is that of its stream.
public enum CallTrait: String, CaseIterable, Sendable {
  case videoCodec = "video_codec"
  case audioCodec = "audio_codec"
  case candidateType = "candidate_type"
  case networkType = "network_type"
  case relayProtocol = "relay_protocol"
  case relay
  case farNetwork = "far_network"
  case farHost = "far_host"
  case userAgent = "user_agent"
  case os

  /// The end of the call `k` that the traits are of.
  private static let end = """
    coalesce(k.score_endpoint, (SELECT CASE WHEN count(*) = 1 THEN min(o.endpoint) END FROM endpoints AS o WHERE o.call_key = k.call_key))
    """

  /// Its value for an end `e`.
  public var expression: String {
    self != .farHost
      ? "e.\(rawValue)"
      : "(SELECT rtrim(rtrim(s.remote, '0123456789'), ':') FROM streams AS s WHERE s.endpoint_key = e.endpoint_key AND s.chosen AND s.direction = 'inbound' AND s.remote LIKE '%:%' LIMIT 1)"
  }

  /// The columns, for a view of calls `k`.
  static var columns: String {
    allCases.map { trait in
      """
      (SELECT \(trait.expression) FROM endpoints AS e WHERE e.call_key = k.call_key AND e.endpoint = \(end)) AS \(trait.rawValue)
      """
    }.joined(separator: ",\n           ")
  }
}

/// Names of traits, attributes and labels: `video codec`, `video_codec`, `trunk`, `label trunk`, in any case.
public enum TraitName {
  /// The prefix of a label in comparisons.
  public static let labelPrefix = "label "
  /// Columns of `attributed_calls` with traits.
  public static let columns = CallTrait.allCases.map(\.rawValue) + ["sdk", "scenario", "sdk_version"]

  /// The column of a trait; nil for the name of an attribute or label.
  public static func column(_ name: String) -> String? {
    let column = plain(name)
    return columns.contains(column) ? column : nil
  }

  /// The name of an attribute or label without prefix.
  public static func withoutPrefix(_ name: String) -> String {
    name.hasPrefix(labelPrefix) ? String(name.dropFirst(labelPrefix.count)) : name
  }

  /// Whether two names refer to the same attribute or label.
  public static func isSame(_ a: String, _ b: String) -> Bool { plain(a) == plain(b) }

  private static func plain(_ name: String) -> String { name.lowercased().replacing(" ", with: "_") }
}
