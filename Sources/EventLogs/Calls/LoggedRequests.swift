import Bytes
import CallModel
import LogText

/// Matches requests with answers that are logged on separate lines, and measures the time between them.
struct LoggedRequests {
  /// What a line says about a request.
  struct Line {
    /// The path, by which an answer is matched with its request.
    var path: String
    var kind: Kind
    /// The step that the line reports, if the log has separate lines for request and answer; nil if there is
    /// only this line.
    var step: Step?
    /// Whether the body of the answer may follow on the next lines.
    var mayHaveBody = false
  }

  /// A line about the request alone, one about the answer alone (`<-- 200 …`), and one that may be both.
  enum Kind { case question, answer, whole }

  /// The request, in a log with separate answers; or the answer, and whether its request has already been
  /// reported as the event.
  enum Step: Equatable { case asked, answered(wasReported: Bool) }

  private struct Open {
    var timeMs: Double?
    var wasReported: Bool
    var raw: String
    var arguments: LogArguments
  }

  private var open: [String: Open] = [:]
  private var order: [String] = []
  /// The ends whose logs have separate lines for answers.
  private var answering: Set<String> = []

  /// The maximum number of pending requests, and the maximum length of a path in bytes.
  private static let most = Limit.openRequests.value
  private static let longest = 512

  /// Determines which step a line reports.
  mutating func settle(_ raw: inout RawEvent, of end: String) {
    if raw.raw == AnswerLine.raw { takeLast(&raw, of: end) }
    guard let line = raw.request, line.path.utf8.count <= Self.longest else { return }
    let key = "\(end)|\(line.path)"
    if line.kind == .question {
      let hasSeparateAnswers = answering.contains(end)
      raw.request?.step = hasSeparateAnswers ? .asked : nil
      remember(
        key,
        Open(timeMs: raw.timeMs, wasReported: !hasSeparateAnswers, raw: raw.raw, arguments: raw.arguments))
      return
    }
    guard let question = open.removeValue(forKey: key) else { return }
    order.removeAll { $0 == key }
    if answering.count < Self.most { answering.insert(end) }
    raw.request?.step = .answered(wasReported: question.wasReported)
    guard let asked = question.timeMs, let now = raw.timeMs, now >= asked else { return }
    var lasted = ByteWriter()
    lasted.append(now - asked)
    raw.arguments.add("round_trip_ms", word: lasted.string)
  }

  private mutating func takeLast(_ raw: inout RawEvent, of end: String) {
    guard let key = order.last(where: { $0.hasPrefix("\(end)|") }), let question = open[key] else { return }
    raw.raw = question.raw
    raw.arguments = raw.arguments.adding(question.arguments)
    raw.request = Line(path: String(key.dropFirst(end.count + 1)), kind: .answer)
  }

  private mutating func remember(_ key: String, _ question: Open) {
    if open.updateValue(question, forKey: key) == nil { order.append(key) }
    if order.count > Self.most { open[order.removeFirst()] = nil }
  }
}

/// What is known about a call when an event occurs whose meaning depends on it.
struct CallContext {
  /// Which end the log comes from, if known.
  var direction: CallDirection?
  /// Whether the call is established and not over.
  var isActive = false
  /// The last state that the SDK reported, normalised.
  var state: String?
  /// For a request that is logged separately from its answer: which of the two the line reports.
  var step: LoggedRequests.Step?
}

extension Dialect.Entry {
  /// Whether the meaning depends on how far the call has come.
  var isOpen: Bool { !variants.isEmpty || !after.isEmpty }

  /// The meaning in the given call.
  func fitting(_ call: CallContext) -> Dialect.Entry {
    var entry = inCall(call)
    switch call.step {
    case .asked: entry.events = asked ?? entry.events
    // An event with only one meaning was reported with the request.
    case .answered where asked == nil && answered == nil && !entry.events.isEmpty:
      entry.events = [.sessionRequest]
    case .answered(let wasReported): entry.events = answered ?? (wasReported ? asked : nil) ?? entry.events
    case nil: break
    }
    return entry
  }

  private func inCall(_ call: CallContext) -> Dialect.Entry {
    if call.isActive, let entry = variants[.established] { return entry }
    switch call.direction {
    case nil: return call.state.flatMap { after[$0] } ?? self
    case .incoming: return variants[.incoming] ?? self
    default: return self
    }
  }

  /// The events that apply instead if this end turns out to be the callee; empty if they are the same, if the
  /// direction is known, or if they do not correspond one to one.
  func ifIncoming(_ call: CallContext) -> [EventName] {
    guard call.direction == nil, let events = variants[.incoming]?.events else { return [] }
    return events.count == self.events.count ? events : []
  }
}
