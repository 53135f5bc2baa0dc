import CallStore

/// Sentences about where a change is concentrated.
extension Sentences {
  /// Where each reported change is concentrated. For the first one that no trait explains, which traits were searched.
  func places() -> [Sentence] {
    let together = judgement.whole.filter(\.isPlaceReported).compactMap { whole -> Sentence? in
      let of = whole.figure == .scoreMean ? "" : " of \(whole.figure.placeWords)"
      if whole.figure == .scoreMean, let shared = sharedPlace(of: of) { return shared }
      return explained(whole.name, whole.source, whole.figure, of: of)
        ?? unexplained(whole.name, whole.source, whole.figure, of: of, unknown().words)
    }
    let first = placed.flatMap { wholeChange($0.figure) == nil ? $0 : nil }
    let others = othersPlaced.filter { $0.sdk != first?.sdk || $0.figure != first?.figure }
    let score =
      compared.isEmpty || wholeChange(.scoreMean) != nil
      ? [] : scorePlaces(isFirst: first == nil && together.isEmpty)
    return together + [first.flatMap { place($0, isFirst: true) }].compactMap { $0 } + score
      + others.compactMap { place($0, isFirst: false) } + standouts()
  }

  /// The subject of the first sentence, if it is not a score.
  private var placed: (sdk: String, figure: Figure)? {
    guard let worstResult else { return othersPlaced.first { $0.figure == .brokenShare } }
    let figure = worstResult.gate.figure.measured
    // More poor calls are part of a lower score.
    guard !figure.isCount, figure != .scoreMean,
      figure != .poorShare || judgement.places[worstResult.sdk] == nil
    else { return nil }
    // A gate with a fixed limit may fail without any change.
    let change = judgement.comparison.change(of: worstResult.gate.figure, sdk: worstResult.sdk)
    return (change?.low ?? 0) > 0 ? (worstResult.sdk, figure) : nil
  }

  /// Where the change of a figure other than the score is concentrated. For the first such figure, a search without
  /// result is reported too.
  private func place(_ subject: (sdk: String, figure: Figure), isFirst: Bool) -> Sentence? {
    let search = judgement.scan.calls.source(of: subject.figure, sdk: subject.sdk)
    let of = " of \(subject.figure.placeWords)"
    return explained(subject.sdk, search, subject.figure, of: of)
      ?? (isFirst ? unexplained(subject.sdk, search, subject.figure, of: of, unknown().words) : nil)
  }

  /// Where the change of the score is concentrated: of the SDKs with a place, blocked ones and otherwise the one with
  /// the largest loss.
  private func scorePlaces(isFirst: Bool) -> [Sentence] {
    let failed = Set(judgement.results.filter { $0.verdict == .fail }.map(\.sdk))
    let of = isFirst ? "" : " of the score"
    let others = judgement.concentrations.filter { !judgement.isShared($0.value, $0.key) }
    if let shared = sharedPlace(of: of) {
      // Besides the shared place, report only that of a blocked SDK.
      let blocked = others.filter { failed.contains($0.key) && $0.value.inside < 0 }.keys.sorted()
      let own = blocked.prefix(1).compactMap { sdk in
        judgement.places[sdk].flatMap { explained(sdk, $0, .scoreMean, of: of) }
      }
      return own + [shared]
    }
    // Report the place that lost most points in total.
    func total(_ place: Concentration) -> Double { place.inside * Double(place.calls) }
    let found = judgement.concentrations.sorted { (total($0.value), $0.key) < (total($1.value), $1.key) }
    guard let (sdk, _) = found.first(where: { failed.contains($0.key) }) ?? found.first,
      let search = judgement.places[sdk]
    else {
      let mixed = judgement.places.filter { $0.value.mix != nil }
        .sorted { ($0.value.mix?.part ?? 0, $0.key) < ($1.value.mix?.part ?? 0, $1.key) }
      let mix = mixed.first { failed.contains($0.key) } ?? mixed.first
      if let mix, let sentence = explained(mix.key, mix.value, .scoreMean, of: of) { return [sentence] }
      return isFirst ? [nowhere()].compactMap { $0 } : []
    }
    return [explained(sdk, search, .scoreMean, of: of)].compactMap { $0 }
  }

  /// Where the score fell in nearly every SDK; nil if there is no such place.
  private func sharedPlace(of: String) -> Sentence? {
    judgement.shared.flatMap { shared in
      let sentence = explained(
        judgement.sdks(of: shared), ChangeSource(found: shared.place), .scoreMean, of: of)
      return Sentence(
        sentence?.text, CallList(shared.calls.compactMap(\.key), judgement.group(shared).command))
    }
  }

  /// What explains a change: calls that share a trait, or a changed mix of calls.
  private func explained(_ sdk: String, _ search: ChangeSource, _ figure: Figure, of: String) -> Sentence? {
    let unit = figure.placeUnit
    let own = judgement.sdks.contains(sdk) ? sdk : nil
    if let place = search.found {
      let moves = figure.placeMoves([place.inside, place.outside])
      return Sentence(
        "In \(sdk) the change\(of) sits in calls with \(place.traits.map { trait($0.dimension, $0.value, sdk) }.joined(separator: " and "))\(place.isNew ? ", which none had before" : ""): "
          + "\(moves[0])\(unit) over "
          + "\(ValueText.count(place.calls, "call")), against \(moves[1])\(figure == .scoreMean ? "" : unit) in all others."
          + (place.part.map { " That explains \(Self.words($0))." } ?? ""),
        judgement.list(of: place, own, figure))
    }
    return search.mix.flatMap { mix in
      let moves = figure.placeMoves([mix.part, mix.rest])
      return Sentence(
        "In \(sdk) \(mix.share > mix.shareBefore ? "more" : "fewer") calls have \(trait(mix.dimension, mix.value, sdk)): \(ValueText.percent(mix.share)), "
          + "\(ValueText.percent(mix.shareBefore)) before. That shift alone changes \(figure.placeWords) by "
          + "\(moves[0])\(unit); within each \(mix.dimension), calls moved by \(moves[1])\(figure == .scoreMean ? "" : unit) on average.",
        calls(of: mix, sdk: own, figure))
    }
  }

  /// A trait with its value; just name and version of a browser if that is unambiguous.
  private func trait(_ dimension: String, _ value: String, _ sdk: String) -> String {
    if dimension == "sdk" { return "SDK \(value)" }
    if dimension.hasPrefix(TraitName.labelPrefix) { return "\(dimension)=\(value)" }
    guard dimension == "user agent", let short = BrowserName.of(value),
      let place = judgement.comparison.candidate.dimensions.firstIndex(of: dimension)
    else { return "\(dimension) \(value)" }
    let scanned = judgement.scan.calls
    let isAlone = [scanned.now, scanned.before].allSatisfy { calls in
      calls.allSatisfy { call in
        guard call.sdk == sdk || !judgement.sdks.contains(sdk) else { return true }
        guard place < call.traits.count, let other = call.traits[place], other != value else { return true }
        return BrowserName.of(other) != short
      }
    }
    return "\(dimension) \(isAlone ? short : value)"
  }

  /// Groups of traits that are searched for the cause of a change, with the traits that belong to each.
  private static let kinds: [Kind] = [
    ("codec", "codecs", ["video codec", "audio codec"]),
    (
      "network", "networks",
      ["network type", "candidate type", "relay", "relay protocol", "far network", "far host"]
    ),
    ("client", "clients", ["user agent", "sdk version", "os"]), ("scenario", "scenarios", ["scenario"]),
  ]
  private typealias Kind = (one: String, many: String, traits: Set<String>)

  /// The same with labels, if both runs have any. Missing labels are not reported as missing information.
  private var kinds: [Kind] {
    let labels = judgement.scan.calls.knownTraits.filter { $0.hasPrefix(TraitName.labelPrefix) }
    let sdk: [Kind] = kind == "SDK" ? [] : [("SDK", "SDKs", ["sdk"])]
    return Self.kinds + (judgement.scan.calls.knownTraits.contains("sdk") ? sdk : [])
      + (labels.isEmpty ? [] : [("label", "labels", labels)])
  }

  /// The groups that both runs have data for, and a text about those they have none for.
  private func unknown() -> (searched: [String], words: String?) {
    let known = judgement.scan.calls.knownTraits
    let searched = kinds.filter { !$0.traits.isDisjoint(with: known.intersection(judgement.scan.traits)) }
      .map(\.one)
    let unsearched = kinds.filter { $0.traits.isDisjoint(with: known) }.map(\.many)
    return (searched, unsearched.isEmpty ? nil : "nothing is known of \(Self.list(unsearched, "or"))")
  }

  /// No trait explains a change of the score. Names what was not searched because the runs have no data for it.
  private func nowhere() -> Sentence? {
    let (searched, unknown) = unknown()
    let worse = judgement.changes.filter { ($0.value.high ?? 0) < 0 }
    if let (sdk, _) = worse.min(by: { ($0.value.estimate, $0.key) < ($1.value.estimate, $1.key) }),
      let search = judgement.places[sdk]
    {
      return unexplained(sdk, search, .scoreMean, of: "", unknown)
    }
    guard judgement.comparison.unfinished == nil else { return nil }
    let known = judgement.scan.calls.knownTraits
    let single = kinds.filter {
      !$0.traits.isDisjoint(with: known) && $0.traits.isDisjoint(with: judgement.scan.traits)
    }.map(\.many)
    let untried =
      single.isEmpty ? nil : "of \(Self.list(single, "and")) there is one kind only, or too few calls"
    let open = [untried, unknown].compactMap { $0 }
    guard !searched.isEmpty else {
      return Sentence("Where a change sits cannot be said: \(open.joined(separator: "; ")).")
    }
    let scan = judgement.scan
    guard scan.found.isEmpty, scan.groups > 0 else { return nil }
    let none = "No \(Self.list(searched, "or")) stands out"
    let tried =
      "\(ValueText.count(scan.groups, "group")) of calls were tried, by \(ValueText.count(scan.figures, "figure"))"
    return Sentence(([none, tried] + open).joined(separator: "; ") + ".")
  }

  /// A figure got worse and no trait explains it: lists the traits in which calls were found to be alike, and nothing
  /// else.
  private func unexplained(
    _ sdk: String, _ search: ChangeSource, _ figure: Figure, of: String, _ unknown: String?
  ) -> Sentence? {
    let own = judgement.sdks.contains(sdk) ? sdk : nil
    let isWhole = judgement.whole.contains { $0.name == sdk }
    let ofWhole: [Kind] = isWhole ? [(kind, kind + "s", [kind])] : []
    let all = ofWhole + kinds
    func many(_ names: Set<String>) -> [String] {
      all.filter {
        $0.traits.isDisjoint(with: search.tried) && !$0.traits.isDisjoint(with: names)
      }.map(\.many)
    }
    let tried = all.filter { !$0.traits.isDisjoint(with: search.tried) }.map(\.many)
    let silent = many(search.silent)
    let untried = many(search.untried).filter { !silent.contains($0) }
    let partly = search.partly.flatMap { movedMore(sdk, $0, figure) }
    if let partly, partly.isHalf {
      return Sentence(
        "The change\(of) may sit in \(partly.words). That would explain \(partly.part); too few calls to be sure.",
        search.partly.map { judgement.list(of: $0, own, figure) })
    }
    if let suspect = search.suspect {
      let moves = figure.placeMoves([suspect.inside, suspect.outside])
      return Sentence(
        "Where the change\(of) sits cannot be said: in \(sdk), calls with \(trait(suspect.dimension, suspect.value, sdk))\(suspect.isNew ? ", which none had before," : "") moved most "
          + "(\(moves[0])\(figure.placeUnit) over \(ValueText.count(suspect.calls, "call")), against "
          + "\(moves[1])\(figure == .scoreMean ? "" : figure.placeUnit) in all others), but there are too few to tell.",
        judgement.list(of: suspect, own, figure))
    }
    let renewed = search.renewed.map { trait($0.dimension, $0.value, sdk) }
    let open = [
      renewed.isEmpty
        ? nil
        : "every \(figure == .scoreMean ? "scored call" : "call") has \(Self.list(renewed, "and")), which none had before",
      untried.isEmpty
        ? nil
        : "of \(Self.list(untried, "and")) there is one kind only, or too few calls",
      silent.isEmpty ? nil : "of most calls that moved the \(Self.list(silent, "and")) are unknown",
      unknown,
    ].compactMap { $0 }
    guard !tried.isEmpty else {
      return Sentence("Where the change\(of) sits cannot be said: \(open.joined(separator: "; ")).")
    }
    let alike =
      "The change\(of) is spread over \(Self.list(tried, "and"))\(tried.count > 1 && partly == nil ? " alike" : ""); no single one explains it"
    let most = partly.map { " Furthest from the others are \($0.words); they explain \($0.part)." } ?? ""
    return Sentence(([alike] + open).joined(separator: "; ") + "." + most, calls(of: figure, sdk: own))
  }

  /// Calls that moved more than others but do not explain most of the change, and the part that they do explain.
  private func movedMore(_ sdk: String, _ place: Concentration, _ figure: Figure) -> (
    words: String, part: String, isHalf: Bool
  )? {
    guard let part = place.part else { return nil }
    let moves = figure.placeMoves([place.inside, place.outside])
    let unit = figure.placeUnit
    return (
      "calls with \(trait(place.dimension, place.value, sdk)): \(moves[0])\(unit) over \(ValueText.count(place.calls, "call")), against \(moves[1])\(figure == .scoreMean ? "" : unit) in all others",
      Self.words(part), part.estimate > 0.5
    )
  }

  /// The explained part in words, e.g. `95 % of it (80 to 100 %)`.
  private static func words(_ part: ExplainedPart) -> String {
    func percent(_ share: Double) -> String { ValueText.fixed(max(0, min(1, share)) * 100, 0) }
    let range =
      part.low.flatMap { low in part.high.map { " (between \(percent(low)) and \(percent($0)) %)" } } ?? ""
    return "\(percent(part.estimate)) % of it\(range)"
  }
}

extension Figure {
  /// The mean that is searched in place of this figure.
  var measured: Figure {
    switch self {
    case .scoreMean, .scorePercentile: .scoreMean
    case .setupMean, .setupPercentile: .setupMean
    default: self
    }
  }

  /// What the figure describes, for a sentence about its place.
  fileprivate var placeWords: String {
    switch measured {
    case .brokenShare: "the broken calls"
    case .poorShare: "the poor calls"
    case .verdictShare(let word): "the \(word.rawValue) calls"
    case .findingShare(let code): "the calls with \(code)"
    case .setupMean: "the setup time"
    case .phaseMean(let phase): phase.words
    default: "the score"
    }
  }

  var placeUnit: String { measured == .scoreMean ? " points" : ValueText.unit(of: description) }

  func placeMoves(_ values: [Double]) -> [String] {
    measured == .scoreMean ? values.map { ValueText.signed($0) } : ValueText.moves(values, of: description)
  }
}

/// Browser name and version, as the breakdowns of the nightly report show it.
enum BrowserName {
  private static let names: [(name: String, mark: String)] = [
    ("Edge", "Edg/"), ("Firefox", "Firefox/"), ("Chrome", "Chrome/"),
  ]

  /// Extracts e.g. `Chrome 132` from a user agent string; nil if no known browser is named in it.
  static func of(_ agent: String) -> String? {
    for (name, mark) in names {
      if let version = version(after: mark, in: agent) { return "\(name) \(version)" }
    }
    guard agent.contains("Safari/") else { return nil }
    return version(after: "Version/", in: agent).map { "Safari \($0)" }
  }

  private static func version(after mark: String, in agent: String) -> Substring? {
    guard let place = agent.firstRange(of: mark) else { return nil }
    let digits = agent[place.upperBound...].prefix { $0.isASCII && $0.isNumber }
    return digits.isEmpty ? nil : digits.prefix(8)
  }
}
