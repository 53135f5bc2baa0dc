/// The first line of a report, and the facts below it.
public struct Headline: Sendable, Equatable {
  /// pass, fail, unsure or plain: selects the colour.
  public var tone: String
  /// The tone as a symbol, for readers who cannot rely on colour.
  public var mark: String
  /// The text, e.g. `BLOCK: 1 of 5 SDKs`.
  public var line: String
  /// Run, build, baseline, time zone.
  public var facts: [(String, String)]

  public static func == (a: Headline, b: Headline) -> Bool {
    a.tone == b.tone && a.line == b.line && a.facts.map(\.0) == b.facts.map(\.0)
      && a.facts.map(\.1) == b.facts.map(\.1)
  }
}

/// A group of calls as the page shows it, with the ids of some of them.
struct LinkedGroup {
  let words: String
  let count: Int
  let calls: [String]
  let command: String?
  let changePoint: ChangePoint?
}
