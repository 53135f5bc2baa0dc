import CallModel

/// Joins what the parts of one rotated log (`app.log.1`, `app.log`) tell of one call: one end, for the log went on where it was cut.
///
/// That the call is one is known by then. Who writes at the same time is another end, whatever the files are called.
func joinRotated(
  _ views: [ConnectionView], _ corrections: Corrections, calls: inout DisjointSets, ends: inout DisjointSets
) {
  var logs: [Log: [Int]] = [:]
  for (place, view) in views.enumerated() where !view.isWhole && view.firstMs != nil && view.lastMs != nil {
    logs[Log(call: calls.root(place), name: RotatedName(path: view.path).log), default: []].append(place)
  }
  for places in logs.values where places.count > 1 {
    let inOrder = places.sorted { (views[$0].firstMs ?? 0, $0) < (views[$1].firstMs ?? 0, $1) }
    for (before, after) in zip(inOrder, inOrder.dropFirst()) where goesOn(views[before], in: views[after]) {
      if !corrections.haveSplit(views[before].part, views[after].part) { ends.join(before, after) }
    }
  }
}

private struct Log: Hashable {
  var call: Int
  var name: String
}

private func goesOn(_ before: ConnectionView, in after: ConnectionView) -> Bool {
  guard let last = before.lastMs, let first = after.firstMs else { return false }
  let directions = Set([before.direction, after.direction]).subtracting([.unknown])
  let people = (before[.person], after[.person])
  return before.source != after.source && before.path != after.path && last <= first && directions.count < 2
    && LoggedCall(name: before.name).end == LoggedCall(name: after.name).end
    && before.endpoint == after.endpoint
    && (people.0.isEmpty || people.1.isEmpty || !people.0.isDisjoint(with: people.1))
}

/// The name of a log without what rotation adds to it: a number behind a dot, a day or an hour, what packed it.
struct RotatedName {
  /// The path of the log as it would be if it were not cut.
  let log: String

  private static let packed: Set<Substring> = ["gz", "zst", "br", "bz2", "xz"]

  // By bytes: what is cut at is ASCII, and characters would be looked up one by one.
  init(path: String) {
    let bytes = path.utf8
    let start = bytes.lastIndex(of: UInt8(ascii: "/")).map(bytes.index(after:)) ?? bytes.startIndex
    var parts = bytes[start...].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if parts.count > 1, let last = parts.last, Self.packed.contains(Substring(last)) { parts.removeLast() }
    let names = parts.enumerated().compactMap { place, part -> String? in
      if place > 0, !part.isEmpty, Self.isCount(part) { return nil }
      return String(Substring(Self.withoutDay(part)))
    }
    log = path[..<start] + names.joined(separator: ".")
  }

  // `1`, `20261120`, `2026-11-20`, `2026-11-20T10`.
  private static func isCount(_ part: Substring.UTF8View) -> Bool {
    part.allSatisfy { (48...57).contains($0) || $0 == 45 || $0 == 95 || $0 == 84 }
  }

  // `app-2026-11-20`, `app_20261120-10`: from the year on, where the rest is digits.
  private static func withoutDay(_ part: Substring.UTF8View) -> Substring.UTF8View {
    for mark in part.indices where part[mark] == UInt8(ascii: "-") || part[mark] == UInt8(ascii: "_") {
      let rest = part[part.index(after: mark)...]
      if rest.prefix(8).count == 8, rest.starts(with: "20".utf8) || rest.starts(with: "19".utf8),
        isCount(rest)
      {
        return part[..<mark]
      }
    }
    return part
  }
}
