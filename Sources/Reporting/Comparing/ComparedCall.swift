import CallModel

/// What a comparison needs to know of one call; nil is unknown.
public struct ComparedCall: Sendable {
  /// Key of its row; nil where it comes from no database.
  public var key: Int64?
  /// Whether an end heard or saw it badly, or not at all; nil where nobody knows.
  public var isPoor: Bool?
  /// The call did not end as it was meant to.
  public var isBroken: Bool
  /// Nothing is known of its end, score and setup, and a file of it was taken in part.
  public var isCut = false
  /// What it was like, a person's own word first; nil where nobody judged it.
  public var verdict: Verdict.Word?
  /// Its failure is known, and blocks nothing.
  public var isKnown = false
  /// When it began, ms since the epoch; nil where its clock cannot be.
  @NumberIfKnown public var startedMs: Double?
  @NumberIfKnown public var score: Double?
  @NumberIfKnown public var setupMs: Double?
  /// What the client reported of its own quality, 0–100, over time; its word, not the score.
  @NumberIfKnown public var reported: Double?
  /// What whoever imported it said of it: site, network, release …
  var labels: [CallLabel] = []
  /// What it has in common with other calls.
  var shared: SharedFacts

  /// A call, without what only its row says.
  public init(
    sdk: String, scenario: String?, score: Double?, setupMs: Double?, isPoor: Bool?, isBroken: Bool,
    traits: [String?] = []
  ) {
    self.init(SharedFacts(.init(sdk: sdk, scenario: scenario, traits: traits)), isBroken: isBroken)
    self.isPoor = isPoor
    self.score = score
    self.setupMs = setupMs
  }

  /// A call of which nothing else is known.
  init(_ shared: SharedFacts, isBroken: Bool) {
    (self.shared, self.isBroken) = (shared, isBroken)
  }

  public var sdk: String {
    get { shared.facts.sdk }
    set { shared = shared.with { $0.sdk = newValue } }
  }

  public var scenario: String? {
    get { shared.facts.scenario }
    set { shared = shared.with { $0.scenario = newValue } }
  }

  /// Names of its findings that are errors or warnings.
  public var findings: Set<String> {
    get { shared.facts.findings }
    set { shared = shared.with { $0.findings = newValue } }
  }

  /// Names of its findings that are errors.
  public var errors: Set<String> {
    get { shared.facts.errors }
    set { shared = shared.with { $0.errors = newValue } }
  }

  /// The code that it ended with, where it came to nothing.
  public var failure: String? {
    get { shared.facts.failure }
    set { shared = shared.with { $0.failure = newValue } }
  }

  /// What else is known of it (codec, network …), in the order of `RunFigures.dimensions`.
  public var traits: [String?] {
    get { shared.facts.traits }
    set { shared = shared.with { $0.traits = newValue } }
  }
}

/// What calls have in common with others, kept once for all of them: a comparison holds a million calls.
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

  /// The same, altered.
  func with(_ change: (inout Facts) -> Void) -> SharedFacts {
    var facts = facts
    change(&facts)
    return SharedFacts(facts)
  }
}

extension [ComparedCall] {
  /// The same calls with other shared facts, which are altered once for all that share them.
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

/// An optional number that takes no more memory than a number, for a comparison holds a million calls. NaN stands for nil.
@propertyWrapper public struct NumberIfKnown: Sendable {
  private var number = Double.nan

  /// Not known.
  public init() {}

  /// The number; nil where it is not known.
  public var wrappedValue: Double? {
    get { number.isNaN ? nil : number }
    set { number = newValue ?? .nan }
  }
}

/// A label of a call: a name and what it says.
struct CallLabel: Sendable {
  let name: String
  let value: String
}
