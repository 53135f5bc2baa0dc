import CallModel

extension Fate {
  /// Shorter periods are joined with what is before them, ms: the borders of two witnesses are never the same.
  private static let sliverMs = 100.0

  /// What became of a medium during the call, from what was seen of it: periods without holes or overlaps.
  ///
  /// The order of the sightings decides nothing.
  public static func fates(of sightings: [Sighting], during call: ClosedRange<Double>) -> [Fate] {
    let seen = sightings.compactMap { sighting -> Sighting? in
      var own = sighting
      own.startMs = max(own.startMs, call.lowerBound)
      own.endMs = min(own.endMs, call.upperBound)
      return own.endMs > own.startMs ? own : nil
    }
    let borders = Set([call.lowerBound, call.upperBound] + seen.flatMap { [$0.startMs, $0.endMs] }).sorted()
    var fates: [Fate] = []
    // Sorted, so that a slice is compared with few.
    let inOrder = seen.sorted { ($0.startMs, $0.endMs, $0.witness) < ($1.startMs, $1.endMs, $1.witness) }
    var open: [Sighting] = []
    var next = 0
    for (start, end) in zip(borders, borders.dropFirst()) {
      open.removeAll { $0.endMs <= start }
      while next < inOrder.count, inOrder[next].startMs <= start {
        if inOrder[next].endMs > start { open.append(inOrder[next]) }
        next += 1
      }
      append(decided(open, from: start, to: end, within: call), to: &fates)
    }
    return fates
  }

  private static func decided(
    _ sightings: [Sighting], from start: Double, to end: Double, within call: ClosedRange<Double>
  ) -> Fate {
    for rule in FateRule.allCases {
      guard let own = rule.holds(for: sightings, within: call) else { continue }
      let proof = MediaSpan.Proof.allCases.first { proof in own.contains { $0.proof == proof } } ?? .none
      return Fate(rule, from: start, to: end, proof: proof, witnesses: Set(own.map(\.witness)).sorted())
    }
    return Fate(.nothingKnown, from: start, to: end)
  }

  private static func append(_ fate: Fate, to fates: inout [Fate]) {
    guard var last = fates.last, last.rule == fate.rule || fate.lengthMs < sliverMs else {
      return fates.append(fate)
    }
    last.endMs = fate.endMs
    if last.rule == fate.rule {
      last.witnesses = Set(last.witnesses).union(fate.witnesses).sorted()
      if last.proof == .none { last.proof = fate.proof }
    }
    fates[fates.count - 1] = last
  }
}
