import CallModel

/// What is known of a source before it is read.
public struct SourceHeader: Sendable {
  /// Where it lies.
  public var path: String
  /// SHA-256 of the file as it lies there, lower-case hex; nil if it could not be read.
  public var sha256: String?
  /// Gives the digest of a source that is digested while it is read; asked once, when it was read to its end.
  public var lateDigest: (@Sendable () throws -> String?)?
  /// What it was recognised as.
  public var format: SourceFormat?
  /// Size of the file.
  public var bytes: Int?
  /// The run it belongs to (`--run`, `run.json`); the run is made if it is new.
  public var run: String?
  /// The call it belongs to, where a person or a manifest said so.
  public var call: String?
  /// Digests of what lay at the same path before and is the beginning of this source: once it is taken, it stands for them.
  public var supersedes: [String] = []
  /// Digests of such beginnings that stay beside it.
  public var continues: [String] = []
  /// Whether nothing of it is taken: only that it was met, and why it was left, is kept.
  public var isLeft = false
  /// `--label` and the labels of its manifest, as a JSON object.
  public var labels = "{}"
  /// When it is imported, milliseconds since the epoch.
  public var importedMs: Double

  /// A source at a path.
  public init(path: String, sha256: String? = nil, format: SourceFormat? = nil, importedMs: Double) {
    self.path = path
    self.sha256 = sha256
    self.format = format
    self.importedMs = importedMs
  }
}
