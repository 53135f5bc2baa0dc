import Rendering

/// A source as one line of text.
enum SourceWords {
  /// The names of sources by key: of each the end of its path that no other has, `caller.pcap`, or `b/call.pcap` where
  /// another is `a/call.pcap`.
  package static func names(_ sources: [SourceFacts]) -> [Int64: String] {
    func end(_ path: String, _ parts: Int) -> String {
      path.split(separator: "/").suffix(parts).joined(separator: "/")
    }
    var names: [Int64: String] = [:]
    var left = sources
    for parts in 1...maxParts where !left.isEmpty {
      let paths = Dictionary(grouping: Set(sources.map(\.path))) { end($0, parts) }
      for source in left where parts == maxParts || (paths[end(source.path, parts)]?.count ?? 0) < 2 {
        names[source.key] = end(source.path, parts)
      }
      left.removeAll { names[$0.key] != nil }
    }
    return names
  }

  /// Maximum number of folders in a name, and the file.
  private static let maxParts = 4

  /// `run-log, clock 12 ms ahead, 3 rejected`.
  package static func facts(_ source: SourceFacts) -> String {
    var facts = [source.format ?? "format unknown"]
    if source.status != "imported" { facts.append(source.status) }
    if let skew = source.skewMs, abs(skew) >= 0.5 {
      facts.append("clock \(Measure.duration(abs(skew))) \(skew > 0 ? "ahead" : "behind")")
    }
    if source.rejected > 0 { facts.append("\(source.rejected) rejected") }
    return facts.joined(separator: ", ")
  }
}
