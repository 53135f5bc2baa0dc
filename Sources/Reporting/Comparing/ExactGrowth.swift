import Glibc

/// Exact test of whether more calls have a property than before: Fisher's test (1935) within each stratum, combined
/// over all strata.
///
/// Given the number of calls that have it in both runs together, the number in the candidate is hypergeometric in each
/// stratum; the distribution of the sum is computed exactly. Small counts therefore need no normal approximation: six
/// now against none before can be significant.
struct ExactGrowth: Sendable {
  /// One-sided p-value: chance of at least this many calls if nothing changed.
  let chance: Double
  /// Smallest p-value that these counts could have given. A test that could never be significant does not count as one
  /// of several (Tarone).
  let least: Double
  /// Number of calls that have it now, in strata that both runs have, and the number expected if nothing had changed.
  let having: Int
  let due: Double

  /// Counts of one stratum: calls now and before, and how many of each have the property.
  struct Stratum {
    var now = 0
    var before = 0
    var having = 0
    var hadBefore = 0
  }

  /// Growth by less than half is not reported, however significant, because nights differ by more than sampling error.
  /// The table of findings uses the same limit for `more`.
  private static let minGrowth = 1.5

  /// Whether the growth is reported at this p-value limit.
  func isReported(at limit: Double) -> Bool { chance <= limit && Double(having) >= Self.minGrowth * due }

  /// Above this number of calls that have it, the normal approximation is used.
  private static let maxExact = 1500

  init(_ strata: [Stratum]) {
    let informative = strata.filter { $0.now > 0 && $0.before > 0 && $0.having + $0.hadBefore > 0 }
    having = informative.reduce(0) { $0 + $1.having }
    due = informative.reduce(0) { $0 + Double($1.hadBefore * $1.now) / Double($1.before) }
    let all = informative.reduce(0) { $0 + $1.having + $1.hadBefore }
    guard having > 0 else {
      (chance, least) = (1, 1)
      return
    }
    guard all <= Self.maxExact else {
      (chance, least) = (Self.normal(informative, having), 0)
      return
    }
    var sums = [1.0]
    for stratum in informative {
      let part = Self.parts(stratum)
      var next = [Double](repeating: 0, count: sums.count + part.count - 1)
      for (place, sum) in sums.enumerated() where sum > 0 {
        for (more, share) in part.enumerated() { next[place + more] += sum * share }
      }
      sums = next
    }
    chance = min(1, sums[having...].reduce(0, +))
    least = sums.last { $0 > 0 } ?? 1
  }

  /// Growth of a share, in scenarios that both runs have.
  init(_ now: [ComparedCall], _ before: [ComparedCall], _ figure: Figure) {
    self.init(
      PairedSamples(candidate: now, baseline: before, figure: figure).cells.map { cell in
        Stratum(
          now: cell.candidate.count, before: cell.baseline.count, having: cell.candidate.count { $0 == 1 },
          hadBefore: cell.baseline.count { $0 == 1 })
      })
  }

  /// Growth for `having` calls now when none had it before.
  init(_ now: Int, _ before: Int, in having: Int) {
    self.init([Stratum(now: now, before: before, having: having)])
  }

  /// Probabilities that 0, 1, 2 … of the stratum's calls that have it belong to the candidate.
  private static func parts(_ stratum: Stratum) -> [Double] {
    let all = stratum.having + stratum.hadBefore
    return (0...min(all, stratum.now)).map { count in
      guard all - count <= stratum.before else { return 0 }
      return exp(
        choose(stratum.now, count) + choose(stratum.before, all - count)
          - choose(stratum.now + stratum.before, all))
    }
  }

  /// Logarithm of a binomial coefficient.
  private static func choose(_ all: Int, _ some: Int) -> Double {
    lgamma(Double(all) + 1) - lgamma(Double(some) + 1) - lgamma(Double(all - some) + 1)
  }

  private static func normal(_ strata: [Stratum], _ having: Int) -> Double {
    var (mean, variance) = (0.0, 0.0)
    for stratum in strata {
      let (now, all) = (Double(stratum.now), Double(stratum.now + stratum.before))
      let marked = Double(stratum.having + stratum.hadBefore)
      mean += marked * now / all
      if all > 1 { variance += marked * now / all * (1 - now / all) * (all - marked) / (all - 1) }
    }
    guard variance > 0 else { return 1 }
    return erfc((Double(having) - 0.5 - mean) / (2 * variance).squareRoot()) / 2
  }

  /// Largest p-value that is significant when several tests are made, for a family-wise error rate of `error`: Tarone's
  /// correction (1990), which counts only tests that could have been significant.
  static func limit(_ questions: [ExactGrowth], error: Double) -> Double {
    var count = 1
    while questions.count(where: { $0.least <= error / Double(count) }) > count { count += 1 }
    return error / Double(count)
  }
}
