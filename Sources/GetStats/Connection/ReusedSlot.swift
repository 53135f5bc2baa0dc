import CallModel

/// A received stream that a server uses for one source after the other, as its `trackIdentifier` shows.
///
/// The source before has gone, and the one after it did not flow to this listener yet: nothing is missing from the last
/// packet of the one to the first of the other.
struct ReusedSlot {
  /// When its track changed last, ms.
  var changedMs = -Double.infinity
  private var grownMs = Double.infinity
  private var packets = 0.0
  private var isStill = false
  private var isTaken = false

  var hasFlowed: Bool { packets > 0 }

  /// Takes the packets of the next sample. Returns when its medium was taken away, and given back, if nothing else of it
  /// is received (`ifAbsent`).
  mutating func take(
    _ packets: Double, at timeMs: Double, ifAbsent: @autoclosure () -> Bool
  ) -> [(EventName, Double)] {
    var changes: [(EventName, Double)] = []
    let hasGrown = packets > self.packets
    if !hasGrown { isStill = true }
    if !isTaken, isStill, changedMs >= grownMs, ifAbsent() {
      isTaken = true
      changes.append((.mediaTakenAway, grownMs))
    }
    if hasGrown {
      if isTaken { changes.append((.mediaGivenBack, timeMs)) }
      (grownMs, isStill, isTaken) = (timeMs, false, false)
    }
    self.packets = packets
    return changes
  }
}
