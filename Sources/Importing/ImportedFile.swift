import CallModel
import CallStore

/// The result of one file: a line of `import --json`.
public struct ImportedFile: Sendable {
  /// `imported`, `unchanged`, `skipped`, `refused`, `partial`.
  public enum Status: String, Sendable, CaseIterable {
    case imported, unchanged, skipped, refused, partial
  }

  public var path: String
  public var sha256: String?
  public var format: SourceFormat?
  public var status: Status
  /// Ids of its calls; set at the end of the import, as a later file may name a call.
  public var calls: [String] = []
  public var figures = Figures()
  public var notes: [String] = []
  public var error: SourceError?
  /// A remark for users, from its notes.
  var remark: String?
  /// Its key in table `sources`, if it has one.
  var source: Int64?

  init(path: String, status: Status, error: SourceError? = nil) {
    self.path = path
    self.status = status
    self.error = error
  }

  /// The result from the store; for a file imported before, nothing is counted again.
  init(path: String, _ stored: StoredSource) {
    self.init(path: path, status: stored.unchanged ? .unchanged : Status(stored.status.value))
    source = stored.id
    sha256 = stored.sha256
    format = stored.format
    guard !stored.unchanged else {
      if status == .unchanged, stored.status.value == .partial { remark = Self.inPartBefore }
      return
    }
    remark = stored.remark
    figures.streams = stored.streams
    figures.samples = stored.samples
    figures.events = stored.events
    figures.packets = stored.packets
    figures.rejected = stored.rejected
    if status == .imported, stored.streams + stored.samples + stored.events == 0, remark == nil {
      remark = "read to its end, and no call was recognised in it: `callqa sources` says what was found"
    }
    if let code = stored.status.code {
      error = SourceError(
        code, stored.status.reason ?? code.rawValue, byte: stored.status.byte, line: stored.status.line)
    }
  }
}

extension ImportedFile {
  private static let inPartBefore =
    "unchanged, and taken only in part when it was imported: `callqa sources` says why"

  /// Figures of one file or of many.
  public struct Figures: Sendable {
    public var streams = 0
    public var samples = 0
    public var events = 0
    public var packets = 0
    /// Rejected lines, records or packets.
    public var rejected = 0

    mutating func add(_ other: Figures) {
      streams += other.streams
      samples += other.samples
      events += other.events
      packets += other.packets
      rejected += other.rejected
    }
  }
}

extension ImportedFile.Status {
  init(_ word: SourceStatus.Value) {
    switch word {
    case .imported: self = .imported
    case .partial: self = .partial
    case .refused: self = .refused
    case .skipped: self = .skipped
    }
  }
}
