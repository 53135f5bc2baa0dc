/// What a run is compared with, SDK by SDK.
struct BaselineChoice {
  var choice: SliceChoice
  var slice: Slice
  /// What the user named.
  var given: Slice?

  /// The slices chosen.
  struct Chosen {
    /// For every SDK that `bySDK` does not name.
    var general: Slice?
    var bySDK: [String: Slice] = [:]
    /// Whether anybody accepted it.
    var remark = ""

    /// Each slice with the SDKs that it is the baseline of.
    func parts(of sdks: [String]) -> [(Slice, Set<String>?)] {
      guard !bySDK.isEmpty else { return general.map { [($0, nil)] } ?? [] }
      let named = Dictionary(grouping: bySDK.keys.sorted()) { bySDK[$0]?.name ?? "" }.sorted {
        $0.key < $1.key
      }
      var parts: [(Slice, Set<String>?)] = named.compactMap { entry in
        entry.value.first.flatMap { bySDK[$0] }.map { ($0, Set(entry.value)) }
      }
      let rest = Set(sdks).subtracting(bySDK.keys)
      if let general, !rest.isEmpty { parts.append((general, rest)) }
      return parts
    }
  }

  /// The one given; else the runs accepted, for each SDK its latest; else the run before.
  func choose() throws -> Chosen {
    if let given { return Chosen(general: given) }
    let accepted = try choice.accepted(besides: slice)
    let previous = try choice.previous(to: slice)
    if accepted.isEmpty { return Chosen(general: previous, remark: " (the run before; none was accepted)") }
    return Chosen(general: nil, bySDK: accepted.mapValues { Slice(run: $0, name: $0) }, remark: " (accepted)")
  }
}
