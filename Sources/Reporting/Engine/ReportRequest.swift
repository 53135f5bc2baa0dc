import Rendering

/// What `callqa report` was asked for.
public struct ReportRequest: Sendable {
  public var definition: ReportDefinition
  /// Folder of the shipped queries, where a report's own folder lacks one.
  public var queries: String
  /// Nil: the latest run, or the latest night.
  public var slice: Slice?
  /// Nil: the run each SDK was last accepted in, else, where none was for any, the last before it that is not
  /// recorded as blocked.
  public var baseline: NamedBaseline?
  /// Nil: the gates that the report names.
  public var gates: GateFile?
  public var zone: Zone
  public var seed: UInt64 = 1
  /// Nil: no pictures, and the page says why.
  public var gnuplot: Gnuplot?
  /// Whether the gnuplot script is left beside the pictures.
  public var keepsScript = false

  /// A request with the defaults of the command line.
  public init(definition: ReportDefinition, queries: String, zone: Zone) {
    self.definition = definition
    self.queries = queries
    self.zone = zone
  }
}

/// What a report found, for the command that made it.
public struct ReportOutcome: Sendable {
  /// What it is about.
  public var slice: Slice
  public var headline: Headline
  public var judgement: Judgement
  /// The answers behind the page, by the query's name.
  public var answers: [String: Table]
  /// What could not be made, in words.
  public var notes: [String]
  /// Files written, relative to the output folder.
  public var files: [String]
  /// When the last call that is reported began, ms since the epoch.
  public var lastCallMs: Double?
}
