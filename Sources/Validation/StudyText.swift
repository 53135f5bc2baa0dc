import CallModel
import Scoring

/// The study as text for people: one line per model, then one block per group.
public struct StudyText {
  private let study: Study
  private var bootstrap: Bootstrap

  /// A text of a study; the seed makes its intervals the same every time.
  public init(_ study: Study, seed: UInt64 = 1) {
    self.study = study
    bootstrap = Bootstrap(seed: seed)
  }

  /// The whole text.
  public mutating func lines() -> [String] {
    var lines = [
      "\(study.points.count) segments of \(study.calls.count) calls, PESQ-WB against the audio score; 95 % intervals by drawing calls again",
      "",
      pad("model", 19) + pad("n", 5) + pad("r", 22) + pad("rho", 22) + pad("RMSE (MOS)", 22)
        + pad("by call", 9)
        + pad("unstretched r", 15) + "per call r",
    ]
    for model in study.models { lines.append(line(model.name)) }
    lines += refit
    lines += ["", "By group of 16 segments or more: r (RMSE after the fit within the group)", ""]
    let groups = study.groups()
    lines.append(pad("model", 19) + groups.map { pad($0, 16) }.joined())
    for model in study.models {
      let cells = groups.map { group in
        let agreement = Agreement(study.pairs(model.name) { $0.group == group })
        return pad(agreement.map { "\(number($0.r)) (\(number($0.error, 2)))" } ?? "-", 16)
      }
      lines.append(pad(model.name, 19) + cells.joined())
    }
    if !study.leftOut.isEmpty { lines += ["", "Left out:"] + study.leftOut.map { "  " + $0 } }
    return lines
  }

  /// The standard model with its open constants fitted to the other calls each time.
  private var refit: [String] {
    guard let refit = Refit(study) else { return [] }
    return [
      "",
      "\(ScoreModel.standard.name) cross-validated by call, its open constants refitted to the other calls each time:",
      "  r \(number(refit.all.r)), rho \(number(refit.all.rho)), RMSE \(number(refit.all.error)) MOS"
        + " (\(number(refit.strictError)) with the line fitted to the other calls too)",
      "  unstretched r \(number(refit.unstretched?.r)), per call r \(number(refit.byCall?.r))",
      "  half point \(number(refit.halfPoint.lowerBound, 0))-\(number(refit.halfPoint.upperBound, 0)) %,"
        + " weight of stretching \(number(refit.stretchWeight.lowerBound, 1))-\(number(refit.stretchWeight.upperBound, 1))",
    ]
  }

  private mutating func line(_ model: String) -> String {
    let pairs = study.pairs(model)
    guard let all = Agreement(pairs) else { return pad(model, 19) + "no scores" }
    let byCall = study.calls.map { call in study.pairs(model) { $0.call == call } }.filter { !$0.isEmpty }
    let r = bootstrap.interval(byCall) { Agreement($0)?.r }
    let rho = bootstrap.interval(byCall) { Agreement($0)?.rho }
    let error = bootstrap.interval(byCall) { Agreement($0)?.error }
    return pad(model, 19) + pad("\(all.count)", 5) + pad("\(number(all.r)) \(range(r))", 22)
      + pad("\(number(all.rho)) \(range(rho))", 22) + pad("\(number(all.error)) \(range(error))", 22)
      + pad(number(study.crossValidatedError(model)), 9)
      + pad(number(Agreement(study.pairs(model) { !$0.isStretched })?.r), 15)
      + number(study.callAgreement(model)?.r)
  }

  private func range(_ interval: ClosedRange<Double>?) -> String {
    interval.map { "[\(number($0.lowerBound)), \(number($0.upperBound))]" } ?? ""
  }
}

/// A number with fixed decimals, `-` where there is none.
public func number(_ value: Double?, _ decimals: Int = 3) -> String {
  guard let value, value.isFinite, abs(value) < 1e9 else { return "-" }
  var scale = 1.0
  for _ in 0..<decimals { scale *= 10 }
  let scaled = Int((abs(value) * scale).rounded())
  let whole = scaled / Int(scale)
  let rest = String(scaled % Int(scale))
  let zeros = String(repeating: "0", count: max(0, decimals - rest.count))
  return (value < 0 && scaled > 0 ? "-" : "") + "\(whole).\(zeros)\(rest)"
}

/// A cell of a table, at least one space to the next.
func pad(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: max(1, width - text.count))
}

/// 95 % intervals by drawing calls again with replacement: segments of one call are no independent witnesses.
struct Bootstrap {
  /// Draws made.
  static let draws = 1000

  private var random: SplitMix64

  /// The same seed gives the same intervals.
  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// The middle 95 % of a figure over draws of calls; nil where it cannot be computed.
  mutating func interval(
    _ byCall: [[(figure: Double, truth: Double)]], _ figure: ([(figure: Double, truth: Double)]) -> Double?
  ) -> ClosedRange<Double>? {
    guard byCall.count > 2 else { return nil }
    var values: [Double] = []
    for _ in 0..<Self.draws {
      var drawn: [(figure: Double, truth: Double)] = []
      for _ in byCall { drawn += byCall[Int(random.next() % UInt64(byCall.count))] }
      if let value = figure(drawn) { values.append(value) }
    }
    values.sort()
    guard values.count >= 40 else { return nil }
    let low = values[values.count / 40]
    return low...max(low, values[values.count - 1 - values.count / 40])
  }
}
