/// Assigns lines without an end, in a log whose lines are otherwise attributed to one.
///
/// An application sets its user once somebody has signed in. Earlier lines belong to that user too, provided
/// that no other user is ever named.
struct UnnamedEnd {
  private var first: String?
  private var hasOthers = false
  private var hasUnnamed = false

  /// Returns the event with the end that it belongs to.
  mutating func settled(_ event: RawEvent) -> RawEvent {
    var event = event
    guard let end = event.endpoint else {
      if first == nil { hasUnnamed = true }
      guard let first, !hasOthers else { return event }
      event.endpoint = first
      event.takesUnnamed = hasUnnamed
      return event
    }
    guard event.isEndAround else { return event }
    first = first ?? end
    hasOthers = hasOthers || first != end
    event.takesUnnamed = hasUnnamed && first == end
    return event
  }
}
