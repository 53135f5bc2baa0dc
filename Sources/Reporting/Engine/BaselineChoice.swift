import CallModel

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
    /// For an SDK that the general one has no call of: the run before, where that is another.
    var fallback: Slice?
    /// The run accepted last for an SDK; one without any has no baseline.
    var bySDK: [String: Slice] = [:]
    /// What is said beside the name: who chose it.
    var remark = ""

    /// Each slice with the SDKs that it is the baseline of.
    private var parts: [(Slice, Set<String>?)] {
      if let general { return [(general, nil)] }
      let named = Dictionary(grouping: bySDK.keys.sorted()) { bySDK[$0]?.name ?? "" }
      return named.sorted { $0.key < $1.key }.compactMap { entry in
        entry.value.first.flatMap { bySDK[$0] }.map { ($0, Set(entry.value)) }
      }
    }

    /// The figures of the baseline of these SDKs; nil where there is none.
    func figures(of sdks: [String], _ figures: (Slice, Set<String>?) throws -> RunFigures) rethrows
      -> RunFigures?
    {
      var all: RunFigures?
      for (slice, own) in parts {
        let part = try figures(slice, own)
        if all == nil { all = RunFigures(run: slice.name) }
        all?.add(part)
      }
      let others = Set(sdks).subtracting(all?.calls.keys.map(\.self) ?? [])
      if let fallback, !others.isEmpty { all?.add(try figures(fallback, others)) }
      return all
    }
  }

  /// The one given; else the runs accepted, for each SDK its latest; else, where none was accepted for any, the last run
  /// before that is not recorded as blocked: what was found worse is no measure for what comes after it.
  ///
  /// Throws `NothingAccepted` where an accepted run was asked for and there is none.
  func choose() throws -> Chosen {
    if case .slice(let given) = given { return Chosen(general: given) }
    let accepted = try choice.accepted(besides: slice)
    guard accepted.isEmpty else {
      return Chosen(bySDK: accepted.mapValues { Slice(run: $0, name: $0) }, remark: " (accepted)")
    }
    if given != nil { throw NothingAccepted() }
    guard let run = slice.run else {
      return Chosen(
        general: try choice.time(before: slice), remark: " (the time before; no run was accepted)")
    }
    let before = try choice.runs(before: run)
    guard let good = before.firstIndex(where: { !$0.isBlocked }), good > 0 else {
      let isBlocked = before.first?.isBlocked == true
      return Chosen(
        general: before.first?.run,
        remark: " (the run before\(isBlocked ? ", blocked itself" : ""); none was accepted)")
    }
    return Chosen(
      general: before[good].run, fallback: before[0].run,
      remark:
        " (the last that was not blocked, \(good) since \(Plural.word(good, "was", "were")); `callqa accept` sets another)"
    )
  }
}

/// What a user may name as a baseline.
public enum NamedBaseline: Sendable {
  /// One run, or all calls of some time, for every SDK.
  case slice(Slice)
  /// `last-accepted`: the run that each SDK was last accepted in.
  case accepted

  /// The word that means the runs accepted last.
  public static let acceptedWord = "last-accepted"
}

/// Nobody accepted a run yet, and one was asked for.
public struct NothingAccepted: Error, Sendable {}
