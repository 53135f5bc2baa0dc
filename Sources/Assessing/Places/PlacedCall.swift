import CallModel
import Timeline

/// Where the faults of a call were.
struct PlacedCall {
  var place: PlacedFault?
  var rootCause: RootCause?
  /// What was missed or impaired, as far as its place is known.
  var places: [(trouble: Trouble, place: Place)] = []

  /// What became of the media at an end, with places.
  func placing(_ fates: [MediaKind: [Fate]], at listener: Int) -> [MediaKind: [Fate]] {
    guard !places.isEmpty else { return fates }
    return Dictionary(
      uniqueKeysWithValues: fates.map { medium, fates in
        let placed = fates.map { fate in
          var fate = fate
          fate.place = place(Trouble(listener: listener, medium, fate))
          return fate
        }
        return (medium, placed)
      })
  }

  /// What was wrong with the media at an end, with places.
  func placing(_ impairments: [Impairment], at listener: Int) -> [Impairment] {
    impairments.map { one in
      var one = one
      one.place = place(Trouble(listener: listener, one))
      return one
    }
  }

  /// What became of the media for an end without a record: where the verdict is on it, its time has the place of the call.
  func placing(ofFarEnd fates: [MediaKind: [Fate]], _ verdict: Verdict?) -> [MediaKind: [Fate]] {
    guard let place = place?.rule.place, let verdict, verdict.end == nil, let span = verdict.span else {
      return fates
    }
    return fates.mapValues { fates in
      fates.map { fate in
        var fate = fate
        let shared = min(fate.endMs, span.upperBound) - max(fate.startMs, span.lowerBound)
        if fate.what != .unknown, shared > fate.lengthMs / 2 { fate.place = place }
        return fate
      }
    }
  }

  private func place(_ trouble: Trouble?) -> Place? {
    trouble.flatMap { trouble in places.first { $0.trouble == trouble }?.place }
  }
}
