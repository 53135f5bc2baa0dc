import CallModel

/// What a comparison needs to know of one call; nil is unknown.
public struct ComparedCall: Sendable {
  public var sdk: String
  public var scenario: String?
  public var score: Double?
  public var setupMs: Double?
  /// Share of poor windows, 0–1.
  public var poorShare: Double?
  /// The call did not end as it was meant to.
  public var isBroken: Bool
  /// Nothing is known of its end, score and setup, and a file of it was taken in part.
  public var isCut = false
  /// What else is known of it (codec, network …), in the order of `RunFigures.dimensions`.
  public var traits: [String?]

  /// What whoever imported it said of it: site, network, release …
  var labels: [CallLabel] = []

  /// A call.
  public init(
    sdk: String, scenario: String?, score: Double?, setupMs: Double?, poorShare: Double?, isBroken: Bool,
    traits: [String?] = []
  ) {
    self.sdk = sdk
    self.scenario = scenario
    self.score = score
    self.setupMs = setupMs
    self.poorShare = poorShare
    self.isBroken = isBroken
    self.traits = traits
  }

  /// Whether at least a tenth of its windows were poor; nil where nothing was scored.
  public var isPoor: Bool? { poorShare.map { $0 >= QualityBand.poorShare } }
}

/// A label of a call: a name and what it says.
struct CallLabel: Sendable {
  let name: String
  let value: String
}
