/// Sentences about calls that stand out by themselves, beside what moved as a whole.
extension Sentences {
  /// One for each fault that no other sentence tells.
  func standouts() -> [Sentence] {
    let told = (judgement.newProblems.map(\.keys) + judgement.slices.map(\.keys)).map { Set($0) }
    return judgement.scan.found.compactMap { found in
      guard found.figure.isOfSetup || !told.contains(where: found.overlaps) else { return nil }
      // What the SDK's own figures tell is not repeated without more.
      let fell = judgement.changes[found.sdk ?? ""].map { ($0.high ?? 0) < 0 } ?? false
      if found.place.dimension == kind, found.phase == nil, fell { return nil }
      let calls = CallList(found.calls.compactMap(\.key), judgement.group(found).command)
      return Sentence(text(found), calls)
    }
  }

  private func text(_ found: Standout) -> String {
    let (place, figure, name) = (found.place, found.figure, judgement.name(found))
    let moves = figure.placeMoves([place.inside, place.outside])
    let new = place.isNew ? ", which none had before" : ""
    let calls = ValueText.count(place.calls, "call")
    let what =
      found.counts.map { "\($0.now) of \(calls)\(new), \($0.before) before" }
      ?? "\(moves[0])\(figure.placeUnit) over \(calls)\(new), against \(moves[1])\(figure.placeUnit) in all others"
    let cause =
      figure == .setupMean
      ? found.phase.map { ", \($0.part > 0.9 ? "all" : "most") of it \($0.name.words)" } : nil
    let fault = found.fault.map { " The fault of most is at \($0.rawValue)." } ?? ""
    return "\(name.prefix(1).uppercased())\(name.dropFirst()): \(figure.words) \(what)\(cause ?? "").\(fault)"
  }
}
