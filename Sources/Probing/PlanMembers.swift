/// The members that a plan may have, by place. A member that means nothing is refused: `losss` would place a clean call.
enum PlanMembers {
  private static let expectation: Set<String> = ["outcome", "min_score", "max_setup_ms"]
  private static let directions: Set<String> = ["both", "to_caller", "from_caller"]
  private static let impairment: Set<String> = [
    "loss", "burst_loss", "burst_packets", "delay_ms", "jitter_ms", "reorder", "rate_kbps", "queue_ms",
    "blackhole",
  ]

  /// What may stand in the object or the objects under a name.
  private static let members: [String: Set<String>] = [
    "": ["run", "repetitions", "seed", "scenarios", "impairments"],
    "scenarios": ["name", "seconds", "video", "pages", "expect", "microphone", "camera", "turn"],
    "pages": ["name", "url", "start", "hang_up", "browser"],
    "impairments": directions.union(["name", "changes", "expect"]),
    "changes": directions.union(["at_s"]),
    "expect": expectation, "both": impairment, "to_caller": impairment, "from_caller": impairment,
  ]

  /// The first member that means nothing, in words; nil if all are known. Names that do not begin with a letter are
  /// comments.
  static func problem(in value: JSONValue, named name: String = "", at place: String = "") -> String? {
    switch value {
    case .array(let elements):
      return elements.enumerated().lazy.compactMap {
        problem(in: $1, named: name, at: "\(place)[\($0)]")
      }.first
    case .object(let own):
      guard let known = members[name] else { return nil }
      for (member, value) in own.sorted(by: { $0.key < $1.key }) where member.first?.isLetter == true {
        guard known.contains(member) else {
          return "`\(member)`\(place.isEmpty ? "" : " at \(place.dropFirst())") means nothing here: "
            + suggestion(for: member, among: known)
        }
        if let problem = problem(in: value, named: member, at: "\(place).\(member)") { return problem }
      }
      return nil
    default: return nil
    }
  }

  /// The nearest word, or all of them.
  static func suggestion(for word: String, among known: some Collection<String>) -> String {
    let near = known.sorted().map { (word: $0, steps: steps(from: word, to: $0)) }.min { $0.steps < $1.steps }
    if let near, near.steps <= max(2, word.count / 3) { return "did you mean `\(near.word)`?" }
    return "there are \(known.sorted().joined(separator: ", "))"
  }

  /// How many letters are to be put in, left out or replaced (Levenshtein).
  private static func steps(from word: String, to other: String) -> Int {
    let (a, b) = (Array(word.utf8.prefix(64)), Array(other.utf8.prefix(64)))
    var row = Array(0...b.count)
    for (i, letter) in a.enumerated() {
      var before = row[0]
      row[0] = i + 1
      for (j, own) in b.enumerated() {
        let replaced = before + (letter == own ? 0 : 1)
        before = row[j + 1]
        row[j + 1] = min(replaced, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[b.count]
  }
}

/// A word of a plan out of a few; another one is refused with the nearest of them.
protocol PlanWord: RawRepresentable<String>, CaseIterable, Decodable {
  static var noun: String { get }
}

extension PlanWord {
  public init(from decoder: any Decoder) throws {
    let word = try decoder.singleValueContainer().decode(String.self)
    guard let known = Self(rawValue: word) else {
      let words = Self.allCases.map(\.rawValue)
      throw ProbeError(
        "not a plan: `\(word)` is no \(Self.noun): \(PlanMembers.suggestion(for: word, among: words))")
    }
    self = known
  }
}
