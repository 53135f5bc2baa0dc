import Rendering

/// What `callqa report` was asked for.
public struct ReportRequest: Sendable {
  public var definition: ReportDefinition
  /// Folder of the shipped queries, used for those not in the report's own folder.
  public var queries: String
  /// Nil means the latest run or, without runs, the latest night.
  public var slice: Slice?
  /// Nil means the latest accepted run of each SDK or, if no run was accepted, the last earlier run not recorded as
  /// blocked.
  public var baseline: NamedBaseline?
  /// Nil means the gates that the report names.
  public var gates: GateFile?
  public var zone: Zone
  public var seed: UInt64 = 1
  /// Nil means no plots; the page then says why.
  public var gnuplot: Gnuplot?
  /// Whether the gnuplot script is kept next to the plots.
  public var keepsScript = false

  /// A request with the defaults of the command line.
  public init(definition: ReportDefinition, queries: String, zone: Zone) {
    self.definition = definition
    self.queries = queries
    self.zone = zone
  }
}

/// The result of a report, for the command that made it.
public struct ReportOutcome: Sendable {
  /// The run or time range reported on.
  public var slice: Slice
  public var headline: Headline
  public var judgement: NightJudgement
  /// The results behind the page, by query name.
  public var answers: [String: Table]
  /// What could not be made, and why.
  public var notes: [String]
  /// Files written, relative to the output folder.
  public var files: [String]
  /// When the last reported call began, ms since the epoch.
  public var lastCallMs: Double?
}
