import CallModel

/// Chooses what a run is compared with, for each SDK.
struct BaselineChoice {
  var choice: SliceChoice
  var slice: Slice
  /// The baseline that the user named.
  var given: NamedBaseline?

  /// The chosen slices.
  struct Chosen {
    /// The baseline of every SDK; nil if accepted runs are used.
    var general: Slice?
    /// For an SDK without calls in `general`: the previous run, if that is a different one.
    var fallback: Slice?
    /// The run last accepted for each SDK; SDKs without one have no baseline.
    var bySDK: [String: Slice] = [:]
    /// Text shown after the name: how the baseline was chosen.
    var remark = ""

    /// Each slice with the SDKs that it is the baseline of.
    private var parts: [(Slice, Set<String>?)] {
      if let general { return [(general, nil)] }
      let named = Dictionary(grouping: bySDK.keys.sorted()) { bySDK[$0]?.name ?? "" }
      return named.sorted { $0.key < $1.key }.compactMap { entry in
        entry.value.first.flatMap { bySDK[$0] }.map { ($0, Set(entry.value)) }
      }
    }

    /// Figures of the baseline of these SDKs; nil if there is none.
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

  /// Chooses the baseline. In order: the one given; the latest accepted run of each SDK; the last earlier run not
  /// recorded as blocked, because a run found to be bad is not a reference. If all earlier runs were blocked, the
  /// previous run.
  ///
  /// Throws `NothingAccepted` if an accepted run was asked for and there is none.
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
  /// One run, or all calls of a time range, for every SDK.
  case slice(Slice)
  /// `last-accepted`: the run that each SDK was last accepted in.
  case accepted

  /// The argument that selects the runs accepted last.
  public static let acceptedWord = "last-accepted"
}

/// An accepted run was asked for, but no run has been accepted yet.
public struct NothingAccepted: Error, Sendable {}
