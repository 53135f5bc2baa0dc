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

  private func place(_ trouble: Trouble?) -> Place? {
    trouble.flatMap { trouble in places.first { $0.trouble == trouble }?.place }
  }
}
