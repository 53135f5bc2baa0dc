import CallModel

/// What a comparison needs to know of one call; nil is unknown.
public struct ComparedCall: Sendable {
  public var sdk: String
  /// Key of its row; nil where it comes from no database.
  public var key: Int64?
  /// When it began, ms since the epoch; nil where its clock cannot be.
  @NumberIfKnown public var startedMs: Double?
  public var scenario: String?
  @NumberIfKnown public var score: Double?
  @NumberIfKnown public var setupMs: Double?
  /// What the client reported of its own quality, 0–100, over time; its word, not the score.
  @NumberIfKnown public var reported: Double?
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
  /// Names of its findings that are errors or warnings, and of those that are errors.
  public var findings: Set<String> = []
  public var errors: Set<String> = []
  /// The code that it ended with, where it came to nothing.
  public var failure: String?
  /// What else is known of it (codec, network …), in the order of `RunFigures.dimensions`.
  public var traits: [String?]

  /// What whoever imported it said of it: site, network, release …
  var labels: [CallLabel] = []

  /// A call, without what only its row says.
  public init(
    sdk: String, scenario: String?, score: Double?, setupMs: Double?, isPoor: Bool?, isBroken: Bool,
    traits: [String?] = []
  ) {
    self.sdk = sdk
    self.scenario = scenario
    self.isPoor = isPoor
    self.isBroken = isBroken
    self.traits = traits
    self.score = score
    self.setupMs = setupMs
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
