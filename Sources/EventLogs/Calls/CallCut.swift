import CallModel

/// Cuts what a log tells of each of its ends into calls.
///
/// An id of the call on the line decides, also where calls overlap. A line without one belongs to the call that its end named
/// last; once that one has ended, what opens a call begins another.
struct CallCut {
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
  ///   - callee: who is called, where the line opens a call and says so.
  ///   - heardMs: when the end's statistics were heard of last.
  ///   - isAnew: whether another call begins here if the last one is over, though no word of a call says so.
  mutating func call(
    of end: String, ids: [ID], around: ID? = nil, events: [String], timeMs: Double?, callee: ID? = nil,
    heardMs: Double? = nil, isAnew: Bool = false
  ) -> Call {
    let call =
      isAnew && ids.isEmpty && isOver(end)
      ? begin(end) : choose(end, ids, around, events, timeMs, callee, heardMs)
    let all = ids + (around.map { [$0] } ?? [])
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
  func told(of end: String, ids: [ID], around: ID?) -> Call? {
    if let call = named(of: end, ids, around) { return call }
    guard let current = current[end], progress[current]?.contradicts(ids) == false else { return nil }
    return current
  }

  /// Whether the end has a call that goes on, as far as the log tells.
  func isOpen(_ end: String) -> Bool { current[end].flatMap { progress[$0] }?.isOpen == true }

  private func isOver(_ end: String) -> Bool { current[end].flatMap { progress[$0] }?.isOver == true }

  /// Whether it cannot be said yet which call a line without an id belongs to: the last one is over, and this may lead to the
  /// next, or follows such a line.
  func mayLeadOn(_ end: String, _ events: [String], _ timeMs: Double?, isWaiting: Bool) -> Bool {
    guard let current = current[end], let before = progress[current] else { return false }
    if events.allSatisfy(EventVocabulary.preludes.contains) {
      return before.endsBefore(events, timeMs) || before.beganAfter(events, timeMs)
    }
    return isWaiting && !events.contains { $0.hasPrefix("call.") || EventVocabulary.openings.contains($0) }
  }

  private mutating func choose(
    _ end: String, _ ids: [ID], _ around: ID?, _ events: [String], _ timeMs: Double?, _ callee: ID?,
    _ heardMs: Double?
  ) -> Call {
    if let call = named(of: end, ids, around) { return call }
    guard let current = current[end], let before = progress[current] else { return begin(end) }
    if before.contradicts(ids) || around.map({ before.contradicts([$0]) }) == true { return begin(end) }
    let isOther =
      before.endsBefore(events, timeMs, callee) || before.fellSilent(events, timeMs, heardMs)
      || before.beganAfter(events, timeMs)
    return isOther ? begin(end) : current
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

/// How far a logged call has come, as far as the next one depends on it.
private struct CallProgress {
  private var ids: [String: Set<String>] = [:]
  private var hasBegun = false
  /// Whether its beginning was told.
  private var hasOpened = false
  private var wasEstablished = false
  private var hasEnded = false
  private var hasFailed = false
  private var overMs: Double?
  private var lastMs: Double?
  /// When its own events began.
  private var beganMs: Double?
  /// Who was called last, by the argument that said so.
  private var callees: [String: String] = [:]

  /// Most ids kept of one call.
  private static let limit = 32
  /// What a call still says so soon after its end is no new call, ms.
  private static let echoMs = 1000.0

  var isOver: Bool { hasEnded || hasFailed }
  var isOpen: Bool { hasBegun && !isOver }

  mutating func note(_ events: [String], _ more: [CallCut.ID], _ timeMs: Double?) {
    for id in more where ids.count < Self.limit && ids[id.name]?.count ?? 0 < Self.limit {
      ids[id.name, default: []].insert(id.value)
    }
    if let timeMs { lastMs = max(lastMs ?? timeMs, timeMs) }
    for event in events {
      hasOpened = hasOpened || event == "call.established" || EventVocabulary.openings.contains(event)
      if event.hasPrefix("call.") || event.hasPrefix("sdp.") {
        hasBegun = true
        if let timeMs { beganMs = min(beganMs ?? timeMs, timeMs) }
      }
      switch event {
      case "call.ended":
        hasEnded = true
        overMs = timeMs ?? overMs
      case "call.failed":
        hasFailed = true
        overMs = timeMs ?? overMs
      case "call.established", "call.handed-over":
        (wasEstablished, hasEnded, hasFailed) = (true, false, false)
      case "push.expired":
        // Of a call that goes on, it is another one's.
        if !hasBegun { (hasEnded, overMs) = (true, timeMs ?? overMs) }
      default:
        // Another attempt of this call.
        if EventVocabulary.openings.contains(event) { (hasEnded, hasFailed) = (false, false) }
      }
    }
  }

  func contradicts(_ others: [CallCut.ID]) -> Bool {
    others.contains { id in ids[id.name].map { !$0.contains(id.value) } ?? false }
  }

  /// Whether the call was over before these events, which begin another.
  func endsBefore(_ events: [String], _ timeMs: Double?, _ next: CallCut.ID? = nil) -> Bool {
    guard isOver, let opening = events.first(where: EventVocabulary.openings.contains) else { return false }
    let since = timeMs.flatMap { now in overMs.map { now - $0 } }
    // Lines are not always in order.
    if let since, since < 0 { return false }
    switch opening {
    case "call.incoming", "call.alerting", "push.received": return true
    case "call.created", "call.dialing", "token.requested": break
    default:
      // An offer after a failure may be an ICE restart, and states may be told late.
      guard hasEnded || opening.hasPrefix("call."), since ?? .infinity >= Self.echoMs else { return false }
    }
    // Nobody was reached, and the same is tried again; another callee is another call.
    if !wasEstablished, hasFailed { return since ?? 0 > CallCut.redialMs || isAnother(next) }
    return true
  }

  /// Whether nothing more was heard of the call, neither by events nor by the statistics that had told of it, before something
  /// that begins one: a page that is loaded again closes nothing.
  func fellSilent(_ events: [String], _ timeMs: Double?, _ heardMs: Double?) -> Bool {
    guard let timeMs, let heardMs, events.contains(where: Self.beginnings.contains) else { return false }
    return timeMs - max(heardMs, lastMs ?? heardMs) > LoggedEnd.silenceMs
  }

  /// Whether these events, of which the log tells later, came before all of the call: the parts of a log stand in the wrong order. A
  /// line that is merely late belongs to what is going on, and so may what precedes a call of which only the end was told.
  func beganAfter(_ events: [String], _ timeMs: Double?) -> Bool {
    let lateMs = isOver && hasOpened ? Self.echoMs : LoggedEnd.silenceMs
    guard let timeMs, let beganMs, timeMs < beganMs - lateMs else { return false }
    guard isOver else { return events.contains(where: Self.beginnings.contains) }
    return events.contains { $0.hasPrefix("call.") || EventVocabulary.openings.contains($0) }
  }

  private static let beginnings = EventVocabulary.openings.filter { $0.hasPrefix("call.") }

  mutating func note(_ callee: CallCut.ID) {
    guard callees.count < Self.limit || callees[callee.name] != nil else { return }
    callees[callee.name] = callee.value.lowercased()
  }

  private func isAnother(_ next: CallCut.ID?) -> Bool {
    guard let next, let callee = callees[next.name] else { return false }
    return next.value.lowercased() != callee
  }
}
