/// Two runs cannot be held against each other: different rules said what their calls were like.
public struct OtherRules: Error, Sendable, CustomStringConvertible {
  /// Which, and what to do about it.
  public let description: String
}

/// Rules of the verdict change from version to version: the same call may be silent by one and fair by another.
extension Comparison {
  /// Which versions the runs were judged by, and what to do about it, where those differ; nil where they are the same, or nothing
  /// is known of one.
  public var otherRules: String? {
    guard let before = baseline?.verdictVersions, !before.isEmpty, !candidate.verdictVersions.isEmpty,
      before != candidate.verdictVersions
    else { return nil }
    let isPruned = before.union(candidate.verdictVersions).contains(0)
    return
      "the verdicts of \(candidate.run) are by \(Self.words(candidate.verdictVersions)), those of "
      + "\(baseline?.names.nonEmpty ?? "the baseline") by \(Self.words(before)): "
      + (isPruned
        ? "samples of calls that came before there were verdicts are pruned, so that these cannot be judged again; compare with a later run"
        : "import the files of the older run again with this callqa, which judges its calls by its own rules")
  }

  private static func words(_ versions: Set<Int>) -> String {
    (versions.count == 1 ? "version " : "versions ")
      + versions.sorted().map(String.init).joined(separator: " and ")
      + " of the rules"
  }
}

extension String {
  /// Nil where there is nothing in it.
  fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
