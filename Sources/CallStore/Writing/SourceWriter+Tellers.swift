import CallModel

/// A log of one application tells by its events what happened at an end, and by its statistics how it was there. Where it names
/// neither, or only one of them, they are known by their time.
extension SourceWriter {
  private typealias Pair = (told: Int, measured: Int)

  /// Joins what a log tells by events alone with what it tells by statistics, where at that time it tells of one of each.
  func joinTellers() {
    guard let format = header.format, Self.logs.contains(format) else { return }
    for stream in streams { parts[resolved(stream.part)].span.add(stream.span) }
    let media = Set((streams.map(\.part) + paths.map(\.part)).map(resolved))
    let ends = parts.indices.filter { !parts[$0].whole && parts[$0].mergedInto == nil }
    let told = ends.filter { parts[$0].hasEvents && !media.contains($0) }
    // Who tells of so many has names for them.
    guard !told.isEmpty, told.count <= Self.mostUnnamed, media.count <= Self.mostUnnamed else { return }
    let pairs = told.flatMap { end -> [Pair] in
      let measured = media.filter { parts[end].mayTell(of: parts[$0]) }
      return named(measured, by: end).map { (told: end, measured: $0) }
    }
    let met = pairs.filter { pair in
      pairs.allSatisfy { other in
        other.told != pair.told && other.measured != pair.measured || other == pair
          || other.told == pair.told && parts[other.measured].tookPlace(of: parts[pair.measured])
      }
    }
    met.forEach(join)
    let alone = told.filter { end in
      parts[end].tellsOfCall == true && !met.contains { $0.told == end }
    }
    let silent = media.filter { parts[$0].mergedInto == nil && !parts[$0].hasEvents }
    joinNeighbours(alone, Array(silent))
  }

  /// Joins what was told with what was measured shortly after it, or before it: polls that begin when the connection stands,
  /// after the last event that came of it. Never where the log tells of others at that time.
  private func joinNeighbours(_ told: [Int], _ measured: [Int]) {
    let slackMs = LoggedEnd.silenceMs
    let pairs = told.compactMap { end -> Pair? in
      let near = named(
        measured.filter { parts[end].mayTell(of: parts[$0], slackMs: slackMs) }.sorted(), by: end)
      let later = near.filter { parts[end].span.isBefore(parts[$0].span) }
      return nearest(later.isEmpty ? near : later, to: end).map { (told: end, measured: $0) }
    }
    for measured in Set(pairs.map(\.measured)).sorted() {
      let tellers = pairs.filter { $0.measured == measured }.map(\.told)
      if let told = nearest(tellers, to: measured) { join((told, measured)) }
    }
  }

  /// Of several those of whose names the events tell, if there are such.
  private func named<Parts: Collection<Int>>(_ measured: Parts, by told: Int) -> [Int] {
    let names = parts[told].facts.connectionsTold
    let named = measured.filter { LoggedCall(name: parts[$0].facts.name).end.map(names.contains) ?? false }
    return named.isEmpty ? Array(measured) : named
  }

  /// The one that is nearest in time, nil where another was at the same time.
  private func nearest(_ others: [Int], to one: Int) -> Int? {
    let span = parts[one].span
    guard let first = others.min(by: { parts[$0].span.gapMs(to: span) < parts[$1].span.gapMs(to: span) })
    else { return nil }
    let isOnly = others.allSatisfy { $0 == first || parts[$0].span.gapMs(to: parts[first].span) > 0 }
    return isOnly ? first : nil
  }

  private func join(_ pair: Pair) {
    add(parts[pair.measured].facts, to: pair.told)
    parts[pair.told].span.add(parts[pair.measured].span)
    parts[pair.measured].mergedInto = pair.told
  }

  private static let logs: Set<SourceFormat> = [.runLog, .getstatsLines, .getstatsJSON, .sdkText, .googText]
  private static let mostUnnamed = 64
}

extension PartRow {
  /// Whether one of the two took the other's place at one end of one call.
  fileprivate func tookPlace(of other: PartRow) -> Bool {
    let (one, another) = (LoggedCall(name: facts.name), LoggedCall(name: other.facts.name))
    return one.call == another.call && one.connection != another.connection
      && facts.endpoint == other.facts.endpoint && facts.call == other.facts.call
  }

  /// Whether what happened here may be what was measured there: at one time, or nearly so, and not of two names, ends or calls.
  fileprivate func mayTell(of other: PartRow, slackMs: Double = 0) -> Bool {
    guard span.gapMs(to: other.span) <= slackMs else { return false }
    func agree(_ one: String?, _ another: String?) -> Bool { one == nil || another == nil || one == another }
    return agree(LoggedCall(name: facts.name).end, LoggedCall(name: other.facts.name).end)
      && agree(facts.endpoint, other.facts.endpoint) && agree(facts.call, other.facts.call)
  }
}
