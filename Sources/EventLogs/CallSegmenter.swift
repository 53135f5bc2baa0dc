import CallModel

/// Splits what a log reports about each of its ends into calls.
///
/// A call id on the line decides, even if calls overlap. A line without an id belongs to the call that its
/// end named last; once that call has ended, an event that opens a call starts a new one.
struct CallSegmenter {
  /// A call of one end, numbered from 1.
  struct Call: Hashable {
    var end: String
    var number: Int
  }

  /// An id and the name of the argument that holds it. A different value under a known name means a different
  /// call; a different name does not.
  typealias ID = (name: String, value: String)

  /// If another try follows a failure within this time, in ms, it counts as an attempt of the same call.
  static let redialMs = 10_000.0

  private let limit: Int
  private var current: [String: Call] = [:]
  private var count: [String: Int] = [:]
  private var progress: [Call: CallProgress] = [:]
  /// Calls by end and id.
  private var known: [String: Call] = [:]
  /// Ids found around lines of several calls of an end. They identify none of them.
  private var shared: Set<String> = []

  init(limit: Int) { self.limit = limit }

  /// Returns the call that the events of one line belong to.
  /// - Parameters:
  ///   - ids: The ids on the line itself.
  ///   - around: The id in the logger's context around the line.
  ///   - object: The call object that the line prints.
  ///   - callee: The person called, if the line opens a call and names them.
  ///   - statisticsMs: When statistics of the end were last received, in ms since the epoch.
  ///   - failsToDial: Whether the events report that a call failed while it was being dialled.
  ///   - isAnew: Whether a new call starts here if the last one is over, even though no call event says so.
  mutating func call(
    of end: String, ids: [ID], around: ID? = nil, object: ID? = nil, events: [EventName], timeMs: Double?,
    callee: ID? = nil, statisticsMs: Double? = nil, isAnew: Bool = false, failsToDial: Bool = false
  ) -> Call {
    let call =
      isAnew && ids.isEmpty && isOver(end)
      ? begin(end) : choose(end, ids, around, object, events, timeMs, callee, statisticsMs, failsToDial)
    let all = ids + [around, object].compactMap(\.self)
    guard progress.count < limit || progress[call] != nil else { return call }
    // A late event of a finished call does not make that call current again.
    let isLate = progress[call]?.isOver == true && current[end].flatMap { progress[$0] }?.isOver == false
    if !isLate { current[end] = call }
    progress[call, default: CallProgress()].note(events, all, timeMs)
    if let callee { progress[call]?.note(callee) }
    if let around, let other = known[Self.key(end, around)], other != call, shared.count < 4 * limit {
      shared.insert(Self.key(end, around))
    }
    for id in all where known.count < 4 * limit && known[Self.key(end, id)] == nil {
      known[Self.key(end, id)] = call
    }
    // A later call may be allocated at the address of an earlier one.
    if let object, known[Self.key(end, object)] != nil { known[Self.key(end, object)] = call }
    return call
  }

  /// Whether an id was found around lines of several calls of an end.
  func isShared(_ around: String, of end: String) -> Bool {
    !shared.isEmpty && shared.contains(Self.key(end, ("call", around)))
  }

  /// Whether the id around a line belongs to this call and to no other.
  func names(_ around: ID, _ call: Call) -> Bool {
    known[Self.key(call.end, around)] == call && !isShared(around.value, of: call.end)
  }

  /// The call that the end named last, or the call with the given id.
  func current(of end: String, id: String? = nil) -> Call? {
    id.flatMap { known[Self.key(end, ("call", $0))] } ?? current[end]
  }

  /// The call that a line with these ids refers to, if the log has mentioned it before.
  func mentioned(of end: String, ids: [ID], around: ID?, object: ID? = nil) -> Call? {
    if let call = named(of: end, ids, around) ?? of(object, end, ids) { return call }
    guard let current = current[end], progress[current]?.contradicts(ids) == false else { return nil }
    return current
  }

  /// Whether the end has a call that is still in progress, as far as the log shows.
  func isOpen(_ end: String) -> Bool { current[end].flatMap { progress[$0] }?.isOpen == true }

  private func isOver(_ end: String) -> Bool { current[end].flatMap { progress[$0] }?.isOver == true }

  /// Whether it is too early to say which call a line without an id belongs to: the last call is over or may
  /// have been abandoned, and this line may lead up to the next call, or follows a line that may.
  mutating func mayLeadOn(
    _ end: String, _ events: [EventName], _ timeMs: Double?, statisticsMs: Double? = nil, isWaiting: Bool
  ) -> Bool {
    guard let current = current[end], let before = progress[current] else { return false }
    if before.isOpen {
      return progress[current]?.mayHaveBeenLeft(
        events, timeMs, statisticsMs: statisticsMs, isWaiting: isWaiting)
        == true
    }
    if events.allSatisfy(EventName.preludes.contains) {
      return before.endsBefore(events, timeMs) || before.beganAfter(events, timeMs)
    }
    return isWaiting && !events.contains { $0.group == .call || EventName.openings.contains($0) }
  }

  private mutating func choose(
    _ end: String, _ ids: [ID], _ around: ID?, _ object: ID?, _ events: [EventName], _ timeMs: Double?,
    _ callee: ID?, _ statisticsMs: Double?, _ failsToDial: Bool
  ) -> Call {
    if let call = named(of: end, ids, around) { return call }
    func isOther(than before: CallProgress) -> Bool {
      before.endsBefore(events, timeMs, callee) || failsToDial && before.isLongPast(timeMs)
        || before.beganAfter(events, timeMs)
        || before.wasLeft(
          events, timeMs, statisticsMs: statisticsMs, isNamed: !ids.isEmpty || around != nil, next: callee)
    }
    if let object, let call = of(object, end, ids), let before = progress[call],
      !isTaken(object, from: before, timeMs, end)
    {
      return isOther(than: before) ? begin(end) : call
    }
    guard let current = current[end], let before = progress[current] else { return begin(end) }
    if before.contradicts(ids) || around.map({ before.contradicts([$0]) }) == true { return begin(end) }
    let isBeside = object.map { before.isBeside($0, events) } ?? false
    return isBeside || isOther(than: before) ? begin(end) : current
  }

  /// The call whose object a line prints, unless the ids on the line contradict it.
  private func of(_ object: ID?, _ end: String, _ ids: [ID]) -> Call? {
    guard let object, let call = known[Self.key(end, object)], progress[call]?.contradicts(ids) != true else {
      return nil
    }
    return call
  }

  /// Whether the object of a finished call now belongs to the end's current call, for which no line has
  /// printed a different object.
  private func isTaken(_ object: ID, from before: CallProgress, _ timeMs: Double?, _ end: String) -> Bool {
    guard before.isPast(timeMs), isOpen(end), let now = current[end].flatMap({ progress[$0] }) else {
      return false
    }
    return !now.hasName(object.name)
  }

  /// Switches to another call of an end, which its statistics have shown to have begun.
  mutating func turn(_ end: String, to number: Int) {
    guard let before = current[end], before.number < number, progress.count < limit else { return }
    let call = Call(end: end, number: number)
    current[end] = call
    count[end] = max(count[end] ?? number, number)
    progress[call] = progress[call] ?? CallProgress()
  }

  /// The call named by an id on the line. An id in the logger's context counts unless the line's own ids
  /// contradict it.
  private func named(of end: String, _ ids: [ID], _ around: ID?) -> Call? {
    if let call = ids.lazy.compactMap({ known[Self.key(end, $0)] }).first { return call }
    guard let around, let call = known[Self.key(end, around)], progress[call]?.contradicts(ids) != true else {
      return nil
    }
    return call
  }

  private static func key(_ end: String, _ id: ID) -> String { "\(end)|\(id.value)" }

  private mutating func begin(_ end: String) -> Call {
    let number = (count[end] ?? 0) + 1
    if count.count < limit || number > 1 { count[end] = number }
    return Call(end: end, number: number)
  }
}
