import CallModel
import CallStore

/// What became of every file of an import, told one by one from what the store has of them, so that a great many take
/// little room.
public struct ImportOutcome: Sendable {
  /// What is kept of a file that was done.
  private struct Entry {
    /// Key of its row in table `sources`, where it has one.
    var source: Int64?
    /// Nil for what an interruption left.
    var status: ImportedFile.Status?
  }

  private let store: Store
  private var found = FoundFiles()
  /// By the place of the file.
  private var entries: [Entry] = []
  /// Keys of the files in table `sources`.
  public private(set) var sources = SourceKeys()
  /// Of files with more to say than their row: what was wrong with them, where they were met before.
  private var kept: [Int: ImportedFile] = [:]
  /// What was met before and after the files: what cannot be read, folders that gave nothing.
  private var lost: [ImportedFile] = []
  private var emptyFolders: [ImportedFile] = []

  /// What of each `run.json` means nothing, where something does not.
  public internal(set) var manifestNotes: [(path: String, notes: [String])] = []

  /// Calls of which an end came in another run.
  public internal(set) var endsInOtherRuns: [EndInOtherRun] = []

  /// Files by what became of them.
  public private(set) var counts: [ImportedFile.Status: Int] = [:]
  /// Sums over what was imported now.
  public private(set) var figures = ImportedFile.Figures()

  init(in store: Store) { self.store = store }

  /// Takes all that was found, once that is known.
  mutating func take(all found: FoundFiles, lost: [ImportedFile]) {
    self.found = found
    self.lost = lost
    makeRoom(for: found.count)
    for file in lost { count(file) }
  }

  private mutating func makeRoom(for count: Int) {
    while entries.count < count { entries.append(Entry()) }
  }

  /// How many files were done, those that cannot be read among them.
  public var files: Int { counts.values.reduce(0, +) }

  /// Takes what became of a file.
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

  /// A folder that was named and gave nothing is worth a word: it may be the wrong one. Of one that an interruption left
  /// files of nobody knows; one with a manifest alone says that its calls are missing.
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
      let reason =
        count == 0
        ? SourceError(.empty, "a folder without files: check the path")
        : SourceError(
          .notAFormat, "a folder without calls: none of its \(count) files is of a known format")
      emptyFolders.append(ImportedFile(path: folder, status: .refused, error: reason))
    }
    for folder in emptyFolders { count(folder) }
  }

  /// Tells of every file, in the order in which they were found.
  public func forEach(_ body: (ImportedFile) throws -> Void) throws {
    try lost.forEach(body)
    for (index, file) in found.enumerated() {
      if let file = try result(of: file, at: index) { try body(file) }
    }
    try emptyFolders.forEach(body)
  }

  /// Tells of what was refused or taken only in part, in the same order.
  public func forEachProblem(_ body: (ImportedFile) throws -> Void) rethrows {
    let inOrder = kept.sorted { $0.key < $1.key }.map(\.value)
    for file in lost + inOrder + emptyFolders where file.status == .refused || file.status == .partial {
      try body(file)
    }
  }

  /// What there is to say of files that were there before (that they stay in their run, or are others now), with how many it
  /// is said of.
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

  /// What its row says; where that is gone, no more than what became of it.
  private func fromStore(_ entry: Entry, _ status: ImportedFile.Status, path: String) throws -> ImportedFile {
    guard var stored = try entry.source.flatMap(store.source) else {
      return ImportedFile(path: path, status: status)
    }
    stored.unchanged = status == .unchanged
    return ImportedFile(path: path, stored)
  }
}
