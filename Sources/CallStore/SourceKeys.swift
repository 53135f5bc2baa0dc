import CallModel

/// A set of source keys, as ranges: an import stores its sources with consecutive keys, so that the keys of a night are
/// hardly more than one range.
public struct SourceKeys: Sendable, Equatable {
  private(set) var ranges: [ClosedRange<Int64>] = []

  /// An empty set.
  public init() {}

  /// Adds a key, which may already be in the set.
  public mutating func insert(_ key: Int64) {
    // The first range that contains the key, ends just before it, or lies after it.
    let low = ranges.endOfPrefix { $0.upperBound < key - 1 }
    guard low < ranges.count, ranges[low].lowerBound <= key + 1 else {
      return ranges.insert(key...key, at: low)
    }
    ranges[low] = min(ranges[low].lowerBound, key)...max(ranges[low].upperBound, key)
    if low + 1 < ranges.count, ranges[low + 1].lowerBound == ranges[low].upperBound + 1 {
      ranges[low] = ranges[low].lowerBound...ranges[low + 1].upperBound
      ranges.remove(at: low + 1)
    }
  }

  /// A JSON array of pairs of the first and the last key, for `json_each`.
  var json: String {
    "[" + ranges.map { "[\($0.lowerBound),\($0.upperBound)]" }.joined(separator: ",") + "]"
  }

  /// The connections of the sources, as SQL after FROM; parameter 1 is `json`.
  static let connections = """
    json_each(?1) AS range CROSS JOIN source_views AS c
      ON c.source_id BETWEEN json_extract(range.value, '$[0]') AND json_extract(range.value, '$[1]')
    """
}

extension Store {
  /// Keys of the calls that have connections in the sources.
  public func calls(of sources: SourceKeys) throws -> [Int64] {
    try exclusive {
      try connection.rows(
        "SELECT DISTINCT c.call_key FROM \(SourceKeys.connections) WHERE c.call_key IS NOT NULL", sources.json
      ) { $0.int64(0) }
    }
  }

  /// Number of calls that have connections in the sources.
  public func countCalls(of sources: SourceKeys) throws -> Int {
    try exclusive {
      let count = try connection.first(
        "SELECT count(DISTINCT c.call_key) FROM \(SourceKeys.connections)", sources.json)
      return Int(count?.integer ?? 0)
    }
  }
}
