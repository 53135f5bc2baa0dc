import CallModel
import CallStore
import Rendering

/// A call as Chrome trace events, for Perfetto and chrome://tracing: one process per end, with setup phases and states
/// as slices, events as instants, and scores and measurements as counters.
public struct CallTrace {
  private let account: CallAccount
  private let lanes: [TimelineLane]
  private let zeroMs: Double

  /// The trace of a call read from a store. Rethrows errors of the store.
  public init(_ account: CallAccount, in store: Store) throws {
    zeroMs = account.zeroMs ?? 0
    self.account = account
    lanes = try TimelineLaneBuilder.lanes(account, in: store, zeroMs: zeroMs)
  }

  /// The trace in JSON object format, with a final line feed.
  public func bytes() -> [UInt8] {
    var json = JSONBuilder()
    json.object { trace in
      trace.member("displayTimeUnit", "ms")
      trace.objects("traceEvents", entries)
      trace.member("call_id", account.call.id)
    }
    return Array((json.text + "\n").utf8)
  }

  private typealias Entry = (inout JSONBuilder) -> Void

  private var entries: [Entry] {
    var entries: [Entry] = []
    for (index, end) in account.ends.enumerated() {
      entries.append { $0.named("process_name", VisibleText.cut(end.name, to: 200), process: index + 1) }
      for attempt in end.attempts { entries += phases(attempt, index) }
      for window in end.windows { entries.append { score(window, index, &$0) } }
    }
    for span in Spans.of(account) {
      let until = span.untilMs ?? account.lastMs ?? span.fromMs
      entries.append { slice(span.label, "state", process(span.end), 2, span.fromMs, until, &$0) }
    }
    for event in account.ownEvents { entries.append { instant(event, &$0) } }
    for entry in account.findings {
      guard let from = entry.finding.startMs else { continue }
      entries.append {
        slice(entry.finding.name, "finding", process(entry.end), 3, from, entry.finding.endMs ?? from, &$0)
      }
    }
    for lane in lanes {
      for line in lane.lines {
        for point in line.series.points {
          guard let value = point.high else { continue }
          entries.append { json in
            json.entry("C", "\(lane.title), \(line.label)", process: line.end + 1, atMs: zeroMs + point.atMs)
            json.objectMember("args") {
              $0.member(lane.unit.isEmpty ? "value" : lane.unit, value * lane.scale)
            }
          }
        }
      }
    }
    return entries
  }

  private func phases(_ attempt: SetupAttempt, _ end: Int) -> [Entry] {
    attempt.phases.enumerated().compactMap { index, phase in
      guard let start = phase.startMs, let lasted = phase.durationMs else { return nil }
      // Phases overlap, so each one has its own thread.
      return {
        slice("setup: \(phase.name.rawValue)", "setup", end + 1, 10 + index, start, start + lasted, &$0)
      }
    }
  }

  private func score(_ window: Window, _ end: Int, _ json: inout JSONBuilder) {
    json.entry("C", "Score", process: end + 1, atMs: window.startMs)
    json.objectMember("args") { $0.member("score", window.score.map(Double.init) ?? 0) }
  }

  private func slice(
    _ name: String, _ category: String, _ process: Int, _ thread: Int, _ fromMs: Double, _ untilMs: Double,
    _ json: inout JSONBuilder
  ) {
    json.entry("X", name, process: process, atMs: fromMs)
    json.member("cat", category)
    json.member("tid", Double(thread))
    json.member("dur", max(1, (untilMs - fromMs) * 1000))
  }

  private func instant(_ event: AccountEvent, _ json: inout JSONBuilder) {
    json.entry(
      "i", EventWords.name(event.record), process: process(event.end), atMs: event.record.timeMs ?? zeroMs)
    json.member("tid", 1)
    json.member("s", "p")
    json.objectMember("args") { arguments in
      for (name, value) in JSONMembers.topLevel(of: event.record.args).prefix(20) {
        arguments.member(VisibleText.cut(name, to: 60), VisibleText.cut(value, to: 300))
      }
    }
  }

  private func process(_ end: String?) -> Int { account.place(of: end).map { $0 + 1 } ?? 0 }
}

extension JSONBuilder {
  fileprivate mutating func objects(_ name: String, _ entries: [(inout JSONBuilder) -> Void]) {
    array(name, entries) { $0.object($1) }
  }

  fileprivate mutating func entry(_ phase: String, _ name: String, process: Int, atMs: Double) {
    member("ph", phase)
    member("name", name)
    member("pid", Double(process))
    member("ts", atMs * 1000)
  }

  fileprivate mutating func named(_ kind: String, _ name: String, process: Int) {
    member("ph", "M")
    member("name", kind)
    member("pid", Double(process))
    objectMember("args") { $0.member("name", name) }
  }
}
