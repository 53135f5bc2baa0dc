import CallModel

/// Cuts what a log tells of each of its ends into calls.
///
/// An id of the call on the line decides, also where calls overlap. A line without one belongs to the call that its end named
/// last; once that one has ended, what opens a call begins another.
struct CallSegmenter {
  /// A call of one end, numbered from 1.
  struct Call: Hashable {
    var end: String
    var number: Int
  }

  /// Ids by the name of the argument that holds them: another value under a known name is another call, another name is not.
  typealias ID = (name: String, value: String)

  /// Another try so soon after a failure is an attempt of the same call, ms.
  static let redialMs = 10_000.0

  private let limit: Int
  private var current: [String: Call] = [:]
  private var count: [String: Int] = [:]
  private var progress: [Call: CallProgress] = [:]
  /// Calls by end and id.
  private var known: [String: Call] = [:]
  /// Of the ids around lines, by end, those that stand around lines of several calls: they name none.
  private var shared: Set<String> = []

  init(limit: Int) { self.limit = limit }

  /// The call that events of one line belong to.
  /// - Parameters:
  ///   - ids: those of the line itself.
  ///   - around: the one that stands around the line.
  ///   - object: the call's object as the line prints it.
  ///   - callee: who is called, where the line opens a call and says so.
  ///   - heardMs: when the end's statistics were heard of last.
  ///   - failsToDial: whether a call fails here that was being dialled.
  ///   - isAnew: whether another call begins here if the last one is over, though no word of a call says so.
  mutating func call(
    of end: String, ids: [ID], around: ID? = nil, object: ID? = nil, events: [String], timeMs: Double?,
    callee: ID? = nil, heardMs: Double? = nil, isAnew: Bool = false, failsToDial: Bool = false
  ) -> Call {
    let call =
      isAnew && ids.isEmpty && isOver(end)
      ? begin(end) : choose(end, ids, around, object, events, timeMs, callee, heardMs, failsToDial)
    let all = ids + [around, object].compactMap(\.self)
    guard progress.count < limit || progress[call] != nil else { return call }
    // A late word on a call that is over does not turn back to it.
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
    // Where an object was, that of a later call may be.
    if let object, known[Self.key(end, object)] != nil { known[Self.key(end, object)] = call }
    return call
  }

  /// Whether an id stood around lines of several calls of an end.
  func isShared(_ around: String, of end: String) -> Bool {
    !shared.isEmpty && shared.contains(Self.key(end, ("call", around)))
  }

  /// Whether the id around a line is that of a call, and of no other.
  func names(_ around: ID, _ call: Call) -> Bool {
    known[Self.key(call.end, around)] == call && !isShared(around.value, of: call.end)
  }

  /// The call that the end named last; with an id, the one that has it.
  func current(of end: String, id: String? = nil) -> Call? {
    id.flatMap { known[Self.key(end, ("call", $0))] } ?? current[end]
  }

  /// The call that a line with these ids speaks of, where it is one that the log has told of.
  func told(of end: String, ids: [ID], around: ID?, object: ID? = nil) -> Call? {
    if let call = named(of: end, ids, around) ?? of(object, end, ids) { return call }
    guard let current = current[end], progress[current]?.contradicts(ids) == false else { return nil }
    return current
  }

  /// Whether the end has a call that goes on, as far as the log tells.
  func isOpen(_ end: String) -> Bool { current[end].flatMap { progress[$0] }?.isOpen == true }

  private func isOver(_ end: String) -> Bool { current[end].flatMap { progress[$0] }?.isOver == true }

  /// Whether it cannot be said yet which call a line without an id belongs to: the last one is over, or may have been left, and this
  /// may lead to the next, or follows such a line.
  mutating func mayLeadOn(
    _ end: String, _ events: [String], _ timeMs: Double?, heardMs: Double? = nil, isWaiting: Bool
  ) -> Bool {
    guard let current = current[end], let before = progress[current] else { return false }
    if before.isOpen {
      return progress[current]?.mayHaveBeenLeft(events, timeMs, heardMs: heardMs, isWaiting: isWaiting)
        == true
    }
    if events.allSatisfy(EventVocabulary.preludes.contains) {
      return before.endsBefore(events, timeMs) || before.beganAfter(events, timeMs)
    }
    return isWaiting && !events.contains { $0.hasPrefix("call.") || EventVocabulary.openings.contains($0) }
  }

  private mutating func choose(
    _ end: String, _ ids: [ID], _ around: ID?, _ object: ID?, _ events: [String], _ timeMs: Double?,
    _ callee: ID?, _ heardMs: Double?, _ failsToDial: Bool
  ) -> Call {
    if let call = named(of: end, ids, around) { return call }
    func isOther(than before: CallProgress) -> Bool {
      before.endsBefore(events, timeMs, callee) || failsToDial && before.isLongPast(timeMs)
        || before.beganAfter(events, timeMs)
        || before.wasLeft(
          events, timeMs, heardMs: heardMs, isNamed: !ids.isEmpty || around != nil, next: callee)
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

  /// The call whose object a line prints, where its ids do not speak against it.
  private func of(_ object: ID?, _ end: String, _ ids: [ID]) -> Call? {
    guard let object, let call = known[Self.key(end, object)], progress[call]?.contradicts(ids) != true else {
      return nil
    }
    return call
  }

  /// Whether an object of a call that is over is now that of the end's current one, of which no line printed another.
  private func isTaken(_ object: ID, from before: CallProgress, _ timeMs: Double?, _ end: String) -> Bool {
    guard before.isPast(timeMs), isOpen(end), let now = current[end].flatMap({ progress[$0] }) else {
      return false
    }
    return !now.hasName(object.name)
  }

  /// Takes over that another call of an end began, of which its statistics told.
  mutating func turn(_ end: String, to number: Int) {
    guard let before = current[end], before.number < number, progress.count < limit else { return }
    let call = Call(end: end, number: number)
    current[end] = call
    count[end] = max(count[end] ?? number, number)
    progress[call] = progress[call] ?? CallProgress()
  }

  /// The call that an id of a line names; what its logger has around it counts where the line's own do not speak against it.
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
