/// Finds the longest period of something that is seen now and then: from its first sign to its last.
struct LongestPeriod<Facts> {
  struct Period {
    var facts: Facts
    var fromNs: Int64
    var lastNs: Int64

    var lengthNs: Int64 { lastNs &- fromNs }
  }

  /// The period that the last sign belongs to; nil before the first sign.
  private(set) var current: Period?
  /// The longest so far, the later one of two that are as long.
  private(set) var longest: Period?
  /// The maximum time between two signs of one period, ns.
  private let maxApartNs: Int64

  init(maxApartNs: Int64) { self.maxApartNs = maxApartNs }

  /// Whether a sign at this time, which may be out of order, is near enough to the last one.
  func reaches(_ timeNs: Int64) -> Bool {
    current.map { (timeNs &- $0.lastNs).magnitude <= maxApartNs.magnitude } ?? false
  }

  /// The current period goes on.
  mutating func goOn(at timeNs: Int64, _ update: (inout Facts) -> Void) {
    guard var going = current else { return }
    update(&going.facts)
    going.lastNs = max(going.lastNs, timeNs)
    current = going
    keepLongest(going)
  }

  /// A new period begins.
  mutating func begin(at timeNs: Int64, _ facts: Facts) {
    let begun = Period(facts: facts, fromNs: timeNs, lastNs: timeNs)
    current = begun
    keepLongest(begun)
  }

  /// The current period is over, and the next sign begins another.
  mutating func end() { current = nil }

  private mutating func keepLongest(_ period: Period) {
    if period.lengthNs >= longest?.lengthNs ?? 0 { longest = period }
  }
}
