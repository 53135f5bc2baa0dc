import CallModel

extension StreamAccount {
  /// What was made up while the sender had nothing to say, samples: of a capture what its playout made up.
  var pausedConcealed: Double {
    guard source == .capture else { return pausedSamples }
    guard let extra = figures["extra"]?.string else { return 0 }
    return memberText("paused_concealed", of: extra).flatMap(Double.init) ?? 0
  }

  /// How much of its sound was made up, 0–1, pauses of the sender left out; nil where that is not known.
  var concealedShare: Double? {
    let paused = pausedConcealed
    guard paused > 0, let concealed = number("concealed_samples"), let total = number("total_samples"),
      total > paused
    else { return number("concealed_share") }
    return max(0, concealed - paused) / (total - paused)
  }
}
