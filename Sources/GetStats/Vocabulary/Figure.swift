/// What can be a figure of a report, in every dialect and container.
enum Figure {
  /// Largest figure taken: the last up to which a Double counts one by one.
  private static let largest = 9_007_199_254_740_992.0

  /// Longest round trip taken, ms: without an answer for so long the other end takes its consent back (RFC 7675, 5.1).
  private static let longestRoundTripMs = 30_000.0

  /// The figure as it is, nil where it can be none: beyond 2^53, or below zero.
  @inline(__always)
  static func accepted(_ value: Double, mayBeNegative: Bool = false) -> Double? {
    value <= largest && (value >= 0 || mayBeNegative && value >= -largest) ? value : nil
  }

  /// The same of a member, whose round trip may be none.
  @inline(__always)
  static func accepted(_ value: Double, _ action: Action) -> Double? {
    if value * action.factor >= 1000, action.isRoundTrip, !isRoundTrip(value, action.factor) { return nil }
    return accepted(value, mayBeNegative: action.mayBeNegative)
  }

  // Whole seconds are milliseconds of whoever did not know the unit: a round trip is measured finer.
  private static func isRoundTrip(_ value: Double, _ factor: Double) -> Bool {
    value * factor <= longestRoundTripMs && (factor == 1 || value != value.rounded())
  }

  /// What the source is told of a figure that was not accepted, NaN where its text is no number; nil where it is the dialect's word for unknown, as -1 is in
  /// goog-*.
  @inline(never)
  static func impossible(
    _ value: Double, _ type: ReportType, typeName: some Sequence<UInt8>, member: String
  ) -> String? {
    let name = "\(String(decoding: Array(typeName), as: UTF8.self)).\(member)"
    if value.isNaN { return "no number, taken as unknown: \(name)" }
    if value > largest { return "beyond 2^53, taken as unknown: \(name)" }
    if value > 0 { return "round trips of over 30 s or of whole seconds, taken as unknown: \(name)" }
    return type.isGoog ? nil : "below zero, taken as unknown: \(name)"
  }
}

/// What of a series of figures was not accepted.
struct Unaccepted {
  private var lowest = 0.0
  private var highest = 0.0
  private var hasText = false

  mutating func add(_ value: Double) {
    if value < lowest { lowest = value }
    if value > highest { highest = value }
  }

  /// A text that is no number.
  mutating func addText() { hasText = true }

  /// One of each kind.
  var values: [Double] { [lowest, highest].filter { $0 != 0 } + (hasText ? [.nan] : []) }
}

/// What the source is to be told of members of its reports, by name.
struct OddMembers {
  /// Those that no table has, with the name of the type.
  var unknown: Set<String> = []
  /// Those whose number can be no figure, in words.
  var impossible: Set<String> = []
}
