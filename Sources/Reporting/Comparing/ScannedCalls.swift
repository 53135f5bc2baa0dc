/// The calls of both runs with their traits as numbers.
struct ScannedCalls: Sendable {
  let now: [ComparedCall]
  let before: [ComparedCall]
  /// Names of the traits, the SDK's last.
  let dimensions: [String]
  /// Each trait over all SDKs, the SDK itself first, then each within every SDK.
  private(set) var columns: [Column] = []
  /// What the calls are grouped by, in words: `SDK`.
  let kind: String

  /// A trait, alone or within each SDK, with the number of each call's value; −1 if unknown.
  struct Column: Sendable {
    let dimension: Int
    let isWithinSDK: Bool
    fileprivate(set) var values: [(value: String, sdk: String?)] = []
    fileprivate(set) var now: [Int32] = []
    fileprivate(set) var before: [Int32] = []
    /// Number of its values that enough calls have, but not all.
    fileprivate(set) var tried = 0

    /// The calls with one of its values.
    func having(_ value: Int) -> (now: [Int], before: [Int]) {
      let value = Int32(value)
      return (now.indices.filter { now[$0] == value }, before.indices.filter { before[$0] == value })
    }
  }

  /// The calls of SDKs that both runs have, or with another division, of all that the candidate has.
  init(_ comparison: Comparison) {
    let (candidate, baseline) = (comparison.candidate.calls, comparison.baseline?.calls ?? [:])
    let both = Set(candidate.keys).intersection(baseline.keys).sorted()
    // A new SDK is another program. A new value of a trait is compared with its scenarios in the baseline.
    let tried = comparison.kind == "SDK" || both.isEmpty ? both : candidate.keys.sorted()
    now = tried.flatMap { candidate[$0] ?? [] }
    before = both.flatMap { baseline[$0] ?? [] }
    kind = comparison.kind
    dimensions = comparison.candidate.dimensions + [comparison.kind]
    let count = comparison.candidate.dimensions.count
    for dimension in [count] + Array(0..<count) { columns.append(column(dimension, isWithinSDK: false)) }
    guard tried.count > 1 else { return }
    columns += (0..<count).map { column($0, isWithinSDK: true) }.filter { $0.tried > 0 }
  }

  private func column(_ dimension: Int, isWithinSDK: Bool) -> Column {
    column(dimension, isWithinSDK) { call in
      let traits = call.traits
      return dimension == dimensions.count - 1
        ? call.sdk : dimension < traits.count ? traits[dimension] : nil
    }
  }

  private func column(_ dimension: Int, _ isWithinSDK: Bool, _ value: (ComparedCall) -> String?) -> Column {
    struct Key: Hashable {
      let value: String
      let sdk: String?
    }
    var column = Column(dimension: dimension, isWithinSDK: isWithinSDK)
    var numbers: [Key: Int32] = [:]
    func number(_ call: ComparedCall) -> Int32 {
      guard let value = value(call) else { return -1 }
      let key = Key(value: value, sdk: isWithinSDK ? call.sdk : nil)
      if let known = numbers[key] { return known }
      let new = Int32(column.values.count)
      column.values.append((value, key.sdk))
      numbers[key] = new
      return new
    }
    column.now = now.map(number)
    column.before = before.map(number)
    var sizes = [Int](repeating: 0, count: column.values.count)
    for value in column.now where value >= 0 { sizes[Int(value)] += 1 }
    column.tried = sizes.count { $0 >= TraitScan.fewest && $0 < now.count }
    return column
  }

  /// Whether a column is of the SDK itself.
  func isSDK(_ column: Column) -> Bool { column.dimension == dimensions.count - 1 }

  /// The traits over all calls: of an SDK, or of all, for which the SDK is one too.
  func traits(of sdk: String?) -> [Column] {
    columns.filter { !$0.isWithinSDK && $0.dimension < dimensions.count - (sdk == nil ? 0 : 1) }
  }

  /// Names of the traits known of calls of both runs; only these can be compared.
  var knownTraits: Set<String> {
    Set(
      traits(of: nil).filter { $0.now.contains { $0 >= 0 } && $0.before.contains { $0 >= 0 } }
        .map { dimensions[$0.dimension] })
  }

  /// The calls that the change of a figure is of, of an SDK or of all: if both runs have several scenarios of it, those.
  func compared(_ figure: Figure, _ sdk: String?) -> (now: [Bool], before: [Bool]) {
    struct Cell: Hashable {
      let sdk: String
      let scenario: String
    }
    func cell(_ call: ComparedCall) -> Cell? {
      call.scenario.flatMap { sdk == nil || call.sdk == sdk ? Cell(sdk: call.sdk, scenario: $0) : nil }
    }
    func cells(_ calls: [ComparedCall]) -> Set<Cell> {
      Set(calls.lazy.filter { figure.value(of: $0) != nil }.compactMap(cell))
    }
    let shared = cells(now).intersection(cells(before))
    func isCompared(_ call: ComparedCall) -> Bool {
      shared.count > 1 ? cell(call).map(shared.contains) ?? false : sdk == nil || call.sdk == sdk
    }
    return (now.map(isCompared), before.map(isCompared))
  }
}
