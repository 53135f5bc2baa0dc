/// The first line of a report and what it is about.
public struct Headline: Sendable, Equatable {
  /// pass, fail, unsure or plain: how the line is coloured.
  public var tone: String
  /// The same as a sign, for those who see no colours.
  public var mark: String
  /// `BLOCK: 1 of 5 SDKs`.
  public var line: String
  /// Run, build, baseline, zone.
  public var facts: [(String, String)]

  public static func == (a: Headline, b: Headline) -> Bool {
    a.tone == b.tone && a.line == b.line && a.facts.map(\.0) == b.facts.map(\.0)
      && a.facts.map(\.1) == b.facts.map(\.1)
  }
}

/// Calls that a sentence is about, as the page shows them: the ids of some of them.
struct LinkedGroup {
  let words: String
  let count: Int
  let calls: [String]
  let command: String?
  let onset: Onset?
}
