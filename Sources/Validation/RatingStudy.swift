import CallModel

/// Scores of calls compared with the ratings of their participants, 1 to 5.
public struct RatingStudy: Sendable {
  /// A call's mean score and its rating.
  public let pairs: [(score: Double, rating: Double)]

  /// From calls with both.
  public init(_ pairs: [(score: Double, rating: Double)]) {
    self.pairs = pairs.filter { $0.score.isFinite && (1...5).contains($0.rating) }
  }

  /// How often a call rated 1 or 2 has a lower score than one rated 4 or 5: 0.5 is chance, 1 is perfect (the area under
  /// the ROC curve). Nil if either group is empty.
  public var area: Double? {
    let bad = pairs.filter { $0.rating <= 2 }.map(\.score).sorted()
    let good = pairs.filter { $0.rating >= 4 }.map(\.score).sorted()
    guard !bad.isEmpty, !good.isEmpty else { return nil }
    var wins = 0.0
    var (below, same) = (0, 0)
    for score in good {
      while below < bad.count, bad[below] < score { below += 1 }
      same = below
      while same < bad.count, bad[same] == score { same += 1 }
      wins += Double(below) + Double(same - below) / 2
    }
    return wins / Double(bad.count * good.count)
  }

  /// The report as text.
  public func lines() -> [String] {
    guard let agreement = Agreement(pairs.map { (figure: $0.score, truth: $0.rating) }) else {
      return [
        "\(Plural.of(pairs.count, "call has", "calls have")) a score and a rating from 1 to 5: too few to say anything."
      ]
    }
    let (bad, good) = (pairs.count { $0.rating <= 2 }, pairs.count { $0.rating >= 4 })
    var lines = [
      "\(Plural.of(pairs.count, "call")) with a score and a rating from 1 to 5",
      "  order of scores and ratings: rho \(number(agreement.rho))",
    ]
    if let area {
      lines.append(
        "  a call rated 1 or 2 (\(bad)) scores below one rated 4 or 5 (\(good)): \(number(area, 2)) of the time (AUC; 0.5 is chance)"
      )
    }
    for (low, high, name) in [
      (0.0, 60.0, "poor, below 60"), (60, 80, "60 to 79"), (80, 100.1, "80 and more"),
    ] {
      let own = pairs.filter { $0.score >= low && $0.score < high }.map(\.rating)
      guard !own.isEmpty else { continue }
      lines.append(
        "  \(name): \(Plural.of(own.count, "call")), rated \(number(own.reduce(0, +) / Double(own.count), 1)) on average"
      )
    }
    return lines
  }
}
