/// Keys of sources, those without a gap together: what an import stores has one after the other, so that the keys of a night
/// are hardly more than one range.
public struct SourceKeys: Sendable, Equatable {
  private(set) var ranges: [ClosedRange<Int64>] = []

  /// None.
  public init() {}

  /// Adds a key, which may be among them.
  public mutating func insert(_ key: Int64) {
    // The first range that holds it, ends just before it, or lies behind it.
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < key - 1 { low = middle + 1 } else { high = middle }
    }
    guard low < ranges.count, ranges[low].lowerBound <= key + 1 else {
      return ranges.insert(key...key, at: low)
    }
    ranges[low] = min(ranges[low].lowerBound, key)...max(ranges[low].upperBound, key)
    if low + 1 < ranges.count, ranges[low + 1].lowerBound == ranges[low].upperBound + 1 {
      ranges[low] = ranges[low].lowerBound...ranges[low + 1].upperBound
      ranges.remove(at: low + 1)
    }
  }

  /// As a JSON array of pairs, the first key and the last, for `json_each`.
  var json: String {
    "[" + ranges.map { "[\($0.lowerBound),\($0.upperBound)]" }.joined(separator: ",") + "]"
  }

  /// The connections of the sources, as SQL behind a FROM; the keys are its parameter 1.
  static let connections = """
    json_each(?1) AS range CROSS JOIN connections AS c
      ON c.source_id BETWEEN json_extract(range.value, '$[0]') AND json_extract(range.value, '$[1]')
    """
}

extension Store {
  /// Keys of the calls that the sources have a part in.
  public func calls(of sources: SourceKeys) throws -> [Int64] {
    try exclusive {
      try connection.rows(
        "SELECT DISTINCT c.call_key FROM \(SourceKeys.connections) WHERE c.call_key IS NOT NULL", sources.json
      ) { $0.int64(0) }
    }
  }

  /// How many calls the sources have a part in.
  public func countCalls(of sources: SourceKeys) throws -> Int {
    try exclusive {
      let count = try connection.first(
        "SELECT count(DISTINCT c.call_key) FROM \(SourceKeys.connections)", sources.json)
      return Int(count?.integer ?? 0)
    }
  }
}
