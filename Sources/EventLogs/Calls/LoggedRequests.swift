import Bytes
import CallModel
import LogText

/// The requests of a log whose answers stand on lines of their own: which line asks, which one answers, and how long that took.
struct LoggedRequests {
  /// What a line has of a request.
  struct Line {
    /// Its path, by which an answer finds it.
    var path: String
    var kind: Kind
    /// Which step it is, where the log tells both; nil where the line is all there is.
    var step: Step?
    /// Whether the body of the answer may stand below.
    var mayHaveBody = false
  }

  /// A line without a word on the answer, one that only tells the answer (`<-- 200 …`), and one that may be both.
  enum Kind { case question, answer, whole }

  /// The question, in a log that tells answers apart; the answer, and whether its question was told as what the request is.
  enum Step: Equatable { case asked, answered(wasTold: Bool) }

  private struct Open {
    var timeMs: Double?
    var wasTold: Bool
    var raw: String
    var arguments: LogArguments
  }

  private var open: [String: Open] = [:]
  private var order: [String] = []
  /// The ends whose logs tell answers apart.
  private var answering: Set<String> = []

  /// Most requests that wait for their answers, and longest path kept.
  private static let most = 200
  private static let longest = 512

  /// Says which step a line is.
  mutating func settle(_ raw: inout RawEvent, of end: String) {
    if raw.raw == AnswerLine.raw { takeLast(&raw, of: end) }
    guard let line = raw.request, line.path.utf8.count <= Self.longest else { return }
    let key = "\(end)|\(line.path)"
    if line.kind == .question {
      let tellsApart = answering.contains(end)
      raw.request?.step = tellsApart ? .asked : nil
      remember(key, Open(timeMs: raw.timeMs, wasTold: !tellsApart, raw: raw.raw, arguments: raw.arguments))
      return
    }
    guard let question = open.removeValue(forKey: key) else { return }
    order.removeAll { $0 == key }
    if answering.count < Self.most { answering.insert(end) }
    raw.request?.step = .answered(wasTold: question.wasTold)
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

/// What is known of a call when a word comes that means one thing or another by it.
struct CallContext {
  /// Which end the log is of, once something told.
  var direction: CallDirection?
  /// Whether the call was set up and is not over.
  var isStanding = false
  /// The state that the SDK named last, normalised.
  var state: String?
  /// Of a request that is logged apart from its answer, which of both a line is.
  var step: LoggedRequests.Step?
}

extension Dialect.Entry {
  /// Whether what it means depends on how far the call has come.
  var isOpen: Bool { !variants.isEmpty || !after.isEmpty }

  /// What it means in a call.
  func fitting(_ call: CallContext) -> Dialect.Entry {
    var entry = inCall(call)
    switch call.step {
    case .asked: entry.events = asked ?? entry.events
    // What has only one meaning was told when it was asked.
    case .answered where asked == nil && answered == nil && !entry.events.isEmpty:
      entry.events = ["session.request"]
    case .answered(let wasTold): entry.events = answered ?? (wasTold ? asked : nil) ?? entry.events
    case nil: break
    }
    return entry
  }

  private func inCall(_ call: CallContext) -> Dialect.Entry {
    if call.isStanding, let entry = variants[.standing] { return entry }
    switch call.direction {
    case nil: return call.state.flatMap { after[$0] } ?? self
    case .incoming: return variants[.incoming] ?? self
    default: return self
    }
  }

  /// The events that it is after all if the end turns out to be the one that was called; none while that changes nothing, is known,
  /// or is not one event for one.
  func ifIncoming(_ call: CallContext) -> [String] {
    guard call.direction == nil, let events = variants[.incoming]?.events else { return [] }
    return events.count == self.events.count ? events : []
  }
}
