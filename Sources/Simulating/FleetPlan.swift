/// A fleet that never was: nights of calls that a report can be tried on, the same for the same seed.
public struct FleetPlan: Sendable {
  public var seed: UInt64
  public var nights = 15
  public var callsPerNight = 20_000
  public var sdks = ["cisco-rem", "kandy-link", "oracle-wsc", "pexip", "rebtel"]
  public var scenarios = 40
  /// Shares of calls that never come, fail, drop, or are busy as they were meant to be.
  public var missing = 0.004
  public var failed = 0.004
  public var dropped = 0.003
  public var busy = 0.005
  /// What went wrong on the last night; nil is a quiet one.
  public var regression: Regression? = Regression()
  /// What else befell some calls.
  public var incidents: [FleetIncident] = []
  /// Calls of one SDK on the last night that a broken rig spoilt, and that were put aside.
  public var rigFaults = 60

  /// Points that the calls of one SDK with one codec lose.
  public struct Regression: Sendable {
    public var sdk = "pexip"
    /// Nil means all its calls.
    public var codec: String? = "H264"
    public var points = 15.0

    /// The default regression.
    public init() {}
  }

  /// The plan of a seed.
  public init(seed: UInt64) {
    self.seed = seed
  }

  /// Names of all scenarios.
  public var scenarioNames: [String] { (0..<scenarios).map { scenario($0).name } }

  /// Name of a scenario, and the condition it runs under.
  func scenario(_ index: Int) -> (name: String, condition: Condition) {
    let condition = Condition.measured[index % Condition.measured.count]
    return ("\(condition.name)\(index < Condition.measured.count ? "" : "-again")", condition)
  }
}
