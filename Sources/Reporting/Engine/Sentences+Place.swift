/// Where a change sits, in a sentence.
extension Sentences {
  /// Where it sits.
  func place() -> String? {
    guard !compared.isEmpty else { return nil }
    let failed = Set(judgement.results.filter { $0.verdict == .fail }.map(\.sdk))
    let found = judgement.concentrations.sorted { ($0.value.inside, $0.key) < ($1.value.inside, $1.key) }
    guard let (sdk, place) = found.first(where: { failed.contains($0.key) }) ?? found.first else {
      return nowhere()
    }
    return
      "In \(sdk) the change sits in calls with \(place.dimension) \(place.value)\(place.isNew ? ", which none had before" : ""): "
      + "\(Words.signed(place.inside)) points over "
      + "\(Words.count(place.calls, "call")), against \(Words.signed(place.outside)) in all others."
  }

  /// What a change was looked for in, with the traits that tell of it.
  private static let places: [(one: String, many: String, traits: Set<String>)] = [
    ("codec", "codecs", ["video codec", "audio codec"]),
    ("network", "networks", ["network type", "candidate type"]),
    ("client", "clients", ["user agent", "sdk version"]), ("scenario", "scenarios", ["scenario"]),
  ]

  /// Nothing explains a change; what both runs say nothing of was not looked into.
  private func nowhere() -> String {
    let known = judgement.comparison.knownDimensions
    let told = Self.places.filter { !$0.traits.isDisjoint(with: known) }
    let untold = Self.places.filter { $0.traits.isDisjoint(with: known) }.map(\.many)
    let unknown = untold.isEmpty ? nil : "nothing is known of \(Self.list(untold, "or"))"
    let worse = judgement.changes.filter { ($0.value.high ?? 0) < 0 }
    if let (sdk, _) = worse.min(by: { ($0.value.estimate, $0.key) < ($1.value.estimate, $1.key) }),
      let search = judgement.places[sdk]
    {
      return unexplained(sdk, search, unknown)
    }
    guard !told.isEmpty else { return "Where a change sits cannot be said: \(unknown ?? "")." }
    let isOtherTold = broke() != nil || alsoWorse() != nil
    let none = "No \(Self.list(told.map(\.one), "or")) stands out\(isOtherTold ? " by its score" : "")"
    return [none, unknown].compactMap { $0 }.joined(separator: "; ") + "."
  }

  /// An SDK got worse, and no trait tells where: what was looked into is said to be alike, and nothing else.
  private func unexplained(_ sdk: String, _ search: PlaceSearch, _ unknown: String?) -> String {
    let tried = Self.places.filter { !$0.traits.isDisjoint(with: search.tried) }.map(\.many)
    let untried = Self.places.filter {
      $0.traits.isDisjoint(with: search.tried) && !$0.traits.isDisjoint(with: search.untried)
    }.map(\.many)
    if let suspect = search.suspect {
      return
        "Where the change sits cannot be said: in \(sdk), calls with \(suspect.dimension) \(suspect.value)\(suspect.isNew ? ", which none had before," : "") moved most "
        + "(\(Words.signed(suspect.inside)) points over \(Words.count(suspect.calls, "call")), against "
        + "\(Words.signed(suspect.outside)) in all others), but there are too few to tell."
    }
    let renewed = search.renewed.map { "\($0.dimension) \($0.value)" }
    let open = [
      renewed.isEmpty
        ? nil : "every scored call has \(Self.list(renewed, "and")), which none had before",
      untried.isEmpty
        ? nil
        : "of \(Self.list(untried, "and")) there is one kind only, or too few calls",
      unknown,
    ].compactMap { $0 }
    guard !tried.isEmpty else {
      return "Where the change sits cannot be said: \(open.joined(separator: "; "))."
    }
    let alike =
      "The change is spread over \(Self.list(tried, "and"))\(tried.count > 1 ? " alike" : ""); no single one explains it"
    return ([alike] + open).joined(separator: "; ") + "."
  }
}
