/// What calls can have in common beside their scenario: columns of view `attributed_calls`, in which a comparison looks for a
/// change, and which lists filter by. One place, so that what explains a night can also be listed.
///
/// They are those of the end that was heard worst, or of the only one, and stand in its row of `endpoints`.
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

  /// The end of the call `k` whose traits they are.
  private static let end = """
    coalesce(k.score_endpoint, (SELECT CASE WHEN count(*) = 1 THEN min(o.endpoint) END FROM endpoints AS o WHERE o.call_key = k.call_key))
    """

  /// The columns, as a view of calls `k` selects them.
  static var columns: String {
    allCases.map { trait in
      """
      (SELECT e.\(trait.rawValue) FROM endpoints AS e WHERE e.call_key = k.call_key AND e.endpoint = \(end)) AS \(trait.rawValue)
      """
    }.joined(separator: ",\n           ")
  }
}

/// How traits, attributes and labels are named: `video codec`, `video_codec`, `trunk`, `label trunk`, in any case of letters.
public enum TraitName {
  /// What a comparison puts in front of a label.
  public static let labelPrefix = "label "
  /// Columns of `attributed_calls` that hold traits.
  public static let columns = CallTrait.allCases.map(\.rawValue) + ["sdk", "scenario", "sdk_version"]

  /// The column of a trait; nil where the name is an attribute's or a label's.
  public static func column(_ name: String) -> String? {
    let column = plain(name)
    return columns.contains(column) ? column : nil
  }

  /// An attribute's or label's own name.
  public static func withoutPrefix(_ name: String) -> String {
    name.hasPrefix(labelPrefix) ? String(name.dropFirst(labelPrefix.count)) : name
  }

  /// Whether two names are of the same attribute or label.
  public static func isSame(_ a: String, _ b: String) -> Bool { plain(a) == plain(b) }

  private static func plain(_ name: String) -> String { name.lowercased().replacing(" ", with: "_") }
}
