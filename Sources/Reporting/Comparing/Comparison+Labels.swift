/// Labels are traits too: whoever imports knows of networks, sites and releases what no statistics tell.
extension Comparison {
  /// Most labels that a change is looked for in; those that most calls have.
  private static let mostLabels = 20
  /// How the names of their traits begin.
  static let labelPrefix = "label "

  /// Makes each label of the candidate's calls a trait, in both runs at the same place.
  mutating func addLabels() {
    var counts: [String: Int] = [:]
    for call in candidate.calls.values.joined() {
      for label in call.labels { counts[label.name, default: 0] += 1 }
    }
    let names = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostLabels).map(\.key)
    guard !names.isEmpty else { return }
    let own = candidate.dimensions.count
    candidate.addTraits(names, after: own)
    baseline?.addTraits(names, after: own)
  }
}

extension RunFigures {
  fileprivate mutating func addTraits(_ names: [String], after own: Int) {
    dimensions = Array(dimensions.prefix(own)) + names.map { Comparison.labelPrefix + $0 }
    for sdk in calls.keys {
      for index in calls[sdk, default: []].indices {
        calls[sdk]?[index].addTraits(names, after: own)
      }
    }
  }
}

extension ComparedCall {
  fileprivate mutating func addTraits(_ names: [String], after own: Int) {
    let missing = max(0, own - traits.count)
    traits = traits.prefix(own) + Array(repeating: nil, count: missing)
    for name in names { traits.append(labels.first { $0.name == name }?.value) }
  }
}
