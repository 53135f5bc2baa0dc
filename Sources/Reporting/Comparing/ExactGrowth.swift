import Glibc

/// Whether more calls have something than before, exactly: Fisher's test (1935) within each stratum, put together over all of them.
///
/// Given how many calls have it in both runs together, each stratum's part of now is hypergeometric; the sum over the strata is worked
/// out call by call. Few calls need no normal distribution that way: none before and six now is told from chance as it is.
struct ExactGrowth: Sendable {
  /// Chance that so many calls or more have it now, where nothing changed.
  let chance: Double
  /// The least that could have come out: a question that could not have been answered with yes is none.
  let least: Double
  /// Calls that have it now, in strata that both runs have, and how many would if it were as before.
  let having: Int
  let due: Double

  /// Calls of a stratum: how many there are now and before, and how many of them have it.
  struct Stratum {
    var now = 0
    var before = 0
    var having = 0
    var hadBefore = 0
  }

  /// Growth by less than half is none worth a line, however sure: nights differ by more than the dice. The table of findings calls
  /// `more` what grew so much.
  private static let leastGrowth = 1.5

  /// Whether it is told, at such a chance of being wrong.
  func isTold(at limit: Double) -> Bool { chance <= limit && Double(having) >= Self.leastGrowth * due }

  /// More than so many calls that have it are near enough to a normal distribution.
  private static let mostExact = 1500

  init(_ strata: [Stratum]) {
    let told = strata.filter { $0.now > 0 && $0.before > 0 && $0.having + $0.hadBefore > 0 }
    having = told.reduce(0) { $0 + $1.having }
    due = told.reduce(0) { $0 + Double($1.hadBefore * $1.now) / Double($1.before) }
    let all = told.reduce(0) { $0 + $1.having + $1.hadBefore }
    guard having > 0 else {
      (chance, least) = (1, 1)
      return
    }
    guard all <= Self.mostExact else {
      (chance, least) = (Self.normal(told, having), 0)
      return
    }
    var sums = [1.0]
    for stratum in told {
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

  /// Of a share, call by call, in scenarios that both runs have.
  init(_ now: [ComparedCall], _ before: [ComparedCall], _ figure: Figure) {
    self.init(
      PairedSamples(candidate: now, baseline: before, figure: figure).cells.map { cell in
        Stratum(
          now: cell.candidate.count, before: cell.baseline.count, having: cell.candidate.count { $0 == 1 },
          hadBefore: cell.baseline.count { $0 == 1 })
      })
  }

  /// Of so many calls that have what none of those before had.
  init(_ now: Int, _ before: Int, in having: Int) {
    self.init([Stratum(now: now, before: before, having: having)])
  }

  /// Chance of none, one, two … of a stratum's calls that have it to be of now.
  private static func parts(_ stratum: Stratum) -> [Double] {
    let all = stratum.having + stratum.hadBefore
    return (0...min(all, stratum.now)).map { count in
      guard all - count <= stratum.before else { return 0 }
      return exp(
        choose(stratum.now, count) + choose(stratum.before, all - count)
          - choose(stratum.now + stratum.before, all))
    }
  }

  /// The logarithm of a binomial coefficient.
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

  /// The largest chance that answers one of several questions with yes, so that all of them together are answered wrongly at most so
  /// often: Tarone's correction (1990), which counts only those that could have been.
  static func limit(_ questions: [ExactGrowth], error: Double) -> Double {
    var count = 1
    while questions.count(where: { $0.least <= error / Double(count) }) > count { count += 1 }
    return error / Double(count)
  }
}
