import CallModel

/// What became of one file: a line of `import --json`.
public struct ImportedFile: Sendable {
  /// `imported`, `unchanged`, `skipped`, `refused`, `partial`.
  public enum Status: String, Sendable, CaseIterable {
    case imported, unchanged, skipped, refused, partial
  }

  public var path: String
  public var sha256: String?
  public var format: SourceFormat?
  public var status: Status
  /// Ids of the calls it belongs to; filled in when all files have been read, for a later file may name a call.
  public var calls: [String] = []
  public var streams = 0
  public var samples = 0
  public var events = 0
  public var packets = 0
  public var rejected = 0
  public var notes: [String] = []
  public var error: SourceError?
  /// Key of its row in table `sources`, where it has one.
  var source: Int64?

  init(path: String, status: Status, error: SourceError? = nil) {
    self.path = path
    self.status = status
    self.error = error
  }
}
