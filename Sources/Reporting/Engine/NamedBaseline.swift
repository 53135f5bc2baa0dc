/// What a user may name as a baseline.
public enum NamedBaseline: Sendable {
  /// One run, or all calls of some time, for every SDK.
  case slice(Slice)
  /// `last-accepted`: the run that each SDK was last accepted in.
  case accepted

  /// The word that means the runs accepted last.
  public static let acceptedWord = "last-accepted"
}

/// Nobody accepted a run yet, and one was asked for.
public struct NothingAccepted: Error, Sendable {}
