import Bytes
import CallModel
import CallStore
import Dispatch

/// Imports files and folders into a store: the one place where readers and the store meet.
public final class Importer: Sendable {
  private let store: Store
  private let request: ImportRequest
  private let isInterrupted: @Sendable () -> Bool
  private let tell: @Sendable (_ done: Int, _ all: Int) -> Void
  private let watch: @Sendable () -> (any SampleWatch)?

  /// An importer into the store.
  ///
  /// - Parameters:
  ///   - isInterrupted: asked before each file; once true, no further file is begun.
  ///   - watch: gives each source the one who looks at its samples as they pass, from any thread.
  ///   - tell: told of every file that is done, from any thread.
  public init(
    store: Store, request: ImportRequest, isInterrupted: @escaping @Sendable () -> Bool = { false },
    watch: @escaping @Sendable () -> (any SampleWatch)? = { nil },
    tell: @escaping @Sendable (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    self.watch = watch
    self.store = store
    self.request = request
    self.isInterrupted = isInterrupted
    self.tell = tell
  }

  /// Imports everything and gives what became of each file.
  ///
  /// What is wrong with a file is part of its result; only a failing store throws (`StoreError`).
  public func run() throws -> ImportOutcome {
    let found = try walk()
    var shared: [String: [String]] = [:]
    var outcome = try importAll(found, announce(found.manifests, shared: &shared))
    if let run = request.run, !request.labels.isEmpty {
      try store.label(run: run, jsonObject(request.labels))
    }
    try store.forgetLeft(at: found.opened)
    try store.finishImport()
    outcome.endsElsewhere = try store.noteEndsElsewhere()
    outcome.look(into: found.folders, manifests: found.manifests.map(\.path))
    outcome.manifestNotes = found.manifests.map { path, manifest in
      (path: path, notes: manifest.notes + (shared[path] ?? []))
    }.filter { !$0.notes.isEmpty }
    return outcome
  }

  /// What the walk met: files to read, what cannot be read, folders that were named.
  private struct Found {
    var files = FoundFiles()
    var lost: [ImportedFile] = []
    var manifests: [(path: String, manifest: Manifest)] = []
    var folders: [String] = []
    var opened: [String] = []
  }

  private func walk() throws -> Found {
    var found = Found()
    var walker = FileWalker(
      passingOver: store.access == .memory ? nil : store.path, left: try store.leftPlaces())
    for path in request.paths {
      if path == "-" {
        // Standard input can be read once, however often it is named.
        guard !found.files.contains(where: { $0.path == "-" }) else { continue }
        found.files.append(FoundFile(location: RawPath("-"), named: true, bytes: 0))
        continue
      }
      let folder = FileWalker.folder(path)
      if let folder { found.folders.append(folder) }
      walker.walk(
        path,
        found: { file in
          var file = file
          file.folder = folder
          guard file.path.hasSuffix("/run.json") else { return found.files.append(file) }
          do {
            var manifest = try Manifest.read(file.location)
            manifest.notes += ManifestNotes.lost(manifest, in: String(file.path.dropLast("/run.json".count)))
            found.manifests.append((file.path, manifest))
          } catch {
            found.lost.append(ImportedFile(path: file.path, status: .refused, error: SourceError.of(error)))
          }
        },
        lost: { trouble in
          guard trouble.met != nil else {
            return found.lost.append(
              ImportedFile(path: trouble.path, status: .refused, error: trouble.error))
          }
          found.files.append(
            FoundFile(location: trouble.location, named: false, bytes: 0, folder: folder, trouble: trouble))
        })
    }
    found.opened = walker.opened
    return found
  }

  /// Announces the calls of every manifest; `shared` takes what is to be said of a name that two of a run have.
  private func announce(
    _ met: [(path: String, manifest: Manifest)], shared: inout [String: [String]]
  ) throws -> Manifests {
    var manifests = Manifests()
    var named: [String: [String: String]] = [:]
    for (path, manifest) in met {
      let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
        separator: "/")
      manifests.add(manifest, folder: folder)
      guard let run = request.run ?? manifest.run else { continue }
      for id in Set((manifest.calls ?? []).map(\.call_id)).sorted() {
        if let other = named[run]?[id] {
          let note = ManifestNotes.shared(id, with: other)
          if shared[path, default: []].count < ManifestNotes.most { shared[path, default: []].append(note) }
        } else {
          named[run, default: [:]][id] = path
        }
      }
      let labels = manifest.labels(under: request.labels)
      try store.announce(
        run: run, labels: jsonObject(labels),
        calls: (manifest.calls ?? []).map { AnnouncedCall($0, labels: labels) })
    }
    return manifests
  }

  private func importAll(_ found: Found, _ manifests: Manifests) throws -> ImportOutcome {
    let files = found.files
    let queue = SourceQueue(store, watch: watch)
    let one = FileImport(
      known: files.count > 1 ? try store.reader() : store, queue: queue, request: request,
      manifests: manifests)
    let next = Locked(FileQueue(files))
    let told = Locked((done: 0, outcome: ImportOutcome(of: files, lost: found.lost, in: store)))
    let failure = Locked<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: max(1, min(request.jobs, files.count))) { _ in
      while !isInterrupted(), failure.withLock({ $0 == nil }) {
        guard let (index, file, later) = next.withLock({ $0.next() }) else { return }
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
    return told.withLock { $0.outcome }
  }
}
