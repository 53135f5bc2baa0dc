import CallModel

/// A checksum of the samples of a stream or path: the sum of the digests of its rows, so that their order does not
/// matter. Changing a single stored value always changes it.
struct SampleChecksum {
  private(set) var value: UInt64 = 0

  /// As stored in the database.
  var stored: Int64 { Int64(bitPattern: value) }

  /// Adds samples to be stored.
  mutating func add(_ rows: UnsafeBufferPointer<QueuedSample>, _ range: Range<Int>) {
    guard let base = rows.baseAddress else { return }
    for row in base + range.lowerBound..<base + range.upperBound { add(row.sample, extra: row.extra) }
  }

  /// Adds a sample with its members without a column.
  @inline(__always)
  mutating func add(_ sample: SampleView, extra: String?) {
    var row = RowDigest(timeMs: sample.timeMs)
    let (low, high) = sample.presence
    row.add(sample, low, from: 0)
    row.add(sample, high, from: 64)
    if let extra { row.add(extra) }
    value &+= row.value
  }

  /// Adds a path sample.
  mutating func add(_ sample: TransportSample) {
    var row = RowDigest(timeMs: sample.timeMs)
    let figures = sample.figures
    for place in figures.indices {
      if let figure = figures[place] { row.add(figure, at: UInt64(place)) }
    }
    if let extra = sample.extra { row.add(extra) }
    value &+= row.value
  }
}

/// A digest of one row's values, in order. Each step is invertible, so two rows that differ in one value have different
/// digests.
private struct RowDigest {
  private(set) var value: UInt64 = 0

  init(timeMs: Double) { mix((timeMs + 0).bitPattern) }

  @inline(__always)
  mutating func add(_ sample: SampleView, _ presence: UInt64, from first: Int) {
    var left = presence
    while left != 0 {
      let place = first &+ left.trailingZeroBitCount
      left &= left &- 1
      add(sample.value(place), at: UInt64(place))
    }
  }

  /// Adds a value; non-finite values are stored as NULL, and minus zero as zero.
  @inline(__always)
  mutating func add(_ figure: Double, at place: UInt64) {
    guard figure.isFinite else { return }
    mix(place)
    mix((figure + 0).bitPattern)
  }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      let raw = UnsafeRawBufferPointer(bytes)
      let words = raw.count / 8
      for word in 0..<words { mix(raw.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)) }
      for byte in raw[(words * 8)...] { mix(UInt64(byte)) }
      mix(UInt64(raw.count))
    }
  }

  @inline(__always)
  private mutating func mix(_ word: UInt64) {
    value = (value ^ word) &* 0x9E37_79B9_7F4A_7C15
    value ^= value &>> 32
  }
}
