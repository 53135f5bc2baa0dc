import CallModel

/// What a comparison needs to know about one call. Nil means unknown.
public struct ComparedCall: Sendable {
  /// Key of the call's row; nil if the call does not come from a database.
  public var key: Int64?
  /// Whether quality was poor or absent for at least one end; nil if unknown.
  public var isPoor: Bool?
  /// Whether the call ended in a way that was not intended.
  public var isBroken: Bool
  /// Whether its end, score and setup are all unknown because one of its files was only partly imported.
  public var isCut = false
  /// The verdict on the call; a person's own rating takes precedence. Nil if the call was not judged.
  public var verdict: Verdict.Value?
  /// Where its fault was; nil if that is not known, or nothing is wrong. A person's own word takes precedence.
  public var place: Place?
  /// Whether its failure is a known one, which never blocks.
  public var isKnown = false
  /// When the call began, ms since the epoch; nil if its clock is not credible.
  @NumberIfKnown public var startedMs: Double?
  @NumberIfKnown public var score: Double?
  @NumberIfKnown public var setupMs: Double?
  /// Mean over time of the quality that the client itself reported, 0–100. This is not callqa's score.
  @NumberIfKnown public var reported: Double?
  /// How long each phase of its setup took at the end where it took longest, ms, by the place of its name; empty if no
  /// phase was measured, NaN for one that was not.
  private var phases: [Float] = []
  /// Labels given at import: site, network, release …
  var labels: [CallLabel] = []
  /// The properties that many calls have in common.
  var shared: SharedFacts

  /// A call without the properties that only its database row holds.
  public init(
    sdk: String, scenario: String?, score: Double?, setupMs: Double?, isPoor: Bool?, isBroken: Bool,
    traits: [String?] = []
  ) {
    self.init(SharedFacts(.init(sdk: sdk, scenario: scenario, traits: traits)), isBroken: isBroken)
    self.isPoor = isPoor
    self.score = score
    self.setupMs = setupMs
  }

  /// A call of which only the shared properties are known.
  init(_ shared: SharedFacts, isBroken: Bool) {
    (self.shared, self.isBroken) = (shared, isBroken)
  }

  /// How long a phase took, ms; nil if it was not measured.
  func phaseMs(_ name: PhaseName) -> Double? {
    let place = name.place
    guard place < phases.count, !phases[place].isNaN else { return nil }
    return Double(phases[place])
  }

  /// Reads phases as the query writes them: `ice 120;dtls 85`. Of one that is there twice, the longer counts.
  mutating func readPhases(_ text: String) {
    var phases = [Float](repeating: .nan, count: PhaseName.allCases.count)
    for part in text.utf8.split(separator: UInt8(ascii: ";")) {
      guard let blank = part.firstIndex(of: UInt8(ascii: " ")),
        let name = PhaseName(rawValue: String(Substring(part[..<blank]))),
        let ms = Float(Substring(part[part.index(after: blank)...]))
      else { continue }
      let known = phases[name.place]
      phases[name.place] = known.isNaN ? ms : max(known, ms)
    }
    self.phases = phases
  }

  public var sdk: String {
    get { shared.facts.sdk }
    set { shared = shared.with { $0.sdk = newValue } }
  }

  public var scenario: String? {
    get { shared.facts.scenario }
    set { shared = shared.with { $0.scenario = newValue } }
  }

  /// Names of its findings with severity error or warning.
  public var findings: Set<String> {
    get { shared.facts.findings }
    set { shared = shared.with { $0.findings = newValue } }
  }

  /// Names of its findings with severity error.
  public var errors: Set<String> {
    get { shared.facts.errors }
    set { shared = shared.with { $0.errors = newValue } }
  }

  /// The code that the call failed with; nil if it did not fail.
  public var failure: String? {
    get { shared.facts.failure }
    set { shared = shared.with { $0.failure = newValue } }
  }

  /// Other known traits (codec, network …), in the order of `RunFigures.dimensions`.
  public var traits: [String?] {
    get { shared.facts.traits }
    set { shared = shared.with { $0.traits = newValue } }
  }
}

/// Properties that many calls have in common, stored once and shared: a comparison may hold a million calls.
final class SharedFacts: Sendable {
  struct Facts: Sendable {
    var sdk: String
    var scenario: String?
    var findings: Set<String> = []
    var errors: Set<String> = []
    var failure: String?
    var traits: [String?]
  }

  let facts: Facts

  init(_ facts: Facts) { self.facts = facts }

  /// A copy with `change` applied.
  func with(_ change: (inout Facts) -> Void) -> SharedFacts {
    var facts = facts
    change(&facts)
    return SharedFacts(facts)
  }
}

extension [ComparedCall] {
  /// Copies of the calls with `change` applied to their shared facts, once per shared instance.
  func altered(_ change: (inout SharedFacts.Facts) -> Void) -> [ComparedCall] {
    var made: [ObjectIdentifier: SharedFacts] = [:]
    return map { call in
      var call = call
      let id = ObjectIdentifier(call.shared)
      let shared = made[id] ?? call.shared.with(change)
      made[id] = shared
      call.shared = shared
      return call
    }
  }
}

/// An optional Double in the space of a Double, because a comparison may hold a million calls. NaN encodes nil.
@propertyWrapper public struct NumberIfKnown: Sendable {
  private var number = Double.nan

  /// An unknown number.
  public init() {}

  /// The number; nil if unknown.
  public var wrappedValue: Double? {
    get { number.isNaN ? nil : number }
    set { number = newValue ?? .nan }
  }
}

/// A label of a call: its name and value.
struct CallLabel: Sendable {
  let name: String
  let value: String
}

extension PhaseName {
  private static let places = Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })

  /// Its place among all phases.
  fileprivate var place: Int { Self.places[self] ?? 0 }
}
