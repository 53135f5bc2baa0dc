/// Whose the lines are that name no end, in a log whose lines name one in what is around them.
///
/// An application binds its user when somebody has signed in: what it said before is that user's too, where it never names another.
struct UnnamedEnd {
  private var first: String?
  private var hasOthers = false
  private var hasUnnamed = false

  /// The event with the end that it is of.
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
