import Bytes
import CSQLite

/// The aggregate function `quantiles_by(key, …, value)`: for each combination of keys the number of rows, the number of
/// values, and their mean, quantiles and maximum.
///
/// The result is a JSON array of objects with `keys` (an array), `rows`, `known`, `mean`, `p10`, `p50`, `p90` and
/// `max`. A quantile is the smallest value whose rank covers that share of all values. `GROUP BY` and window functions
/// give the same result, but sort all rows for it.
enum Quantiles {
  static let name = "quantiles_by"

  static func define(on connection: OpaquePointer) -> Int32 {
    sqlite3_create_function_v2(
      connection, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, nil,
      { context, count, values in
        guard count > 0, let values, let place = sqlite3_aggregate_context(context, 8) else { return }
        let slot = place.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
        let groups: QuantileGroups
        if let known = slot.pointee {
          groups = Unmanaged<QuantileGroups>.fromOpaque(known).takeUnretainedValue()
        } else {
          groups = QuantileGroups()
          slot.pointee = Unmanaged.passRetained(groups).toOpaque()
        }
        groups.add(UnsafeBufferPointer(start: values, count: Int(count)))
      },
      { context in
        // Also called when a query is abandoned, to free the memory.
        let slot = sqlite3_aggregate_context(context, 0)?.assumingMemoryBound(
          to: UnsafeMutableRawPointer?.self)
        let groups = slot?.pointee.map { Unmanaged<QuantileGroups>.fromOpaque($0).takeRetainedValue() }
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let text = groups?.json ?? "[]"
        // If the result is too long, SQLite reports an error instead of truncating it.
        sqlite3_result_text64(context, text, UInt64(text.utf8.count), transient, UInt8(SQLITE_UTF8))
      }, nil)
  }
}

/// The values of one query, by key.
private final class QuantileGroups {
  private struct Group {
    let digested: [UInt8]
    let keys: [String?]
    var rows = 0
    var values = ValueCounts()
  }

  private var groups: [Group] = []
  /// Indices of groups by a hash of their keys; on a collision the next free number is used.
  private var places: [UInt64: Int] = [:]
  private var scratch: [UInt8] = []

  func add(_ arguments: UnsafeBufferPointer<OpaquePointer?>) {
    scratch.removeAll(keepingCapacity: true)
    let keys = arguments.dropLast()
    for key in keys { append(key) }
    let place = place(of: keys)
    groups[place].rows += 1
    guard let value = arguments[arguments.count - 1], sqlite3_value_type(value) != SQLITE_NULL else { return }
    groups[place].values.add(sqlite3_value_double(value))
  }

  // Text cannot contain these two bytes, so NULL differs from any text, and `a`, `bc` from `ab`, `c`.
  private func append(_ key: OpaquePointer?) {
    if sqlite3_value_type(key) == SQLITE_NULL {
      scratch.append(0xFE)
    } else if let text = sqlite3_value_text(key) {
      scratch.append(contentsOf: UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(key))))
    }
    scratch.append(0xFF)
  }

  private func place(of keys: Slice<UnsafeBufferPointer<OpaquePointer?>>) -> Int {
    // FNV-1a.
    var hash = scratch.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    while let place = places[hash] {
      if groups[place].digested == scratch { return place }
      hash &+= 1
    }
    places[hash] = groups.count
    let texts = keys.map { key in
      sqlite3_value_text(key).map { text in
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(key)))
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    groups.append(Group(digested: scratch, keys: texts))
    return groups.count - 1
  }

  /// In the order of the keys, so that the order of the rows does not matter.
  var json: String {
    var out = ByteWriter()
    out.append("[")
    let ordered = groups.sorted { $0.digested.lexicographicallyPrecedes($1.digested) }
    for (number, group) in ordered.enumerated() {
      out.append(number == 0 ? "{\"keys\":[" : ",{\"keys\":[")
      for (place, key) in group.keys.enumerated() {
        if place > 0 { out.append(",") }
        if let key { out.append(json: key) } else { out.append("null") }
      }
      out.append("],\"rows\":\(group.rows),\"known\":\(group.values.count)")
      for (name, figure) in group.values.figures where figure.isFinite {
        out.append(",\"\(name)\":\(figure)")
      }
      out.append("}")
    }
    out.append("]")
    return out.string
  }
}

/// The values of one group. Many figures of calls repeat (scores of two decimals, flags), so while there are few
/// distinct values, each is stored once with its count.
private struct ValueCounts {
  private var counts: [Double: Int] = [:]
  /// All values, once there are too many distinct ones.
  private var values: [Double] = []
  private(set) var count = 0

  private static let maxCounted = 20_000

  mutating func add(_ value: Double) {
    count += 1
    guard values.isEmpty else { return values.append(value) }
    counts[value, default: 0] += 1
    guard counts.count > Self.maxCounted else { return }
    values = counts.flatMap { repeatElement($0.key, count: $0.value) }
    counts = [:]
  }

  /// Mean, quantiles and maximum by name; empty without values.
  var figures: [(name: String, value: Double)] {
    let sorted = (values.isEmpty ? counts.map { ($0.key, $0.value) } : values.map { ($0, 1) }).sorted {
      $0.0 < $1.0
    }
    guard let last = sorted.last else { return [] }
    let shares = [("p10", 0.1), ("p50", 0.5), ("p90", 0.9)]
    var found: [(name: String, value: Double)] = []
    var seen = 0
    var sum = 0.0
    for (value, times) in sorted {
      sum += value * Double(times)
      seen += times
      // The first value whose rank covers the share.
      while found.count < shares.count, Double(seen) >= (shares[found.count].1 * Double(count)).rounded(.up) {
        found.append((shares[found.count].0, value))
      }
    }
    return [("mean", sum / Double(count))] + found + [("max", last.0)]
  }
}
