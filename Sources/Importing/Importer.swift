import Bytes
import CallModel
import CallStore

/// Imports files and folders into a store: the one place where readers and the store meet.
public final class Importer: Sendable {
  private let store: Store
  private let request: ImportRequest
  private let first: FirstFile?
  private let isInterrupted: @Sendable () -> Bool
  private let tell: @Sendable (_ done: Int, _ all: Int) -> Void
  private let watch: @Sendable () -> (any SampleWatch)?

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
    watch: @escaping @Sendable () -> (any SampleWatch)? = { nil },
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
    outcome.endsElsewhere = try store.noteEndsElsewhere()
    if !walk.isCut { outcome.look(into: walk.folders, manifests: walk.manifestsMet) }
    outcome.manifestNotes = walk.notes
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
