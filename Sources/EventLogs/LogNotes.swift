import CallModel

/// Notes about the events of a log as a whole.
struct LogNotes {
  /// The number of events without a time.
  var timeless = 0
  /// The number of pushes that the SDK rejected as invalid.
  var invalidPushes = 0

  var texts: [String] {
    var texts: [String] = []
    if timeless > 0 {
      texts.append(
        "\(Plural.of(timeless, "event has", "events have")) no time that callqa can read: begin each line, or fill ts, with one as"
          + " 2026-11-20T10:00:00.000Z or epoch milliseconds")
    }
    if invalidPushes > 0 {
      let pushes = Plural.of(invalidPushes, "push was", "pushes were")
      texts.append("\(pushes) not valid, according to the SDK: it is unknown whether a call was missed")
    }
    return texts
  }
}
