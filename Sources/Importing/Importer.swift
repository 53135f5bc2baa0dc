import CallModel
import CallStore
import Concurrency
import Glibc
import IO
import SQLite

/// Imports files and folders into a store: the one place where readers and the store meet.
public final class Importer: Sendable {
  private let store: Store
  private let request: ImportRequest
  private let first: FirstFile?
  private let isInterrupted: @Sendable () -> Bool
  private let tell: @Sendable (_ done: Int, _ all: Int) -> Void
  private let watch: @Sendable () -> (any SampleObserver)?

  /// An importer into the store.
  ///
  /// - Parameters:
  ///   - first: a file whose reading began before the store was open.
  ///   - isInterrupted: asked before each file; once true, no further file is begun.
  ///   - watch: gives each source the one who looks at its samples as they pass, from any thread.
  ///   - tell: told of every file that is done, from any thread.
  public init(
    store: Store, request: ImportRequest, first: FirstFile? = nil,
    isInterrupted: @escaping @Sendable () -> Bool = { false },
    watch: @escaping @Sendable () -> (any SampleObserver)? = { nil },
    tell: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    self.watch = watch
    self.store = store
    self.request = request
    self.first = first
    self.isInterrupted = isInterrupted
    self.tell = tell
  }

  /// Imports everything and gives what became of each file.
  ///
  /// What is wrong with a file is part of its result; only a failing store throws (`StoreError`).
  public func run() throws -> ImportOutcome {
    let failure = Locked<(any Error)?>(nil)
    let isStopped = { @Sendable [isInterrupted] in isInterrupted() || failure.withLock { $0 != nil } }
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

  /// Imports what a walk finds, while it goes on; the first failure ends both.
  private func importAll(
    _ walk: ImportWalk, _ failure: Locked<(any Error)?>, _ isStopped: @Sendable () -> Bool
  ) throws -> ImportOutcome {
    let beside = BackgroundWork(ofItsOwn: true)
    defer { beside.close() }
    try beside.begin { try walk.run() }
    // Without a thread for it all is found first: nobody would find what is waited for below.
    if !beside.hasWorker { try beside.wait() }
    let files = walk.files
    let count = files.wait(for: max(2, request.jobs))
    let queue = SourceQueue(store, watch: watch)
    let one = FileImport(
      known: count > 1 ? try store.reader() : store, queue: queue, request: request,
      manifests: walk.manifests, first: first)
    let told = Locked((done: 0, outcome: ImportOutcome(in: store)))
    concurrently(min(request.jobs, count)) {
      while !isStopped(), let (index, file, later) = files.next() {
        do {
          later?.readAhead()
          try one.importFile(file) { [tell] result in
            let done = told.withLock { told in
              told.outcome.take(result, at: index)
              told.done += 1
              return told.done
            }
            tell(done, files.count)
          }
        } catch {
          failure.withLock { $0 = $0 ?? error }
        }
      }
    }
    if let failure = failure.withLock({ $0 }) { throw failure }
    try queue.flush()
    try beside.wait()
    return told.withLock { told in
      told.outcome.take(all: walk.files.files, lost: walk.lost)
      return told.outcome
    }
  }
}

/// The walk through what was named for an import: finds files, reads manifests, and announces the calls that they name.
///
/// Run by one thread while others import what it finds. What it learned may be asked for when it is through.
final class ImportWalk: @unchecked Sendable {
  /// What was found, for those who import it.
  let files = FileQueue()
  let manifests = Manifests()
  /// What cannot be read of what was named, and manifests that are none.
  private(set) var lost: [ImportedFile] = []
  /// Folders that were named.
  private(set) var folders: [String] = []
  /// Places that were left before and are open now.
  private(set) var opened: [String] = []
  /// Paths of the manifests that were read, and what of each means nothing, where something does not.
  private(set) var manifestsMet: [String] = []
  /// The calls that manifests announced, by run.
  private(set) var announced: [String: Set<String>] = [:]
  private(set) var notes: [(path: String, notes: [String])] = []
  /// Which manifest of a run named a call first.
  private var named: [String: [String: String]] = [:]
  private var hasInput = false
  /// Archives that are unpacked until all is imported.
  private var archives: [UnpackedArchive] = []
  /// Whether it ended early, so that nobody knows what else there is.
  private(set) var isCut = false

  private let store: Store
  private let request: ImportRequest
  private let isStopped: @Sendable () -> Bool

  /// A walk that ends early once `isStopped` says so.
  init(store: Store, request: ImportRequest, isStopped: @escaping @Sendable () -> Bool) {
    self.store = store
    self.request = request
    self.isStopped = isStopped
  }

  private struct WalkInterrupted: Error {}

  /// Walks. Throws what the store throws.
  func run() throws {
    defer { files.complete() }
    var walker = FileWalker(
      passingOver: store.access == .memory ? nil : store.path, left: try store.leftPlaces())
    // Of several paths a later one may lead to the manifest of what an earlier one named.
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
      // Standard input can be read once, however often it is named.
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
        guard file.path.hasSuffix("/" + Manifest.name) else { return files.append(file) }
        do {
          try take(Manifest.read(file.location), at: file.path)
        } catch let error as StoreError {
          throw error
        } catch {
          lost.append(ImportedFile(path: file.path, status: .refused, error: SourceError.of(error)))
        }
      },
      lost: { trouble in
        try mayGoOn()
        guard trouble.met != nil else {
          return lost.append(ImportedFile(path: trouble.path, status: .refused, error: trouble.error))
        }
        files.append(
          FoundFile(location: trouble.location, named: false, bytes: 0, folder: folder, trouble: trouble))
      })
  }

  /// Takes the files of an archive as those of a folder of its name.
  private func unpack(_ archive: FoundFile, in folder: String?) throws {
    let unpacked = UnpackedArchive(archive.location)
    archives.append(unpacked)
    let manifest = Array(Manifest.name.utf8)
    // What a manifest says is of all that lies below it.
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
      files.append(
        FoundFile(location: file.path, named: false, bytes: file.bytes, folder: folder, unpacked: file.lies))
    }
    for trouble in unpacked.troubles {
      lost.append(ImportedFile(path: trouble.path.text, status: .refused, error: trouble.error))
    }
    if unpacked.leftOut > 0 {
      notes.append(
        (
          path: archive.path,
          notes: [
            unpacked.leftOut == 1
              ? "1 entry (a link, a hidden file or the like) is not a call's file, and was left out"
              : "\(unpacked.leftOut) entries (links, hidden files and the like) are not calls' files, and were left out"
          ]
        ))
    }
  }

  /// Takes away what was unpacked; nothing of it is read any more.
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

  /// What is to be said of names that another manifest of the run has too.
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

/// Files on their way from the walk that finds them to those who import them, each with one whose turn comes a little later,
/// for the system to read it by then.
final class FileQueue: @unchecked Sendable {
  /// How many files a later one is behind: as many as are imported while a disk looks for one.
  static let ahead = 32

  private let monitor = ConditionMonitor()
  private var found = FoundFiles()
  private var turn = FoundFiles.Place()
  private var later = FoundFiles.Place()
  private var isOpen = false
  private var isComplete = false

  /// Adds a file that was found.
  func append(_ file: FoundFile) {
    monitor.inside { found.append(file) }
    monitor.signal()
  }

  /// Hands out files from now on, while others are still to be found.
  func open() {
    monitor.inside { isOpen = true }
    monitor.broadcast()
  }

  /// No more will be found; all that were are handed out.
  func complete() {
    monitor.inside { isComplete = true }
    monitor.broadcast()
  }

  /// How many files were found so far.
  var count: Int { monitor.inside { found.count } }

  /// All that was found.
  var files: FoundFiles { monitor.inside { found } }

  /// Waits until there are so many files to hand out, or no more will be; gives how many there are.
  func wait(for count: Int) -> Int {
    monitor.inside {
      while !isComplete, !isOpen || found.count < count { monitor.wait() }
      return found.count
    }
  }

  /// The next file, once there is one; nil at the end.
  func next() -> (index: Int, file: FoundFile, later: FoundFile?)? {
    monitor.inside {
      while !isComplete, !isOpen || turn.number == found.count { monitor.wait() }
      let index = turn.number
      guard let file = turn.next(in: found) else { return nil }
      while later.number < index + Self.ahead, later.next(in: found) != nil {}
      return (index, file, later.next(in: found))
    }
  }
}

extension FoundFile {
  /// Files beyond this are read ahead by the system anyway, as they are read.
  private static let largest = 1 << 20

  /// Has the system read the file without waiting for it; whatever is wrong with it is told in its turn.
  func readAhead() {
    guard trouble == nil, bytes > 0, bytes <= Self.largest else { return }
    let descriptor = location.withCString { Glibc.open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { return }
    posix_fadvise(descriptor, 0, 0, POSIX_FADV_WILLNEED)
    close(descriptor)
  }
}
