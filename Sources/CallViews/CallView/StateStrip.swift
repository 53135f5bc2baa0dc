import CallModel
import Rendering

/// The states of an end during its call, from its SDK's log: one strip, and below it the duration of each state. For
/// ends without statistics, which have nothing else to show.
struct StateStrip {
  /// A state, and the character it is drawn with.
  package enum State: String, CaseIterable {
    case dialling, ringing, connecting, waiting, connected, held, out

    package var sign: Character {
      switch self {
      case .dialling: "·"
      case .ringing: "░"
      case .connecting: "▒"
      case .waiting: "w"
      case .connected: "█"
      case .held: "h"
      case .out: "×"
      }
    }
  }

  /// A period in one state, ms.
  package struct Part: Equatable {
    package var state: State
    package var fromMs: Double
    package var untilMs: Double
  }

  /// In order without gaps, from the first event of the call to its end.
  package let parts: [Part]
  /// The client's own rating of what it received, 0 to 100; each value is valid until the next.
  package let reported: [(timeMs: Double, value: Double)]

  /// Derives the states from the events of one end in time order; empty if the call never began, or has no end.
  /// - Parameter attempts: the setup attempts derived from them: when it rang, and which call was never established.
  package init(_ events: [EventRecord], attempts: [SetupAttempt] = []) {
    reported = events.compactMap { event in
      LoggedFigures.quality(of: event).flatMap { value in event.ownTimeMs.map { ($0, value) } }
    }
    guard let first = events.first(where: { EventName.openings.contains($0.event) })?.ownTimeMs,
      let last = events.last(where: { $0.event.isEnd })?.ownTimeMs
        ?? events.compactMap(\.ownTimeMs).max(), last > first
    else {
      parts = []
      return
    }
    let states = AttemptStates(attempts)
    var changes: [(timeMs: Double, state: State)] = [(first, .dialling)]
    for event in events {
      guard let time = event.ownTimeMs, time >= first, time <= last,
        let state = states.state(after: event, at: time, from: changes.last?.state ?? .dialling)
      else { continue }
      changes.append((time, state))
    }
    var parts = zip(changes, changes.dropFirst().map(\.timeMs) + [last]).map {
      Part(state: $0.state, fromMs: $0.timeMs, untilMs: $1)
    }
    // An outage overrides the other states.
    for outage in events.serviceOutages where !states.isNoOutage(outage) {
      let (start, end) = (max(first, outage.startMs), min(last, outage.endMs ?? last))
      guard end > start else { continue }
      parts = parts.flatMap { part -> [Part] in
        guard part.fromMs < end, part.untilMs > start else { return [part] }
        return [
          Part(state: part.state, fromMs: part.fromMs, untilMs: max(part.fromMs, start)),
          Part(state: .out, fromMs: max(part.fromMs, start), untilMs: min(part.untilMs, end)),
          Part(state: part.state, fromMs: min(part.untilMs, end), untilMs: part.untilMs),
        ]
      }
    }
    self.parts = parts.filter { $0.untilMs > $0.fromMs }.reduce(into: []) { joined, part in
      if joined.last?.state == part.state {
        joined[joined.count - 1].untilMs = part.untilMs
      } else {
        joined.append(part)
      }
    }
  }

  /// The strip and its legend; empty if the end was in only one state.
  package func lines(width: Int) -> [String] {
    guard parts.count > 1, let first = parts.first?.fromMs, let last = parts.last?.untilMs else { return [] }
    let columns = max(20, min(64, width - 2))
    let strip = (0..<columns).map { column -> Character in
      let (from, until) = (
        first + (last - first) * Double(column) / Double(columns),
        first + (last - first) * Double(column + 1) / Double(columns)
      )
      // The rarest state within a column, so that a short outage is visible.
      let touched = parts.filter { $0.fromMs < until && $0.untilMs > from }
      let shown = touched.max { $0.state.weight(in: $0, from, until) < $1.state.weight(in: $1, from, until) }
      return shown?.state.sign ?? " "
    }
    let legend = State.allCases.compactMap { state -> String? in
      let lasted = parts.filter { $0.state == state }.reduce(0) { $0 + $1.untilMs - $1.fromMs }
      return lasted > 0 ? "\(state.sign) \(state.rawValue) \(Measure.duration(lasted))" : nil
    }
    return [String(strip)] + quality(columns, first, last)
      + VisibleText.wrap(legend.joined(separator: ", "), to: width)
      + VisibleText.wrap(qualityWords, to: width).filter { !$0.isEmpty }
  }

  /// The reported quality below the states: for each column the lowest value in its period.
  private func quality(_ columns: Int, _ first: Double, _ last: Double) -> [String] {
    guard !reported.isEmpty else { return [] }
    let bars: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    let line = (0..<columns).map { column -> Character in
      let from = first + (last - first) * Double(column) / Double(columns)
      let until = first + (last - first) * Double(column + 1) / Double(columns)
      let held = reported.last { $0.timeMs <= from }?.value
      let within = reported.filter { $0.timeMs > from && $0.timeMs < until }.map(\.value)
      guard let worst = ([held].compactMap { $0 } + within).min() else { return " " }
      return bars[min(7, Int(worst / 12.5))]
    }
    return [String(line)]
  }

  private var qualityWords: String {
    guard !reported.isEmpty else { return "" }
    let most = 12
    let values = reported.prefix(most).map {
      CellText.fixed($0.value, decimals: $0.value == $0.value.rounded() ? 0 : 1)
    }.joined(separator: " ")
    return "▁▄█ quality, the client's own: " + values
      + (reported.count > most ? " … (\(reported.count) reports)" : "")
  }
}

/// The states of an end according to its setup attempts, so that both views agree.
private struct AttemptStates {
  private let attempts: [(fromMs: Double, hasFailed: Bool)]
  /// The events that ended the ringing.
  private let answers: Set<EventName>

  init(_ attempts: [SetupAttempt]) {
    let inVain: [Outcome] = [.failed, .rejected, .busy, .noAnswer, .cancelled]
    self.attempts = attempts.map { attempt in
      let fromMs = attempt.startMs ?? attempt.phases.compactMap(\.startMs).min() ?? -.infinity
      return (fromMs, inVain.contains(attempt.outcome) && !attempt.isRestart)
    }
    answers = Set(
      attempts.compactMap { attempt in
        attempt.phases.first { $0.name == .ringing && $0.state == .measured }?.toEvent
      })
  }

  /// The state that an event starts; nil if it changes nothing.
  func state(after event: EventRecord, at timeMs: Double, from state: StateStrip.State) -> StateStrip.State? {
    switch event.event {
    // A captured INVITE does not ring.
    case .callIncoming where event.isOfCapture: return nil
    case .callRinging, .callAlerting, .callIncoming: return .ringing
    case .conferenceWaiting: return .waiting
    case .conferenceAdmitted: return state == .waiting ? .connected : nil
    case .callEstablished: return state == .waiting ? nil : hasFailed(at: timeMs) ? .connecting : .connected
    case .callHeld: return .held
    case .callResumed: return .connected
    case .callEnded, .callFailed: return nil
    default: return state == .ringing && answers.contains(event.event) ? .connecting : nil
    }
  }

  /// Whether it concerns the path of a call that was never established.
  func isNoOutage(_ outage: ServiceOutage) -> Bool {
    outage.service == .path && hasFailed(at: outage.startMs)
  }

  private func hasFailed(at timeMs: Double) -> Bool {
    (attempts.last { $0.fromMs <= timeMs } ?? attempts.first)?.hasFailed ?? false
  }
}

extension StateStrip.State {
  /// Weight of a state in a column: its duration there, increased for problem states.
  fileprivate func weight(in part: StateStrip.Part, _ from: Double, _ until: Double) -> Double {
    let time = min(part.untilMs, until) - max(part.fromMs, from)
    return self == .out ? time * 10 : time
  }
}
