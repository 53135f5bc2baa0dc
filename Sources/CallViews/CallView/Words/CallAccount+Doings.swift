import CallModel
import Rendering

extension CallAccount {
  /// What was done in the call beside talking, in order of time: the first of each kind, as the events have all.
  var doings: [String] {
    guard let start = zeroMs else { return [] }
    var done: [(atMs: Double, what: String)] = []
    func add(_ events: [AccountEvent], _ what: (AccountEvent) -> String?) {
      if let first = events.first, let atMs = first.record.timeMs, let what = what(first) {
        done.append((atMs, what))
      }
    }
    func who(_ event: AccountEvent) -> String { EndWords.name(event.record[.by] ?? event.end ?? "an end") }
    func events(_ name: EventName) -> [AccountEvent] { ownEvents.filter { $0.record.event == name } }
    for keys in Dictionary(grouping: events(.callDtmf), by: who).values {
      add(keys) { "\(who($0)) pressed \(Plural.of(keys.count, "key"))" }
    }
    add(events(.callTransferred)) { "\(who($0)) transferred the call" }
    func isVideo(_ event: AccountEvent) -> Bool { event.record[.kind] == "video" }
    // A picture that was taken away before was no addition.
    if !events(.mediaTakenAway).contains(where: isVideo) {
      add(events(.mediaGivenBack).filter(isVideo)) { _ in "video was added" }
    }
    add(ownEvents.filter { $0.record.note == .fax }) {
      let (out, back) = ($0.record[.fromCaller] ?? 0, $0.record[.fromCallee] ?? 0)
      return
        "fax took the place of sound (\(Plural.of(out, "datagram")) from the caller, \(back) from the callee)"
    }
    return done.sorted { ($0.atMs, $0.what) < ($1.atMs, $1.what) }.prefix(4).map {
      Measure.sentence("\($0.what) at \(Measure.clock($0.atMs - start)).")
    }
  }
}
