/// What a run is compared with, SDK by SDK.
struct BaselineChoice {
  var choice: SliceChoice
  var slice: Slice
  /// What the user named.
  var given: NamedBaseline?

  /// The slices chosen.
  struct Chosen {
    /// For every SDK; nil where runs were accepted.
    var general: Slice?
    /// The run accepted last for an SDK; one without any has no baseline.
    var bySDK: [String: Slice] = [:]
    /// What is said beside the name: who chose it.
    var remark = ""

    /// Each slice with the SDKs that it is the baseline of.
    var parts: [(Slice, Set<String>?)] {
      if let general { return [(general, nil)] }
      let named = Dictionary(grouping: bySDK.keys.sorted()) { bySDK[$0]?.name ?? "" }
      return named.sorted { $0.key < $1.key }.compactMap { entry in
        entry.value.first.flatMap { bySDK[$0] }.map { ($0, Set(entry.value)) }
      }
    }
  }

  /// The one given; else the runs accepted, for each SDK its latest; else, where none was accepted for any, the run before.
  ///
  /// Throws `NothingAccepted` where an accepted run was asked for and there is none.
  func choose() throws -> Chosen {
    if case .slice(let given) = given { return Chosen(general: given) }
    let accepted = try choice.accepted(besides: slice)
    guard !accepted.isEmpty else {
      if given != nil { throw NothingAccepted() }
      let before =
        slice.run == nil ? "the time before; no run was accepted" : "the run before; none was accepted"
      return Chosen(general: try choice.previous(to: slice), remark: " (\(before))")
    }
    return Chosen(bySDK: accepted.mapValues { Slice(run: $0, name: $0) }, remark: " (accepted)")
  }
}
