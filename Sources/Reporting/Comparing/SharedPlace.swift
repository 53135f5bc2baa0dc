/// A trait whose calls got worse in all or nearly all SDKs, so that the trait is the cause rather than one SDK.
struct SharedPlace: Sendable {
  /// `all 5 SDKs`, or `4 of 5 SDKs`.
  let name: String
  /// The trait, and how its calls moved over all SDKs, each call compared with the baseline of its SDK and scenario.
  let place: Concentration
  /// The SDKs in which its calls got worse.
  let sdks: Set<String>
  /// Its calls in all SDKs with their loss, those furthest below their own scenario first.
  let calls: [Loss]

  /// A call: its key, when it began (ms since the epoch), and how far above its scenario's level it was.
  struct Loss: Sendable {
    let key: Int64?
    let startedMs: Double?
    let above: Double
  }

  /// Standard errors by which the remaining SDKs must have fallen, whichever one is left out.
  private static let restErrors = 2.5
  /// Ratio by which calls with the trait must have fallen more than the others moved.
  private static let minContrast = 2.0
  /// An SDK takes part if it fell by at least this part of the overall fall, and at least this share of the SDKs must.
  private static let minPart = 0.25
  private static let minSDKs = 0.8

  /// Among the traits found for single SDKs, the one that best separates fallen calls from others over all SDKs; nil if
  /// each is specific to one SDK.
  static func best(of found: [Concentration], in together: Comparison) -> SharedPlace? {
    guard let name = together.candidate.calls.keys.first else { return nil }
    var (now, before) = together.comparedCalls(name, .scoreMean)
    (now, before) = (now.filter { !$0.isBroken }, before.filter { !$0.isBroken })
    let levels = ScenarioLevels(before, .scoreMean)
    let tried = found.flatMap { [$0.traits] + $0.traits.map { [$0] } }
    var best: (errors: Double, place: SharedPlace)?
    for traits in tried where !traits.contains(where: { $0.dimension == together.kind }) {
      guard let (errors, place) = SharedPlace.of(traits, now, before, levels, in: together),
        errors > Comparison.concentrationErrors, errors > best?.errors ?? 0
      else { continue }
      best = (errors, place)
    }
    return best?.place
  }

  /// The part of the fall that these calls explain, if that is most of it: over all SDKs, or over all but one, which
  /// may have a separate fault.
  private static func part(
    _ now: [ComparedCall], _ before: [ComparedCall], _ levels: ScenarioLevels,
    _ isInside: (ComparedCall) -> Bool
  ) -> ExplainedPart? {
    let sdks: [String?] = [nil] + Set(now.map(\.sdk)).sorted()
    let (own, other) = (Split.apart(now, isInside, levels), Split.apart(before, isInside, levels))
    return sdks.lazy.compactMap { sdk in
      func left(_ all: [String: Split.Sides]) -> Split.Sides {
        all.reduce(into: Split.Sides()) { sum, entry in if entry.key != sdk { sum += entry.value } }
      }
      let (now, before) = (left(own), left(other))
      guard let inside = MeanChange(now.inside, before.inside, .scoreMean),
        let outside = MeanChange(now.outside, before.outside, .scoreMean),
        let whole = MeanChange(now.inside + now.outside, before.inside + before.outside, .scoreMean)
      else { return nil }
      return ExplainedPart(inside, others: outside, of: whole)
    }.first(where: \.isMost)
  }

  /// Significance, in standard errors, that calls with these traits fell and others did not, if nearly all SDKs take
  /// part.
  private static func of(
    _ traits: [Concentration.Trait], _ now: [ComparedCall], _ before: [ComparedCall],
    _ levels: ScenarioLevels,
    in together: Comparison
  ) -> (errors: Double, place: SharedPlace)? {
    let places = traits.compactMap { together.candidate.dimensions.firstIndex(of: $0.dimension) }
    guard let first = traits.first, places.count == traits.count else { return nil }
    func isInside(_ call: ComparedCall) -> Bool {
      zip(places, traits).allSatisfy { $0 < call.traits.count && call.traits[$0] == $1.value }
    }
    let (own, other) = (now.filter(isInside), before.filter(isInside))
    guard let inside = MeanChange(levels.above(own), levels.above(other), .scoreMean),
      let outside = MeanChange(
        levels.above(now.filter { !isInside($0) }), levels.above(before.filter { !isInside($0) }), .scoreMean),
      inside.hasEnoughCalls, outside.hasEnoughCalls, inside.change < 0,
      -inside.change > abs(outside.change) * minContrast,
      let part = part(now, before, levels, isInside)
    else { return nil }
    // Each SDK must have fallen by itself, and the remaining ones significantly, whichever is left out.
    var (known, fell) = (0, Set<String>())
    let earlier = Dictionary(grouping: other, by: \.sdk)
    let (losses, lossesBefore) = (levels.above(own), levels.above(other))
    for (sdk, calls) in Dictionary(grouping: own, by: \.sdk) {
      let (part, partBefore) = (levels.above(calls), levels.above(earlier[sdk] ?? []))
      guard let change = MeanChange(part, partBefore, .scoreMean),
        let rest = MeanChange(losses - part, lossesBefore - partBefore, .scoreMean)
      else { continue }
      guard rest.change * minContrast < inside.change, rest.change < -restErrors * rest.error else {
        return nil
      }
      known += 1
      if change.change <= minPart * inside.change { fell.insert(sdk) }
    }
    guard fell.count > 1, Double(fell.count) >= minSDKs * Double(known) else { return nil }
    let all = Set(now.map(\.sdk)).count
    let kind = together.kind
    let place = Concentration(
      dimension: first.dimension, value: first.value, inside: inside.change, outside: outside.change,
      calls: inside.calls, also: traits.count > 1 ? traits[1] : nil, part: part)
    let calls = own.compactMap { call in
      levels.above(call).map { Loss(key: call.key, startedMs: call.startedMs, above: $0) }
    }
    let spread = (inside.error * inside.error + outside.error * outside.error).squareRoot()
    return (
      (outside.change - inside.change) / max(spread, Figure.scoreMean.minError),
      SharedPlace(
        name: fell.count < all ? "\(fell.count) of \(all) \(kind)s" : Comparison.wholeName(of: all, kind),
        place: place, sdks: fell, calls: calls.sorted { ($0.above, $0.key ?? 0) < ($1.above, $1.key ?? 0) })
    )
  }
}
