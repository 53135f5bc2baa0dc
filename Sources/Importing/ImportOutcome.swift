import CallModel
import CallStore
import IO

/// The result of an import, file by file, reconstructed from the store so that a great many files take little memory.
public struct ImportOutcome: Sendable {
  /// What is kept of a finished file.
  private struct Entry {
    /// Its key in table `sources`, if it has one.
    var source: Int64?
    /// Nil if the import was interrupted before it.
    var status: ImportedFile.Status?
  }

  private let store: Store
  private var found = FoundFiles()
  /// By index of the file.
  private var entries: [Entry] = []
  /// Keys of the files in table `sources`.
  public private(set) var sources = SourceKeys()
  /// Files with more information than their row: errors, and where their content was found before.
  private var kept: [Int: ImportedFile] = [:]
  /// Results before and after the files: what cannot be read, folders without files.
  private var lost: [ImportedFile] = []
  private var emptyFolders: [ImportedFile] = []

  /// Members of each `run.json` that are ignored.
  public internal(set) var manifestNotes: [(path: String, notes: [String])] = []

  /// Calls whose other end is in another run.
  public internal(set) var endsInOtherRuns: [EndInOtherRun] = []

  /// Calls that cannot be judged.
  public var unjudgeable: [UnjudgeableCall] = []

  /// Number of files by status.
  public private(set) var counts: [ImportedFile.Status: Int] = [:]
  /// Sums over the newly imported files.
  public private(set) var figures = ImportedFile.Figures()

  init(in store: Store) { self.store = store }

  /// Sets the list of found files at the end of the walk.
  mutating func take(all found: FoundFiles, lost: [ImportedFile]) {
    self.found = found
    self.lost = lost
    makeRoom(for: found.count)
    for file in lost { count(file) }
  }

  private mutating func makeRoom(for count: Int) {
    while entries.count < count { entries.append(Entry()) }
  }

  /// Number of finished files, including unreadable ones.
  public var files: Int { counts.values.reduce(0, +) }

  /// Adds the result of a file.
  mutating func take(_ file: ImportedFile, at index: Int) {
    makeRoom(for: index + 1)
    entries[index] = Entry(source: file.source, status: file.status)
    if let source = file.source { sources.insert(source) }
    let isWhole = file.status == .imported || file.status == .unchanged
    if !isWhole || !file.notes.isEmpty || file.source == nil || file.remark != nil {
      kept[index] = file
    }
    count(file)
  }

  private mutating func count(_ file: ImportedFile) {
    counts[file.status, default: 0] += 1
    figures.add(file.figures)
  }

  /// Reports named folders and archives without files: they may be the wrong ones. Not after an interruption, as their files are
  /// unknown then; for a folder with only a manifest, its calls are reported missing.
  mutating func look(into folders: [String], manifests: [String]) {
    for folder in folders {
      func isInside(_ path: String) -> Bool { path.hasPrefix(folder + "/") || path == folder }
      var inside: [ImportedFile.Status?: Int] = [:]
      for file in lost where isInside(file.path) { inside[file.status, default: 0] += 1 }
      for (file, entry) in zip(found, entries) where file.folder == folder || isInside(file.path) {
        inside[entry.status, default: 0] += 1
      }
      guard inside.keys.allSatisfy({ $0 == .skipped }) else { continue }
      let count = inside[.skipped] ?? 0
      if count == 0, manifests.contains(where: isInside) { continue }
      let kind = UnpackedArchive.isOne(RawPath(word: folder)) ? "an archive" : "a folder"
      let reason =
        count == 0
        ? SourceError(.empty, "\(kind) without files: check the path")
        : SourceError(
          .notAFormat, "\(kind) without calls: none of its \(Plural.of(count, "file")) is of a known format")
      emptyFolders.append(ImportedFile(path: folder, status: .refused, error: reason))
    }
    for folder in emptyFolders { count(folder) }
  }

  /// Passes the result of each file, in the order found.
  public func forEach(_ body: (ImportedFile) throws -> Void) throws {
    try lost.forEach(body)
    for (index, file) in found.enumerated() {
      if let file = try result(of: file, at: index) { try body(file) }
    }
    try emptyFolders.forEach(body)
  }

  /// Passes the rejected and partial files, in the same order.
  public func forEachProblem(_ body: (ImportedFile) throws -> Void) rethrows {
    let inOrder = kept.sorted { $0.key < $1.key }.map(\.value)
    for file in lost + inOrder + emptyFolders where file.status == .refused || file.status == .partial {
      try body(file)
    }
  }

  /// Remarks about files imported before (that they stay in their run, or have changed), with the number of files for
  /// each.
  public var remarks: [(note: String, files: Int)] {
    let notes = kept.values.flatMap {
      ($0.status == .unchanged ? $0.notes : []) + [$0.remark].compactMap { $0 }
    }
    return Dictionary(grouping: notes) { $0 }.map { ($0.key, $0.value.count) }.sorted { $0.0 < $1.0 }
  }

  private func result(of found: FoundFile, at index: Int) throws -> ImportedFile? {
    let entry = entries[index]
    guard let status = entry.status else { return nil }
    var file = try kept[index] ?? fromStore(entry, status, path: found.path)
    guard let source = entry.source else { return file }
    file.calls = try store.callIDs(ofSource: source)
    if file.status != .unchanged { file.notes += try store.notes(ofSource: source) }
    return file
  }

  /// The result from the row; if that is gone, only the status.
  private func fromStore(_ entry: Entry, _ status: ImportedFile.Status, path: String) throws -> ImportedFile {
    guard var stored = try entry.source.flatMap(store.source) else {
      return ImportedFile(path: path, status: status)
    }
    stored.unchanged = status == .unchanged
    return ImportedFile(path: path, stored)
  }
}
