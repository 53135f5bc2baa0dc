import CallModel
import CallStore
import Concurrency
import Glibc
import IO
import SQLite

/// Imports files and folders into a store: connects readers and store.
public final class Importer: Sendable {
  private let store: Store
  private let request: ImportRequest
  private let first: FirstFile?
  private let isInterrupted: @Sendable () -> Bool
  private let progress: @Sendable (_ done: Int, _ all: Int) -> Void
  private let watch: @Sendable () -> (any SampleObserver)?

  /// An importer into the store.
  ///
  /// - Parameters:
  /// - first: a file that was opened before the store.
  ///   - isInterrupted: asked before each file; once true, no further file is begun.
  /// - watch: returns the observer of each source's samples; called on any thread.
  /// - progress: called for each finished file, on any thread.
  public init(
    store: Store, request: ImportRequest, first: FirstFile? = nil,
    isInterrupted: @escaping @Sendable () -> Bool = { false },
    watch: @escaping @Sendable () -> (any SampleObserver)? = { nil },
    progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    self.watch = watch
    self.store = store
    self.request = request
    self.first = first
    self.isInterrupted = isInterrupted
    self.progress = progress
  }

  /// Imports everything and returns the result of each file.
  ///
  /// Errors of a file are part of its result; only errors of the store are thrown (`StoreError`).
  public func run() throws -> ImportOutcome {
    let failure = Locked<(any Error)?>(nil)
    let isStopped = { @Sendable [isInterrupted] in isInterrupted() || failure.withLock { $0 != nil } }
    try store.beginImport()
    let walk = ImportWalk(store: store, request: request, isStopped: isStopped)
    defer { walk.removeUnpacked() }
    var outcome = try importAll(walk, failure, isStopped)
    if let run = request.run, !request.labels.isEmpty {
      try store.label(run: run, jsonObject(request.labels))
    }
    try store.forgetLeft(at: walk.opened)
    try store.finishImport()
    outcome.endsInOtherRuns = try store.noteEndsInOtherRuns()
    if !walk.isCut { outcome.look(into: walk.folders, manifests: walk.manifestsMet) }
    outcome.manifestNotes = walk.notes
    for (run, ids) in walk.announced {
      guard let other = try store.withdraw(calls: ids, announcedIn: run, met: outcome.sources) else {
        continue
      }
      outcome.manifestNotes.append(
        (
          path: Manifest.name,
          notes: ["its calls are of run \(other) already: none of them is expected in run \(run)"]
        ))
    }
    return outcome
  }

  /// Imports files while the walk is still finding others; the first error ends both.
  private func importAll(
    _ walk: ImportWalk, _ failure: Locked<(any Error)?>, _ isStopped: @Sendable () -> Bool
  ) throws -> ImportOutcome {
    let beside = BackgroundWork(ofItsOwn: true)
    defer { beside.close() }
    try beside.begin { try walk.run() }
    // Without a thread for the walk, it is completed first: nothing else would run it.
    if !beside.hasWorker { try beside.wait() }
    let files = walk.files
    let count = files.wait(for: max(2, request.jobs))
    let queue = SourceQueue(store, watch: watch)
    let one = FileImport(
      known: count > 1 ? try store.reader() : store, queue: queue, request: request,
      manifests: walk.manifests, first: first)
    let totals = Locked((done: 0, outcome: ImportOutcome(in: store)))
    @Sendable func read(_ file: FoundFile, at index: Int) {
      do {
        try one.importFile(file) { [progress] result in
          let done = totals.withLock { totals in
            totals.outcome.take(result, at: index)
            totals.done += 1
            return totals.done
          }
          progress(done, files.count)
        }
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
    // Of files with the same content the first in order is the source, whichever is read faster.
    let copies = Locked<[(index: Int, file: FoundFile)]>([])
    concurrently(min(request.jobs, count)) {
      while !isStopped(), let next = files.next() {
        next.later?.readAhead()
        if next.file.isCopy(ofOneOf: next.alike) {
          copies.withLock { $0.append((next.index, next.file)) }
        } else {
          read(next.file, at: next.index)
        }
        files.finish(next.index)
      }
    }
    for copy in copies.withLock({ $0 }).sorted(by: { $0.index < $1.index }) where !isStopped() {
      read(copy.file, at: copy.index)
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    try queue.flush()
    try beside.wait()
    return totals.withLock { totals in
      totals.outcome.take(all: walk.files.files, lost: walk.lost)
      return totals.outcome
    }
  }
}

/// The walk through the paths of an import: finds files, reads manifests, and announces their calls.
///
/// Runs on one thread while others import the files. Its results are available at the end.
final class ImportWalk: @unchecked Sendable {
  /// The files found.
  let files = FileQueue()
  let manifests = Manifests()
  /// Named paths that cannot be read, and invalid manifests.
  private(set) var lost: [ImportedFile] = []
  /// Named folders and archives.
  private(set) var folders: [String] = []
  /// Paths that could not be opened before, and could now.
  private(set) var opened: [String] = []
  /// Paths of the manifests read, and the ignored members of each.
  private(set) var manifestsMet: [String] = []
  /// The announced calls, by run.
  private(set) var announced: [String: Set<String>] = [:]
  private(set) var notes: [(path: String, notes: [String])] = []
  /// The first manifest of a run with a call's name.
  private var named: [String: [String: String]] = [:]
  private var hasInput = false
  /// Archives, unpacked until the end of the import.
  private var archives: [UnpackedArchive] = []
  /// Whether it ended early, so that some files are unknown.
  private(set) var isCut = false

  private let store: Store
  private let request: ImportRequest
  private let isStopped: @Sendable () -> Bool

  /// A walk that ends early once `isStopped` returns true.
  init(store: Store, request: ImportRequest, isStopped: @escaping @Sendable () -> Bool) {
    self.store = store
    self.request = request
    self.isStopped = isStopped
  }

  private struct WalkInterrupted: Error {}

  /// Walks all paths. Throws the errors of the store.
  func run() throws {
    defer { files.complete() }
    LockedFolder.removeAbandoned()
    var walker = FileWalker(
      passingOver: store.access == .memory ? nil : store.path, left: try store.leftPlaces())
    // With several paths, a later one may lead to the manifest of an earlier one.
    if request.paths.count == 1 { files.open() }
    do {
      for path in request.paths { try walk(path, with: &walker) }
    } catch is WalkInterrupted {
      isCut = true
    }
    opened = walker.opened
  }

  private func walk(_ path: String, with walker: inout FileWalker) throws {
    if path == "-" {
      // Standard input can be read only once, even if named several times.
      guard !hasInput else { return }
      hasInput = true
      return files.append(FoundFile(location: RawPath("-"), named: true, bytes: 0))
    }
    let folder = FileWalker.folder(path)
    if let folder { folders.append(folder) }
    try walker.walk(
      path,
      found: { file in
        try mayGoOn()
        var file = file
        file.folder = folder
        guard !UnpackedArchive.isOne(file.location) else { return try unpack(file, in: folder) }
        guard file.path.hasSuffix("/" + Manifest.name) else { return append(file) }
        do {
          try take(Manifest.read(file.location), at: file.path)
        } catch let error as StoreError {
          throw error
        } catch {
          lost.append(ImportedFile(path: file.path, status: .refused, error: SourceError.of(error)))
        }
      },
      lost: { unreadable in
        try mayGoOn()
        guard unreadable.met != nil else {
          return lost.append(ImportedFile(path: unreadable.path, status: .refused, error: unreadable.error))
        }
        files.append(
          FoundFile(
            location: unreadable.location, named: false, bytes: 0, folder: folder, unreadable: unreadable))
      })
  }

  /// Adds a file; of a capture at several points of a path each interface, like the files of a folder with its name.
  private func append(_ file: FoundFile) {
    let taps = request.format == nil && file.bytes > 0 ? CaptureTaps.names(of: file.place, request) : []
    if taps.isEmpty { return files.append(file) }
    if file.named { folders.append(file.path) }
    for (number, name) in taps.enumerated() {
      guard let name else { continue }
      var tap = file
      (tap.location, tap.unpacked) = (file.location.appending(Array(name.utf8)), file.place)
      (tap.tap, tap.named) = (number, false)
      files.append(tap)
    }
  }

  /// Adds the files of an archive like those of a folder with its name.
  private func unpack(_ archive: FoundFile, in folder: String?) throws {
    let unpacked = UnpackedArchive(archive, expansion: request.expansion, isStopped: isStopped)
    if archive.named { folders.append(archive.path) }
    archives.append(unpacked)
    let manifest = Array(Manifest.name.utf8)
    // A manifest applies to all files below it.
    for file in unpacked.files where file.path.parted?.name == manifest {
      do {
        try take(Manifest.read(file.lies), at: file.path.text)
      } catch let error as StoreError {
        throw error
      } catch {
        lost.append(ImportedFile(path: file.path.text, status: .refused, error: SourceError.of(error)))
      }
    }
    for file in unpacked.files.sorted(by: { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) })
    where file.path.parted?.name != manifest {
      try mayGoOn()
      append(
        FoundFile(location: file.path, named: false, bytes: file.bytes, folder: folder, unpacked: file.lies))
    }
    for failure in unpacked.failures {
      lost.append(ImportedFile(path: failure.path.text, status: .refused, error: failure.error))
    }
    if unpacked.leftOut > 0 {
      notes.append(
        (
          path: archive.path,
          notes: [
            unpacked.leftOut == 1
              ? "1 entry (a link, a hidden file or the like) is not a call's file, and was left out"
              : "\(Plural.of(unpacked.leftOut, "entry (a link, a hidden file or the like) is no call's file, and was", "entries (links, hidden files and the like) are not calls' files, and were")) left out"
          ]
        ))
    }
  }

  /// Deletes the unpacked files, which must not be read any more.
  func removeUnpacked() {
    for archive in archives { archive.remove() }
    archives = []
  }

  private func mayGoOn() throws {
    if isStopped() { throw WalkInterrupted() }
  }

  /// Announces the calls of a manifest.
  private func take(_ manifest: Manifest, at path: String) throws {
    let folder = String(path.dropLast(Manifest.name.count + 1))
    manifestsMet.append(path)
    var said = manifest.notes + ManifestNotes.lost(manifest, in: folder)
    manifests.add(manifest, folder: folder)
    if let run = request.run ?? manifest.run {
      said += shared(manifest, at: path, of: run)
      let labels = manifest.labels(under: request.labels)
      announced[run, default: []].formUnion((manifest.calls ?? []).map(\.call_id))
      try store.announce(
        run: run, labels: jsonObject(labels),
        calls: (manifest.calls ?? []).map { AnnouncedCall($0, labels: labels) })
    }
    if !said.isEmpty { notes.append((path: path, notes: said)) }
  }

  /// Notes for names that another manifest of the run has too.
  private func shared(_ manifest: Manifest, at path: String, of run: String) -> [String] {
    var notes: [String] = []
    for id in Set((manifest.calls ?? []).map(\.call_id)).sorted() {
      if let other = named[run]?[id] {
        if notes.count < ManifestNotes.most { notes.append(ManifestNotes.shared(id, with: other)) }
      } else {
        named[run, default: [:]][id] = path
      }
    }
    return notes
  }
}

/// Passes files from the walk to the importers, each together with a later one, so that the system can read that ahead.
final class FileQueue: @unchecked Sendable {
  /// How many files ahead: as many as are imported while a disk seeks.
  static let ahead = 32

  private let monitor = ConditionMonitor()
  private var found = FoundFiles()
  private var turn = FoundFiles.Place()
  private var later = FoundFiles.Place()
  private var isOpen = false
  private var isComplete = false
  /// The files that were given out and are not finished, by index.
  private var reading: [Int: FoundFile] = [:]

  /// Adds a file.
  func append(_ file: FoundFile) {
    monitor.inside { found.append(file) }
    monitor.signal()
  }

  /// Releases files from now on, while others are still being found.
  func open() {
    monitor.inside { isOpen = true }
    monitor.broadcast()
  }

  /// Ends the list, and releases all files.
  func complete() {
    monitor.inside { isComplete = true }
    monitor.broadcast()
  }

  /// Number of files found so far.
  var count: Int { monitor.inside { found.count } }

  /// All files.
  var files: FoundFiles { monitor.inside { found } }

  /// Waits until this many files are released, or no more will be; returns their number.
  func wait(for count: Int) -> Int {
    monitor.inside {
      while !isComplete, !isOpen || found.count < count { monitor.wait() }
      return found.count
    }
  }

  /// A file to be read.
  struct Next {
    var index: Int
    var file: FoundFile
    /// A file further on, which may be read ahead.
    var later: FoundFile?
    /// The files before it that are being read and have its size.
    var alike: [FoundFile]
  }

  /// The next file, once there is one; nil at the end. Each is to be finished.
  func next() -> Next? {
    monitor.inside {
      while !isComplete, !isOpen || turn.number == found.count { monitor.wait() }
      let index = turn.number
      guard let file = turn.next(in: found) else { return nil }
      while later.number < index + Self.ahead, later.next(in: found) != nil {}
      let alike = reading.values.filter { $0.bytes == file.bytes }
      reading[index] = file
      return Next(index: index, file: file, later: later.next(in: found), alike: alike)
    }
  }

  /// Notes that a file was read.
  func finish(_ index: Int) { monitor.inside { reading[index] = nil } }
}

extension FoundFile {
  /// The system reads larger files ahead anyway, while they are read.
  private static let largest = 1 << 20

  /// Makes the system read the file in the background; errors are reported when it is imported.
  func readAhead() {
    guard unreadable == nil, bytes > 0, bytes <= Self.largest else { return }
    let descriptor = location.withCString { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return }
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_WILLNEED)
    close(descriptor)
  }
}
