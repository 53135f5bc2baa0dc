import CallModel

/// What table `endpoints` says of an end's way and system, worked out from the rows of its connections: for all ends at once, as
/// the step that brings older databases along needs it. `EndpointRefresh` does the same for one end, and a test holds them together.
///
/// It stands in the end's own row so that it can be asked for in one query, and outlives the samples of the path.
enum EndpointTraits {
  /// Assignments of an UPDATE of `endpoints`; the three are expressions for what they name.
  static func assignments(key: String, userAgent: String, system: String) -> String {
    """
    os = coalesce(\(system), \(os(userAgent))),
    network_type = \(lastPath("network_type", key: key)),
    candidate_type = \(lastPath("local_type", key: key)),
    relay_protocol = \(lastPath("relay_protocol", where: "local_type", key: key))
    """
  }

  /// The system that a user agent names, as `OperatingSystem` does.
  private static func os(_ userAgent: String) -> String {
    let cases = OperatingSystem.signs.map { "WHEN instr(\(userAgent), '\($0.sign)') THEN '\($0.name)'" }
    return "CASE \(cases.joined(separator: " ")) END"
  }

  /// A column of the path that was in use last, of those that know one. Where samples were pruned, the source that was
  /// heard last counts, and in it the path that was new last.
  private static func lastPath(_ column: String, where known: String? = nil, key: String) -> String {
    """
    (SELECT p.\(column) FROM connections AS c JOIN paths AS p USING (connection_key)
     WHERE c.endpoint_key = \(key) AND p.\(known ?? column) IS NOT NULL
     ORDER BY (SELECT max(t_ms) FROM path_samples AS s WHERE s.path_key = p.path_key) DESC, c.last_ms DESC, p.path_key DESC
     LIMIT 1)
    """
  }
}
