import CallModel

/// A log of one application tells by its events what happened at an end, and by its statistics how it was there. Where it names
/// neither, or only one of them, they are known by their time.
extension SourceWriter {
  /// Joins what a log tells by events alone with what it tells by statistics, where at that time it tells of one of each.
  func joinTellers() {
    guard let format = header.format, Self.logs.contains(format) else { return }
    for stream in streams { parts[resolved(stream.part)].span.add(stream.span) }
    let media = Set((streams.map(\.part) + paths.map(\.part)).map(resolved))
    let ends = parts.indices.filter { !parts[$0].whole && parts[$0].mergedInto == nil }
    let told = ends.filter { parts[$0].hasEvents && !media.contains($0) }
    // Who tells of so many has names for them.
    guard !told.isEmpty, told.count <= Self.mostUnnamed, media.count <= Self.mostUnnamed else { return }
    let pairs = told.flatMap { end in
      media.filter { parts[end].mayTell(of: parts[$0]) }.map { (told: end, measured: $0) }
    }
    for pair in pairs
    where pairs.allSatisfy({ other in
      other.told != pair.told && other.measured != pair.measured || other == pair
        || other.told == pair.told && parts[other.measured].tookPlace(of: parts[pair.measured])
    }) {
      add(parts[pair.measured].facts, to: pair.told)
      parts[pair.told].span.add(parts[pair.measured].span)
      parts[pair.measured].mergedInto = pair.told
    }
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

  /// Whether what happened here may be what was measured there: at one time, and not of two names, ends or calls.
  fileprivate func mayTell(of other: PartRow) -> Bool {
    guard let first = span.first, let last = span.last, let begin = other.span.first,
      let end = other.span.last,
      begin <= last, end >= first
    else { return false }
    func agree(_ one: String?, _ another: String?) -> Bool { one == nil || another == nil || one == another }
    return agree(LoggedCall(name: facts.name).end, LoggedCall(name: other.facts.name).end)
      && agree(facts.endpoint, other.facts.endpoint) && agree(facts.call, other.facts.call)
  }
}
