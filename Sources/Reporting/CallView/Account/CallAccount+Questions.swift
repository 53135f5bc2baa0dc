import CallModel

extension CallAccount {
  /// The moment from which relative times count: the start of the call.
  var zeroMs: Double? {
    call.startedMs ?? ends.compactMap { $0.windows.first?.startMs }.min()
      ?? events.compactMap(\.record.timeMs).min()
  }

  /// The last moment of the call that anything is known of.
  var lastMs: Double? {
    let windows = ends.compactMap { $0.windows.last?.endMs }
    let streams = ends.flatMap(\.streams).compactMap(\.lastMs)
    let heard =
      (windows + streams + [spanOfCall(events.map(\.record), media: [])?.upperBound].compactMap { $0 }).max()
    let ended = zeroMs.flatMap { zero in call.durationMs.map { zero + $0 } }
    return [heard, ended].compactMap { $0 }.max()
  }

  /// The attempt that tells the call's setup: the ends in the order in which the store has them, as where the call's figure was
  /// taken from, which may be of either where both called.
  var leadingAttempt: SetupAttempt? {
    SetupAttempt.leading(ends.sorted { $0.name < $1.name }.map(\.attempts))
  }

  /// How a call that had stood was brought back, by the end that tells most of it.
  var restarts: [SetupAttempt] {
    ends.map { $0.attempts.filter(\.isRestart) }.max { $0.count < $1.count } ?? []
  }

  /// Whether connectivity checks were begun.
  var triedICE: Bool {
    events.contains { $0.record.event == "ice.checking" || $0.record.event == "ice.failed" }
  }

  /// Whether a path was found before the connection stood.
  var foundPath: Bool { events.contains { $0.record.event == "ice.connected" } }

  /// Whether media of an end reached one that had the keys to open it.
  var wasHeard: Bool { ends.contains { $0.reachedTheOther && !isKeyless($0) } }

  private func isKeyless(_ end: EndAccount) -> Bool {
    let told = Set(events.lazy.filter { $0.end == end.name }.map(\.record.event))
    return told.contains("dtls.failed") && !told.contains("dtls.connected")
  }

  /// Whether an end tells in so many words that the call was answered.
  var isAnswered: Bool {
    events.contains { ["call.answered", "call.media-pending"].contains($0.record.event) }
  }

  /// The events of one account where several files tell the same: for each end and name the file that knows most speaks.
  var ownEvents: [AccountEvent] {
    var names: [Int64: Set<String>] = [:]
    for event in events { names[event.source, default: []].insert(event.record.event) }
    // Keys tell which was stored first, which of files read side by side is chance.
    let paths = Dictionary(sources.map { ($0.key, $0.path) }, uniquingKeysWith: { first, _ in first })
    func isRicher(_ a: Int64, _ b: Int64) -> Bool {
      let (countA, countB) = (names[a]?.count ?? 0, names[b]?.count ?? 0)
      return countA == countB ? (paths[a] ?? "", a) < (paths[b] ?? "", b) : countA > countB
    }
    var speaker: [String: Int64] = [:]
    for event in events {
      let key = "\(event.end ?? "") \(event.record.event)"
      if let other = speaker[key], !isRicher(event.source, other) { continue }
      speaker[key] = event.source
    }
    return events.filter {
      $0.record.event == "unknown" || speaker["\($0.end ?? "") \($0.record.event)"] == $0.source
    }
  }
}

extension EndAccount {
  /// Whether anything of the far end's media arrived.
  var reachedTheOther: Bool {
    streams.contains { $0.direction == .inbound && ($0.number("packets") ?? 0) > 0 }
  }

  /// The streams that judge this end; where the same medium was seen twice, once. Repeats of a stream's packets (RFC 4588) are
  /// that stream's.
  var ownStreams: [StreamAccount] {
    let repairs = Set(
      streams.compactMap { stream in stream.number("rtx_ssrc").map { "\(stream.direction) \($0)" } })
    let streams = streams.filter { stream in
      stream.ssrc.map { !repairs.contains("\(stream.direction) \(Double($0))") } ?? true
    }
    let chosen = streams.filter(\.chosen)
    if !chosen.isEmpty { return chosen }
    let hasStats = streams.contains { $0.source == .stats }
    let source = windowSource ?? (hasStats ? .stats : .capture)
    let own = streams.filter { $0.source == source }
    var seen: Set<String> = []
    // Chosen streams come first; two files may tell of the same one.
    return (own.isEmpty ? streams : own).sorted { $0.chosen && !$1.chosen }.filter { stream in
      guard let ssrc = stream.ssrc else { return true }
      return seen.insert("\(stream.direction.rawValue) \(ssrc)").inserted
    }
  }

  /// The source that most of its own streams come from, and those in which these streams go on; nil where none is known.
  var mainSources: Set<Int64>? {
    let told = ownStreams.flatMap { stream in
      stream.parts.compactMap { part in part.source.map { (source: $0, stream: stream) } }
    }
    let counts = Dictionary(grouping: told, by: \.source).mapValues(\.count)
    guard let main = counts.min(by: { ($1.value, $0.key) < ($0.value, $1.key) })?.key else { return nil }
    func name(_ stream: StreamAccount) -> String? { stream.ssrc.map { "\(stream.direction.rawValue) \($0)" } }
    let going = Set(told.filter { $0.source == main }.compactMap { name($0.stream) })
    return Set(told.filter { name($0.stream).map(going.contains) ?? false }.map(\.source)).union([main])
  }

  /// `Chrome 156 on Linux`, as far as the user agent tells.
  var client: String? {
    userAgent.map { ClientWords.short($0, system: system) } ?? system.map { VisibleText.visible($0) }
  }
}
